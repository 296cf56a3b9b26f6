package statement

import (
	"strings"

	"github.com/zeebo/xxh3"
)

// A template is a text without its free literals. All texts of one template are the same sequence of tokens to a server
// and to the parser, with other literals of the same form in the same places, where the analysis does not look at them.
// So what is found out about one of them is true of all, but for the values in the slots.
//
// This holds because everything around the literals is kept as it is, to the last blank and comment, and because a
// literal is free only if the tokens next to it leave no doubt that it is an operand (see [constants]). A literal whose
// end, or whose meaning, could depend on more than that gives no template: the text is then analysed by itself.
type template struct {
	// text has a NUL and the form in the place of each free literal. No text with a template has a NUL of its own.
	text string
	// in and constants give the values.
	in        input
	constants []constant
}

// templateOf returns the template of a text, if it is a query and has one that other texts may share.
func templateOf(sql string, env *Env) (template, bool) {
	in := newInput(sql, env)
	if !in.beginsQuery() || strings.Contains(sql, "\x00") || !readable(sql, env.Charset) {
		return template{}, false
	}
	if strings.Contains(sql, "/*!") || strings.Contains(sql, "/*M!") {
		return template{}, false // the text is not the one that is analysed
	}
	c := newConstants(in)
	if c.odd != "" || c.tidb || in.modes.foreign != "" {
		return template{}, false
	}
	text, ok := withoutFree(sql, c.list)
	return template{text, in, c.list}, ok
}

// beginsQuery tells whether a query may begin with the first token.
func (in input) beginsQuery() bool {
	c := newCursor(in)
	return c.punct(c.cur, '(') || c.atWord("SELECT", "WITH", "TABLE", "VALUES")
}

// withoutFree replaces the free literals; false if there are none.
func withoutFree(sql string, list []constant) (string, bool) {
	out, last := make([]byte, 0, len(sql)), 0
	for _, c := range list {
		if c.free {
			out = append(out, sql[last:c.start]...)
			out = append(out, 0, byte(c.form))
			last = c.end
		}
	}
	return string(append(out, sql[last:]...)), last > 0
}

// fill returns the analysis of the template's text, given that of another text with the same template.
func (t template) fill(st Statement) Statement {
	if st.Cacheable {
		st.Slots = t.in.slots(t.constants)
	}
	return st
}

// kept returns an analysis without what belongs to one text alone.
func (t template) kept(st Statement) Statement {
	st.Slots = nil
	return st
}

// Shape returns a number that all texts have which differ in nothing but their free literals, in one default database; never
// zero. It is the same in every process. Two texts that are not alike seldom have the same one.
func Shape(sql string, env Env) uint64 {
	if t, ok := templateOf(sql, &env); ok {
		sql = t.text
	}
	return max(xxh3.HashString(env.Schema+"\x00"+sql), 1)
}
