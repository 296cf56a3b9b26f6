package statement

import (
	"strings"

	"weir/cache/dep"
)

// briefWrite reports whether a write leaves nothing on its connection but what the next statement may ask for
// (warnings, ROW_COUNT()), and LAST_INSERT_ID(). It is so for INSERT, REPLACE, UPDATE and DELETE of one base table by
// name, with no triggers, without a subquery, and without a call of anything that is not built in: a trigger or a stored
// function may set variables and make temporary tables. What is not seen to be so, is not.
func briefWrite(in input, s *scan) bool {
	if s.lasting || s.selects > 0 || s.tables > 0 || s.odd != "" {
		return false
	}
	c := newCursor(in)
	if !target(c) {
		return false
	}
	name, ok := c.qualified(in.env.Schema)
	if !ok || in.env.Catalog == nil || systemSchema(name.Schema) {
		return false
	}
	rel := in.env.Catalog.Relation(name)
	return (rel.Kind == dep.BaseTable || rel.Kind == dep.SystemVersioned) && !rel.Triggers && oneTable(c) && callsBuiltIns(c, s.funcs)
}

// beforeParenthesis are reserved words that are not called when a parenthesis follows.
const beforeParenthesis = `AND BETWEEN BY CASE DIV ELSE IN IS LIKE LIMIT MOD NOT ON OR REGEXP RLIKE SET THEN VALUE VALUES
WHEN WHERE XOR`

// callsBuiltIns reports whether the rest calls nothing but functions that are built in.
func callsBuiltIns(c *cursor, funcs *functions) bool {
	words := set(beforeParenthesis)
	var before, last token
	for ; !c.done(); before, last = last, c.advance() {
		if !c.punct(c.cur, '(') || last.kind != wordToken && last.kind != quotedToken {
			continue
		}
		if last.kind == quotedToken || c.punct(before, '.') || c.cur.start != last.end && !words[c.upper(last)] {
			return false
		}
		name := strings.ToLower(c.text(last))
		_, refused := funcs.refused[name]
		if !words[c.upper(last)] && !refused && !funcs.deterministic(name, c.in.env) {
			return false
		}
	}
	return true
}

// target moves to the name of the table that is written to.
func target(c *cursor) bool {
	deletes := c.atWord("DELETE")
	if !deletes && !c.atWord("INSERT", "REPLACE", "UPDATE") {
		return false
	}
	into := !c.atWord("UPDATE")
	c.advance()
	for c.accept("LOW_PRIORITY") || c.accept("HIGH_PRIORITY") || c.accept("QUICK") || c.accept("IGNORE") {
	}
	switch {
	case deletes:
		return c.accept("FROM")
	case into:
		c.accept("INTO")
	}
	return true
}

// qualified takes a table's name, with its schema or without.
func (c *cursor) qualified(schema string) (dep.Name, bool) {
	table, ok := c.identifier()
	if ok && c.acceptPunct('.') {
		schema = table
		table, ok = c.identifier()
	}
	return dep.Fold(schema, table), ok && schema != "" && table != ""
}

// identifier takes a word or a quoted name.
func (c *cursor) identifier() (string, bool) {
	if c.cur.kind != wordToken && c.cur.kind != quotedToken {
		return "", false
	}
	return unquote(c.text(c.advance())), true
}

// oneTable reports whether what follows the name is none of another table.
func oneTable(c *cursor) bool {
	return c.done() || c.punct(c.cur, '(') || c.atWord("VALUES", "VALUE", "SET", "WHERE", "ORDER", "LIMIT", "DEFAULT")
}
