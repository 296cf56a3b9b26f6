package statement

import (
	"slices"
	"strings"
)

// Words returns up to n words at the start of a text, in upper case, without comments: for statements that Weir
// answers itself, such as FLUSH QUERY CACHE. It stops at anything that is not a word.
func Words(sql string, env Env, n int) []string {
	c := newCursor(newInput(sql, &env))
	var words []string
	for len(words) < n && c.cur.kind == wordToken {
		words = append(words, c.word())
		c.advance()
	}
	return words
}

// Mentions reports whether one of the words, in upper case, may stand in the text as code: not in a string, and not as a
// part of another word or of a name in quotes. It says so, too, where servers may read the text otherwise than Weir, and
// where the word is in a comment that some servers run.
func Mentions(sql string, env Env, words ...string) bool {
	c := newCursor(newInput(sql, &env))
	for !c.done() {
		if c.atWord(words...) {
			return true
		}
		c.advance()
	}
	upper := strings.ToUpper(sql)
	return (c.odd != "" || strings.Contains(upper, "/*!") || strings.Contains(upper, "/*M!")) &&
		slices.ContainsFunc(words, func(w string) bool { return strings.Contains(upper, w) })
}

// HasMarkers reports whether a text has parameters, each a question mark.
func HasMarkers(sql string, env Env) bool { return Markers(sql, env) > 0 }

// DroppedSchema returns the name in a DROP DATABASE, as it is written, without quotes; empty if the text is no such
// statement.
func DroppedSchema(sql string, env Env) string {
	c := newCursor(newInput(sql, &env))
	if !c.accept("DROP", "DATABASE") && !c.accept("DROP", "SCHEMA") {
		return ""
	}
	c.accept("IF", "EXISTS")
	return c.name()
}

// StripSQLCache blanks the hint SQL_CACHE behind the first SELECT, for servers that no longer know it. The text keeps
// its length. A column of that name stays.
func (a *Analyzer) StripSQLCache(sql string, env Env) string {
	s := a.scan(newInput(sql, &env))
	if !s.sqlCache {
		return sql
	}
	after := newLexer(sql, s.mode)
	after.pos = s.cacheAt.end
	if t := after.next(); t.kind == endToken || after.is(t, "FROM") || after.is(t, "AS") || after.punct(t, ',') || after.punct(t, '.') {
		return sql
	}
	out := []byte(sql)
	overwrite(out[s.cacheAt.start:s.cacheAt.end])
	return string(out)
}

// StripSQLCache is [Analyzer.StripSQLCache].
func (c *Cache) StripSQLCache(sql string, env Env) string { return c.analyzer.StripSQLCache(sql, env) }

// Markers counts the parameters of a text, each a question mark.
func Markers(sql string, env Env) (n int) {
	c := newCursor(newInput(sql, &env))
	for ; !c.done(); c.advance() {
		if c.punct(c.cur, '?') {
			n++
		}
	}
	return n
}

// Split returns the statements of a text.
func Split(sql string, env Env) []string {
	in := newInput(sql, &env)
	parts, _ := split(in.of(read(sql, in.mode).with))
	return parts
}

// BindUsing puts what EXECUTE ... USING lists in place of the parameters of a text, in their order.
func BindUsing(body, execute string, env Env) string {
	c := newCursor(newInput(execute, &env))
	if !c.seek("USING") {
		return body
	}
	c.advance()
	var values []string
	for l := (setList{cursor: c}); !c.done(); c.acceptPunct(',') {
		start := c.cur.start
		values = append(values, c.sql[start:l.skipValue()])
	}
	b := newCursor(newInput(body, &env))
	var out strings.Builder
	copied := 0
	for ; !b.done() && len(values) > 0; b.advance() {
		if b.punct(b.cur, '?') {
			out.WriteString(body[copied:b.cur.start] + values[0])
			copied, values = b.cur.end, values[1:]
		}
	}
	return out.String() + body[copied:]
}
