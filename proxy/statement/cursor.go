package statement

import "strings"

// A cursor walks over the words of a short statement, such as COMMIT AND CHAIN.
type cursor struct {
	*lexer
	in  input
	cur token
}

func newCursor(in input) *cursor {
	c := &cursor{lexer: newLexer(in.sql, in.mode), in: in}
	c.advance()
	return c
}

// advance moves to the next token and returns the one that it leaves.
func (c *cursor) advance() token {
	t := c.cur
	c.cur = c.next()
	return t
}

// done tells whether nothing is left.
func (c *cursor) done() bool { return c.cur.kind == endToken }

// word returns the current word in upper case, or "" if there is none.
func (c *cursor) word() string { return c.upper(c.cur) }

// at tells whether the current token is one of the words.
func (c *cursor) atWord(words ...string) bool {
	for _, w := range words {
		if c.is(c.cur, w) {
			return true
		}
	}
	return false
}

// accept moves over the words if all of them come next.
func (c *cursor) accept(words ...string) bool {
	saved, cur := *c.lexer, c.cur
	for _, w := range words {
		if !c.is(c.cur, w) {
			*c.lexer, c.cur = saved, cur
			return false
		}
		c.advance()
	}
	return true
}

// acceptPunct moves over the byte if it comes next.
func (c *cursor) acceptPunct(b byte) bool {
	if !c.punct(c.cur, b) {
		return false
	}
	c.advance()
	return true
}

// seek moves to the next of the words, outside of parentheses, and tells whether there is one.
func (c *cursor) seek(words ...string) bool {
	for depth := 0; !c.done(); c.advance() {
		switch {
		case depth == 0 && c.atWord(words...):
			return true
		case c.punct(c.cur, '('):
			depth++
		case c.punct(c.cur, ')'):
			depth--
		}
	}
	return false
}

// name takes a name: a word, a quoted identifier, or a string.
func (c *cursor) name() string {
	switch c.cur.kind {
	case wordToken, quotedToken, stringToken:
		return unquote(c.text(c.advance()))
	}
	return ""
}

// rest returns the text from the current token on.
func (c *cursor) rest() string { return strings.TrimSpace(c.sql[c.cur.start:]) }
