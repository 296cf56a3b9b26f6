package statement

import (
	"strconv"
	"strings"
)

// form is what a constant looks like. Two constants of one form are one token to the grammar.
type form byte

const (
	wholeForm   form = 'i' // digits that fit into 64 bits
	decimalForm form = 'd' // digits.digits
	textForm    form = 's'
	hexForm     form = 'h' // 0x1f
	quotedHex   form = 'x' // x'1f'
	wordForm    form = 'w' // NULL, TRUE, FALSE
	markerForm  form = '?'
)

// constant is a token that is a literal by itself, or a parameter marker.
type constant struct {
	form
	start, end int // without the sign
	// signed says that a minus stands in front that has nothing to subtract from.
	signed bool
	// free says that the analysis is the same whatever literal of the form stands here.
	free bool
}

// constants are found by one pass over the tokens. What a literal is, and whether the analysis could depend on it, is
// decided by the tokens around it, of which few are trusted: behind any other, a literal may be an alias, the unit or
// length of something, a position in the select list, or a part of another literal.
type constants struct {
	*lexer
	before [3]token // the last tokens, the latest first
	frames []frame  // open parentheses, the outermost being the statement
	list   []constant
	// formats says that a literal may be the format of STR_TO_DATE, which decides whether a TIME comes out of it.
	formats bool
}

// frame is what is known of the place within a parenthesis.
type frame struct {
	// list says that this is a select list whose columns may be called by their text further out. by says that whole
	// numbers may be positions: ORDER BY 1, GROUP BY 2.
	list, by bool
	// fixed says that no literal in here is free.
	fixed bool
}

// constants returns those of one statement, none of one that is too long to be analysed.
func (in input) constants() []constant {
	if len(in.sql) > MaxLength {
		return nil
	}
	return newConstants(in).list
}

// newConstants goes through the tokens of one statement.
func newConstants(in input) *constants {
	c := &constants{lexer: newLexer(in.sql, in.mode), frames: make([]frame, 1, 8)}
	next := c.next()
	for next.kind != endToken {
		t := next
		next = c.next()
		c.step(t, next)
		c.before = [3]token{t, c.before[0], c.before[1]}
	}
	if c.formats {
		c.bindTexts()
	}
	return c
}

// bindTexts takes the freedom of all texts, wherever in the statement STR_TO_DATE is.
func (c *constants) bindTexts() {
	for i := range c.list {
		c.list[i].free = c.list[i].free && c.list[i].form != textForm
	}
}

// maxWord is the length of the longest word that is looked for.
const maxWord = len("VARCHARACTER")

// fold returns a word in upper case, or nothing if t is none or a longer one. It allocates nothing, unlike upper.
func (c *constants) fold(t token, b *[maxWord]byte) []byte {
	if t.kind != wordToken || t.end-t.start > maxWord {
		return nil
	}
	n := copy(b[:], c.text(t))
	for i, x := range b[:n] {
		if x >= 'a' && x <= 'z' {
			b[i] = x - 'a' + 'A'
		}
	}
	return b[:n]
}

func (c *constants) top() *frame { return &c.frames[len(c.frames)-1] }

func (c *constants) step(t, next token) {
	switch {
	case t.kind == wordToken && !c.punct(c.before[0], '.'):
		c.word(t)
	case t.kind == numberToken:
		c.number(t, next)
	case t.kind == stringToken:
		c.string(t, next)
	case c.punct(t, '?'):
		c.list = append(c.list, constant{form: markerForm, start: t.start, end: t.end})
	case c.punct(t, '('):
		c.open()
	case c.punct(t, ')') && len(c.frames) > 1:
		c.frames = c.frames[:len(c.frames)-1]
	}
}

// open enters a parenthesis.
func (c *constants) open() {
	up, before := *c.top(), c.before[0]
	grouping := before.kind != wordToken || c.is(before, "BY")
	c.frames = append(c.frames, frame{by: up.by && grouping, fixed: up.fixed || up.list || c.fixes(before)})
}

// fixes tells what makes the numbers in the parenthesis behind it a length, and what is called by its argument. To others
// it may be a function, whose arguments are then fixed, too.
func (c *constants) fixes(t token) bool {
	var b [maxWord]byte
	switch string(c.fold(t, &b)) {
	case "BINARY", "BIT", "CHAR", "CHARACTER", "DATETIME", "DEC", "DECIMAL", "DOUBLE", "FIXED", "FLOAT", "INT", "INTEGER", "NAME_CONST",
		"NCHAR", "NUMERIC", "NVARCHAR", "REAL", "SIGNED", "TIME", "TIMESTAMP", "UNSIGNED", "VARBINARY", "VARCHAR",
		"VARCHARACTER", "VARYING", "VECTOR", "YEAR":
		return true
	}
	return t.kind == quotedToken
}

