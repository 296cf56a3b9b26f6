package virtual

import (
	"regexp"
	"strings"

	"weir/proxy/statement"
)

// Show answers the statements that say which tables there are, and which columns: SHOW [FULL] TABLES [FROM weir] [LIKE],
// SHOW [FULL] COLUMNS FROM table [FROM weir] [LIKE], DESCRIBE table. It returns nil for all else. SHOW DATABASES is not
// among them: programs that copy everything walk through its answer.
func (r *Reader) Show() *Answer {
	p := parser{Reader: r}
	var a *Answer
	switch {
	case p.accept("SHOW"):
		full := p.accept("FULL")
		if p.accept("TABLES") {
			a = p.showTables(full)
		} else if p.accept("COLUMNS") || p.accept("FIELDS") {
			a = p.showColumns(full)
		}
	case p.accept("DESC"), p.accept("DESCRIBE"), p.accept("EXPLAIN"):
		if t := p.described(); t != nil {
			a = describe(t, false, nil)
		}
	}
	if a == nil || p.failed || p.at != len(p.lex) {
		return nil
	}
	return a
}

func (p *parser) showTables(full bool) *Answer {
	schema := p.Schema
	if p.accept("FROM") || p.accept("IN") {
		schema = p.ident()
	}
	like := p.like()
	if !p.Set.Owns(schema) || p.Theirs != nil && p.Theirs(schema, "") {
		return nil
	}
	a := &Answer{Columns: []Output{{Name: "Tables_in_" + strings.ToLower(schema), Kind: Text, NotNull: true}}}
	if full {
		a.Columns = append(a.Columns, Output{Name: "Table_type", Kind: Text, NotNull: true})
	}
	for _, t := range p.Set.In(schema) {
		row := []any{t.Name, "SYSTEM VIEW"}
		if like == nil || like.MatchString(t.Name) {
			a.Rows = append(a.Rows, row[:len(a.Columns)])
		}
	}
	return a
}

func (p *parser) showColumns(full bool) *Answer {
	if !p.accept("FROM") && !p.accept("IN") {
		return nil
	}
	t := p.described()
	like := p.like()
	if t == nil {
		return nil
	}
	return describe(t, full, like)
}

// described reads the name of a table, with its schema in front or behind.
func (p *parser) described() *Table {
	first, schema := p.at, p.Schema
	name := p.ident()
	last := p.at - 1 // if there was a name
	switch {
	case p.acceptPunct("."):
		schema = name
		p.ident()
		last = p.at - 1
	case p.accept("FROM") || p.accept("IN"):
		schema = p.ident()
	}
	if p.failed {
		return nil
	}
	return p.found(schema, first, last).table
}

// like reads LIKE and its pattern, if they are there.
func (p *parser) like() *regexp.Regexp {
	if !p.accept("LIKE") {
		return nil
	}
	if p.at >= len(p.lex) || p.lex[p.at].Kind != statement.String || !p.lex[p.at].Plain {
		p.failed = true
		return nil
	}
	p.at++
	pattern := regexp.QuoteMeta(p.lex[p.at-1].Text)
	pattern = strings.NewReplacer("%", ".*", "_", ".").Replace(pattern)
	return regexp.MustCompile("(?i)^" + pattern + "$")
}

// describe lists the columns as SHOW COLUMNS does; the comment of SHOW FULL COLUMNS is the meaning.
func describe(t *Table, full bool, like *regexp.Regexp) *Answer {
	names := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		names = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	a := &Answer{}
	for _, n := range names {
		a.Columns = append(a.Columns, Output{Name: n, Kind: Text})
	}
	for _, c := range t.Columns {
		if like != nil && !like.MatchString(c.Name) {
			continue
		}
		row := []any{c.Name, c.Kind.Type(), "YES", "", nil, ""}
		if full {
			row = []any{c.Name, c.Kind.Type(), c.collation(), "YES", "", nil, "", "select", c.Meaning}
		}
		a.Rows = append(a.Rows, row)
	}
	return a
}

func (c Column) collation() any {
	if c.Kind == Text || c.Kind == Long || c.Kind == Flag {
		return "utf8mb4_general_ci"
	}
	return nil
}
