package statement

import "strings"

// ExplainCache is an EXPLAIN CACHE.
type ExplainCache struct {
	// Text is the statement that is to be explained, as the client would send it by itself.
	Text string
	// JSON asks for FORMAT=JSON.
	JSON bool
	// Format is a format that is not known, as it is written; empty if it is.
	Format string
	// Nothing says that there is no statement: nothing at all, or FOR, which stands for a connection.
	Nothing bool
}

// ReadExplainCache reads EXPLAIN CACHE [FORMAT = JSON | TRADITIONAL] statement; false if the text is something else. To servers
// EXPLAIN cache shows the columns of a table of that name, and EXPLAIN cache name or EXPLAIN cache 'name%' some of them; that
// stays so. It costs next to nothing for a text that does not begin with a letter of EXPLAIN or DESCRIBE, or a comment.
func ReadExplainCache(sql string, env Env) (x ExplainCache, ok bool) {
	if !mayExplain(sql) {
		return x, false
	}
	c := newCursor(newInput(sql, &env))
	if !c.accept("EXPLAIN") && !c.accept("DESCRIBE") && !c.accept("DESC") || !c.atWord("CACHE") {
		return x, false
	}
	end := c.advance().end
	if c.describesTable() {
		return x, false
	}
	end = max(end, x.format(c))
	x.Nothing = c.done() || c.atWord("FOR")
	x.Text = strings.TrimLeft(sql[end:], " \t\n\v\f\r") // with comments: there may be a directive among them
	return x, true
}

func mayExplain(sql string) bool {
	sql = strings.TrimLeft(sql, " \t\n\v\f\r")
	return sql != "" && strings.IndexByte("eEdD/#-", sql[0]) >= 0
}

// describesTable reports whether what follows EXPLAIN CACHE makes it the columns of the table cache.
func (c *cursor) describesTable() bool {
	saved, cur := *c.lexer, c.cur
	defer func() { *c.lexer, c.cur = saved, cur }()
	switch c.cur.kind {
	case wordToken, quotedToken, stringToken:
	default:
		return c.done() || c.punct(c.cur, '.') || c.punct(c.cur, ';')
	}
	if c.atWord("SELECT", "WITH", "TABLE", "VALUES", "FOR") { // these are no names
		return false
	}
	c.advance()
	c.acceptPunct(';')
	return c.done()
}

// format takes FORMAT = name, and returns where it ends; 0 if there is none.
func (x *ExplainCache) format(c *cursor) (end int) {
	saved, cur := *c.lexer, c.cur
	if !c.accept("FORMAT") || !c.acceptPunct('=') {
		*c.lexer, c.cur = saved, cur
		return 0
	}
	end = c.cur.end
	switch format := c.name(); strings.ToUpper(format) {
	case "JSON":
		x.JSON = true
	case "TRADITIONAL":
	default:
		x.Format = format
	}
	return end
}
