package ddlwatch

import (
	"slices"
	"strings"

	"weir/cache/dep"
)

// cursor walks over the tokens of a text, one at a time. It is a value: a copy looks ahead. After a failure it
// stands at the end for good, so that a recogniser need not ask after every step.
type cursor struct {
	lexer
	tok token
	// before are the two tokens before tok, the nearer one first.
	before [2]token
	// schema is the default schema of unqualified names, empty if there is none.
	schema string
}

func (c *cursor) advance() {
	c.before = [2]token{c.tok, c.before[0]}
	c.tok = c.lexer.next()
}

// giveUp records why and moves to the end.
func (c *cursor) giveUp(reason string) {
	c.unsure(reason)
	c.stop()
}

// stop leaves out what is left of the text.
func (c *cursor) stop() { c.tok = token{kind: end, off: c.pos} }

// decisive gives up if the token is in a comment that only some servers execute. Whatever decides what a statement
// does must not stand there.
func (c *cursor) decisive() {
	if c.tok.maybe {
		c.giveUp("an executable comment decides what it means")
	}
}

// accept moves past the given keywords if they are next, all of them in order.
func (c *cursor) accept(keywords ...string) bool {
	ahead := *c
	for _, k := range keywords {
		ahead.decisive()
		if !ahead.tok.is(k) {
			c.adopt(ahead)
			return false
		}
		ahead.advance()
	}
	*c = ahead
	return true
}

// adopt takes over the failure of a copy that looked ahead.
func (c *cursor) adopt(ahead cursor) {
	if ahead.failed != "" {
		*c = ahead
	}
}

// acceptAny moves past one of the keywords.
func (c *cursor) acceptAny(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return c.accept(k) })
}

// skipAny moves past any number of the keywords.
func (c *cursor) skipAny(keywords ...string) {
	for c.acceptAny(keywords...) {
	}
}

// acceptMark moves past one byte of punctuation.
func (c *cursor) acceptMark(b byte) bool {
	c.decisive()
	if !c.tok.isMark(b) {
		return false
	}
	c.advance()
	return true
}

// expect gives up if the keyword is not next.
func (c *cursor) expect(keyword string) {
	if !c.accept(keyword) {
		c.giveUp("no " + keyword + " where one was expected")
	}
}

// name reads table or schema.table.
func (c *cursor) name() dep.Name {
	schema, table := c.schema, c.ident()
	if c.acceptMark('.') {
		schema, table = table, c.identAfterDot()
	}
	if c.tok.isMark('.') {
		c.giveUp("a name of more than two parts")
	}
	if schema == "" {
		c.giveUp("a table without a schema")
	}
	return dep.Fold(schema, table)
}

// names reads one or more names with commas between them.
func (c *cursor) names() []dep.Name {
	list := []dep.Name{c.name()}
	for c.acceptMark(',') {
		list = append(list, c.name())
	}
	return list
}

// ident reads a name. One without quotes cannot be a reserved word; if it is, the recogniser has lost its way.
func (c *cursor) ident() string {
	if c.tok.kind == word && reserved[strings.ToUpper(c.tok.src)] {
		c.giveUp("a keyword where a name was expected")
	}
	return c.identAfterDot()
}

// identAfterDot reads a name that may be any word, since nothing but a name follows a dot.
func (c *cursor) identAfterDot() string {
	c.decisive()
	switch c.tok.kind {
	case word, quoted:
	case text:
		c.refuse("a string where a name was expected")
		c.stop()
		return ""
	default:
		c.giveUp("no name where one was expected")
		return ""
	}
	s := c.tok.unquote()
	if !plain(s) {
		c.giveUp("a name that a character set or an encoding decides")
	}
	c.advance()
	return s
}

// plain says whether a name means what its bytes say: ASCII alone, and not the encoded name of a file, which
// servers decode.
func plain(s string) bool {
	return s != "" && isASCII(s) && !strings.HasPrefix(s, "#mysql50#")
}

// user moves past an account or role: name, name@host, CURRENT_USER or CURRENT_USER().
func (c *cursor) user() {
	c.decisive()
	c.advance()
	if c.tok.kind == at {
		bare := len(c.tok.src) == 1
		c.advance()
		if bare {
			c.advance()
		}
	}
	if c.acceptMark('(') {
		c.acceptMark(')')
	}
}

// finish gives up unless the text ends here.
func (c *cursor) finish() {
	for c.tok.isMark(';') {
		c.advance()
	}
	if c.tok.kind != end {
		c.giveUp("unexpected text after the names")
	}
}

// scan calls visit for each token up to the end. Visit may move on. A second statement is more than can be told.
func (c *cursor) scan(visit func()) {
	for c.before = ([2]token{}); c.tok.kind != end; {
		if c.tok.isMark(';') {
			c.finish()
			return
		}
		here := c.tok.off
		visit()
		if c.tok.off == here {
			c.advance()
		}
	}
}

// keyword says whether the token is one of the keywords. After a dot it is a name.
func (c *cursor) keyword(keywords ...string) bool {
	return !c.before[0].isMark('.') && slices.ContainsFunc(keywords, c.tok.is)
}
