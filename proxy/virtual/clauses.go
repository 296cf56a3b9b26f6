package virtual

import (
	"strconv"
	"strings"

	"weir/proxy/statement"
)

// columnName reads the name of a column of the table.
func (p *parser) columnName() int {
	x := p.reference()
	if x.star || x.qualifier != "" && !p.failed && !strings.EqualFold(x.qualifier, p.q.alias) {
		p.failed = true
	}
	n := p.columnOf(x.name)
	p.failed = p.failed || n < 0
	return n
}

func (p *parser) conditions() {
	for {
		p.condition()
		if p.failed || !p.accept("AND") {
			return
		}
	}
}

func (p *parser) condition() {
	c := condition{column: p.columnName()}
	if p.accept("IS") {
		if c.op = "null"; p.accept("NOT") {
			c.op = "not null"
		}
		p.expect("NULL")
	} else {
		c.op = p.operator()
		c.value = p.literal()
	}
	if !p.failed {
		p.failed = !c.fits(p.q.Table.Columns[c.column].Kind)
		p.q.where = append(p.q.where, c)
	}
}

// operator reads a comparison, of one sign or two that stand together.
func (p *parser) operator() string {
	op := ""
	for len(op) < 2 && p.at < len(p.lex) && strings.Contains("=<>!", p.lex[p.at].Text) && p.lex[p.at].Kind == statement.Other &&
		(op == "" || p.lex[p.at].Start == p.lex[p.at-1].End) {
		op += p.lex[p.at].Text
		p.at++
	}
	switch op {
	case "!=":
		return "<>"
	case "=", "<>", "<", "<=", ">", ">=":
		return op
	}
	p.failed = true
	return ""
}

func (p *parser) literal() any {
	sign := ""
	if p.acceptPunct("-") {
		sign = "-"
	}
	if p.at >= len(p.lex) {
		p.failed = true
		return nil
	}
	x := p.lex[p.at]
	p.at++
	switch {
	case x.Kind == statement.String && x.Plain && sign == "" && !(p.at < len(p.lex) && p.lex[p.at].Kind == statement.String):
		return x.Text
	case x.Kind == statement.Number:
		return number(sign + x.Text)
	}
	p.failed = true
	return nil
}

func (p *parser) keys() {
	for {
		k := key{column: p.columnName()}
		if k.down = p.accept("DESC"); !k.down {
			p.accept("ASC")
		}
		p.failed = p.failed || p.renamed(k.column)
		p.q.order = append(p.q.order, k)
		if p.failed || !p.acceptPunct(",") {
			return
		}
	}
}

// renamed reports whether an output has a name that another column has: ORDER BY then means the output.
func (p *parser) renamed(column int) bool {
	if p.failed {
		return true
	}
	for i, o := range p.q.outputs {
		if p.q.columns[i] == countAll || p.q.columns[i] != column && strings.EqualFold(o.Name, p.q.Table.Columns[column].Name) {
			return true
		}
	}
	return false
}

// limits reads n, n OFFSET m, and m, n.
func (p *parser) limits() {
	p.q.limit = p.count()
	switch {
	case p.accept("OFFSET"):
		p.q.offset = p.count()
	case p.acceptPunct(","):
		p.q.offset, p.q.limit = p.q.limit, p.count()
	}
}

func (p *parser) count() int {
	if p.at >= len(p.lex) || p.lex[p.at].Kind != statement.Number {
		p.failed = true
		return 0
	}
	n, err := strconv.ParseUint(p.lex[p.at].Text, 10, 31)
	p.failed = p.failed || err != nil
	p.at++
	return int(n)
}

func (p *parser) accept(word string) bool {
	if p.word(p.at) != word {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(word string) { p.failed = !p.accept(word) || p.failed }

func (p *parser) acceptPunct(c string) bool {
	if !p.is(p.at, c) {
		return false
	}
	p.at++
	return true
}

// ident reads a name.
func (p *parser) ident() string {
	if !p.name(p.at) {
		p.failed = true
		return ""
	}
	p.at++
	return p.lex[p.at-1].Text
}