func (c *constants) word(t token) {
	top := c.top()
	var b [maxWord]byte
	switch string(c.fold(t, &b)) {
	case "SELECT":
		top.list, top.by = len(c.frames) > 1, false
	case "FROM", "WHERE", "GROUP", "ORDER":
		top.list = false
	case "HAVING", "LIMIT":
		top.list, top.by = false, false
	case "BY":
		top.by = true
	case "STR_TO_DATE":
		c.formats = true
	case "NULL", "TRUE", "FALSE":
		c.list = append(c.list, constant{form: wordForm, start: t.start, end: t.end})
	}
}

func (c *constants) number(t, next token) {
	f := numberForm(c.text(t))
	if f == 0 || next.kind == stringToken {
		return
	}
	x := constant{form: f, start: t.start, end: t.end}
	switch {
	case c.punct(c.before[0], '-'):
		x.signed = f != hexForm && c.expects(c.before[1], c.before[2])
	case c.is(c.before[0], "LIMIT"), c.is(c.before[0], "OFFSET"):
		if f != wholeForm {
			return
		}
	case !c.expects(c.before[0], c.before[1]):
		return
	}
	c.add(x)
}

func (c *constants) string(t, next token) {
	x, before, last := constant{form: textForm, start: t.start, end: t.end}, c.before[0], c.before[1]
	if before.kind == wordToken && before.end == t.start && c.is(before, "X") {
		x = constant{form: quotedHex, start: before.start, end: t.end}
		before, last = last, c.before[2]
		if !isQuotedHex(c.text(t)) {
			return
		}
	}
	if next.kind != stringToken && c.expects(before, last) {
		c.add(x)
	}
}

// add notes a literal. It is free if it is not a position, and not in a place that has other literals than free ones.
func (c *constants) add(x constant) {
	top := c.top()
	x.free = !top.fixed && !top.list
	if top.by && (c.punct(c.before[0], ',') || c.punct(c.before[0], '(')) {
		x.free = false
	}
	c.list = append(c.list, x)
}

// expects tells whether an operand must follow the token; last is the one before it. A word behind a dot is a name, and
// behind -> stands a path.
func (c *constants) expects(t, last token) bool {
	switch {
	case t.kind == punctToken:
		return strings.IndexByte("=<>!(,+*/%&|^~", c.sql[t.start]) >= 0 && !isArrow(c.sql[:t.end])
	case t.kind != wordToken || c.punct(last, '.'):
		return false
	}
	var b [maxWord]byte
	switch string(c.fold(t, &b)) {
	case "ALL", "AND", "BETWEEN", "CASE", "DISTINCT", "DIV", "ELSE", "HAVING", "LIKE", "MOD", "NOT", "ON", "OR", "REGEXP", "RLIKE",
		"SELECT", "THEN", "WHEN", "WHERE", "XOR":
		return true
	}
	return false
}

// isArrow tells whether -> or ->> is at the end.
func isArrow(text string) bool {
	return strings.HasSuffix(text, "->") || strings.HasSuffix(text, "->>")
}

// maxDigits is how many digits a decimal number can have on all servers.
const maxDigits = 65

// numberForm returns the form of what starts with a digit, 0 for what is of none: 1e5, 1., 1st, 007, 0b1, or a number
// that is too large.
func numberForm(text string) form {
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		if isHex(rest) {
			return hexForm
		}
		return 0
	}
	whole, fraction, point := strings.Cut(text, ".")
	if !areDigits(whole) || whole[0] == '0' && len(whole) > 1 {
		return 0
	}
	if point {
		if areDigits(fraction) && len(whole)+len(fraction) <= maxDigits {
			return decimalForm
		}
		return 0
	}
	if _, err := strconv.ParseUint(text, 10, 64); err != nil {
		return 0
	}
	return wholeForm
}

func areDigits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func isHex(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 || !isHexDigit(byte(r)) }) < 0
}

func isHexDigit(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isQuotedHex tells whether the text is '1f', an even number of digits, as it must be behind an x.
func isQuotedHex(text string) bool {
	return text[0] == '\'' && len(text)%2 == 0 && isHex(text[1:len(text)-1])
}
