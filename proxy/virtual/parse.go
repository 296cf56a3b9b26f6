package virtual

import "strings"

// Query is a SELECT that Weir evaluates itself.
type Query struct {
	Table *Table

	alias   string
	outputs []Output
	columns []int // of the table, for each output; countAll for COUNT(*)
	where   []condition
	order   []key
	limit   int // rows; -1 for all of them
	offset  int
}

// countAll stands for COUNT(*) in place of a column.
const countAll = -1

// condition compares a column with a literal; op is one of = <> < <= > >=, or "null" and "not null".
type condition struct {
	column int
	op     string
	value  any // a string or a number as written
}

type number string

// key is one of ORDER BY.
type key struct {
	column int
	down   bool
}

// parser reads a plain SELECT. What it does not know makes it fail, and the text is left to a server.
type parser struct {
	*Reader
	at     int
	failed bool
	q      *Query
}

// Parse reads
//
//	SELECT * | COUNT(*) | column [[AS] name], ... FROM table [[AS] name]
//	    [WHERE column = literal | column IS [NOT] NULL [AND ...]] [ORDER BY column [DESC], ...] [LIMIT n [OFFSET m]]
//
// and TABLE in place of SELECT * FROM, with any of the comparisons = <> != < <= > >=. It returns nil for all else.
func (r *Reader) Parse() *Query {
	p := parser{Reader: r, q: &Query{limit: -1}}
	var items []item
	switch {
	case p.accept("TABLE"):
		items = []item{{star: true}}
	case p.accept("SELECT"):
		items = p.items()
		p.expect("FROM")
	default:
		return nil
	}
	p.table()
	p.resolve(items)
	if p.accept("WHERE") {
		p.conditions()
	}
	if p.accept("ORDER") {
		p.expect("BY")
		p.keys()
	}
	if p.accept("LIMIT") {
		p.limits()
	}
	if p.failed || p.at != len(p.lex) {
		return nil
	}
	return p.q
}

// item is what stands behind SELECT, before it is known of what table.
type item struct {
	star, count     bool
	qualifier, name string
	as              string
}

func (p *parser) items() (list []item) {
	for {
		list = append(list, p.item())
		if p.failed || !p.acceptPunct(",") {
			return list
		}
	}
}

func (p *parser) item() (x item) {
	start := p.at
	switch {
	case p.acceptPunct("*"):
		return item{star: true}
	case p.word(p.at) == "COUNT" && p.is(p.at+1, "(") && p.is(p.at+2, "*") && p.is(p.at+3, ")"):
		p.at += 4
		x = item{count: true, name: p.text[p.lex[start].Start:p.lex[p.at-1].End]}
	default:
		if x = p.reference(); x.star || p.failed {
			return x
		}
	}
	if p.accept("AS") || p.name(p.at) && p.word(p.at) != "FROM" {
		x.as = p.ident()
	}
	return x
}

// reference is a column, or a star, with the table's name before it or without.
func (p *parser) reference() (x item) {
	x.name = p.ident()
	for n := 0; p.acceptPunct("."); n++ {
		if n == 1 && !strings.EqualFold(x.qualifier, p.Schema) && !p.Set.Owns(x.qualifier) || n > 1 {
			p.failed = true // in front of the table another schema than the table's: let a server say so
		}
		x.qualifier = x.name
		if p.acceptPunct("*") {
			x.star = true
			return x
		}
		x.name = p.ident()
	}
	return x
}

// table reads the name in FROM.
func (p *parser) table() {
	first, schema := p.at, p.Schema
	name := p.ident()
	if p.acceptPunct(".") {
		schema, name = name, p.ident()
	}
	if p.failed {
		return
	}
	m := p.found(schema, first, p.at-1)
	if p.q.Table = m.table; m.table == nil {
		p.failed = true
		return
	}
	p.q.alias = name
	if p.accept("AS") || p.name(p.at) && !afterFrom[p.word(p.at)] {
		p.q.alias = p.ident()
	}
}

// resolve finds the columns, now that the table is known.
func (p *parser) resolve(items []item) {
	if p.failed {
		return
	}
	counts := 0
	for _, x := range items {
		switch {
		case x.qualifier != "" && !strings.EqualFold(x.qualifier, p.q.alias):
			p.failed = true
		case x.star:
			for i := range p.q.Table.Columns {
				p.output(i, "")
			}
		case x.count:
			counts++
			p.q.columns = append(p.q.columns, countAll)
			p.q.outputs = append(p.q.outputs, Output{Name: firstOf(x.as, x.name), Kind: Signed, NotNull: true})
		default:
			p.output(p.columnOf(x.name), firstOf(x.as, x.name)) // as it is written, as servers name them
		}
	}
	if counts > 0 && len(items) > 1 { // sql_mode decides whether that is allowed
		p.failed = true
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (p *parser) output(column int, as string) {
	if column < 0 {
		p.failed = true
		return
	}
	c := p.q.Table.Columns[column]
	p.q.columns = append(p.q.columns, column)
	p.q.outputs = append(p.q.outputs, Output{Name: firstOf(as, c.Name), Kind: c.Kind, Table: p.q.alias, Of: p.q.Table, Column: c.Name})
}

func (p *parser) columnOf(name string) int {
	if p.failed {
		return -1
	}
	return p.q.Table.column(name)
}
