package ddlwatch

import "strings"

// kind tells tokens apart.
type kind uint8

const (
	// end is the end of the text, or the place where the lexer gave up.
	end kind = iota
	// word is a run of letters, digits, $, _ and bytes outside ASCII: a keyword, a name or a number.
	word
	// quoted is a name in backticks, or in double quotes under ANSI_QUOTES.
	quoted
	// text is a string.
	text
	// at is @ and the variable or host name that follows it without quotes.
	at
	// mark is any other byte.
	mark
)

// token is a piece of the text, with its quotes.
type token struct {
	kind kind
	src  string
	off  int
	// maybe says that it is inside a comment that only some servers execute.
	maybe bool
}

// is compares with an upper-case keyword. Equal lengths keep Unicode folding out: the letters that fold to ASCII
// ones are longer in UTF-8.
func (t token) is(keyword string) bool {
	return t.kind == word && len(t.src) == len(keyword) && strings.EqualFold(t.src, keyword)
}

func (t token) isMark(c byte) bool { return t.kind == mark && t.src[0] == c }

// next says that t follows u with nothing in between.
func (t token) next(u token) bool { return t.off == u.off+len(u.src) }

// unquote returns a name without its quotes.
func (t token) unquote() string {
	if t.kind != quoted {
		return t.src
	}
	q := t.src[:1]
	return strings.ReplaceAll(t.src[1:len(t.src)-1], q+q, q)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
