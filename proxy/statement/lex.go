package statement

import "strings"

type tokenKind uint8

const (
	endToken      tokenKind = iota
	wordToken               // an identifier or keyword without quotes
	quotedToken             // an identifier in backquotes, or in double quotes under ANSI_QUOTES
	stringToken             // '...' or "..."
	numberToken             // whatever starts with a digit, 1st_table included
	variableToken           // @x, @@x, @@global.x, @`x`
	punctToken              // one byte of anything else
)

type token struct {
	kind       tokenKind
	start, end int
}

// A lexer splits a text into tokens as the lexers of MySQL and MariaDB do. It is Weir's own, because kinds and
// statement boundaries must be known for texts that the TiDB parser cannot read, and because it serves as a second
// opinion on those that it can. It never fails: what servers may read in different ways sets odd.
type lexer struct {
	sql  string
	mode lexMode
	pos  int

	// odd says why the text may mean another thing to a server than to this lexer, or is "".
	odd string
	// hints are the contents of /*+ comments.
	hints []string
	// lastComment is where the last comment starts, or -1.
	lastComment int
	// tidb says that there was a comment whose content the TiDB parser takes for code. Servers do not.
	tidb bool
	code codeComments
	// watch says to collect in plain the comments that nobody runs, except those that end with the line.
	watch bool
	plain []string
}

// lexMode is what changes the boundaries of tokens.
type lexMode struct {
	ansiQuotes, noBackslash bool
	// wide tells for a first byte whether the character may have a second byte in the range of ASCII; nil for
	// character sets that have no such characters.
	wide func(byte) bool
}

func newLexer(sql string, mode lexMode) *lexer {
	return &lexer{sql: sql, mode: mode, lastComment: -1}
}

// next returns the next token, or one of kind endToken at the end of the text.
func (l *lexer) next() token {
	l.skip()
	t := token{start: l.pos}
	if l.pos < len(l.sql) {
		t.kind = l.token(l.sql[l.pos])
	}
	t.end = l.pos
	return t
}

func (l *lexer) token(c byte) tokenKind {
	switch {
	case isDigit(c):
		l.number()
		return numberToken
	case isWordByte(c):
		return l.bareword(c)
	case c == '`' || c == '"' && l.mode.ansiQuotes:
		l.quoted(c)
		return quotedToken
	case c == '\'' || c == '"':
		l.quoted(c)
		return stringToken
	case c == '@':
		l.variable()
		return variableToken
	}
	if c < ' ' || c == 0x7f {
		l.strange("control character")
	}
	l.pos++
	return punctToken
}

func (l *lexer) strange(why string) {
	if l.odd == "" {
		l.odd = why
	}
}

// skip moves over white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.sql) && (l.space() || l.comment()) {
	}
}

func (l *lexer) space() bool {
	start := l.pos
	for l.pos < len(l.sql) && isSpace(l.sql[l.pos]) {
		l.pos++
	}
	return l.pos > start
}

// bareword reads an identifier. Newer MySQL reads text between two dollar tags, $$ ... $$, as a string.
func (l *lexer) bareword(first byte) tokenKind {
	if first == '$' {
		l.strange("dollar quotes")
	}
	l.run()
	return wordToken
}

// run moves over the bytes of an identifier.
func (l *lexer) run() {
	for l.pos < len(l.sql) && isWordByte(l.sql[l.pos]) {
		l.pos += l.width()
	}
}

// number reads a digit and what belongs to it: letters, as in 0xFF and 1st_table, a fraction, an exponent.
func (l *lexer) number() {
	l.run()
	if l.at(0) == '.' {
		for l.pos++; isDigit(l.at(0)); l.pos++ {
		}
		if c := l.at(0) | 0x20; c == 'e' && (isDigit(l.at(1)) || isSign(l.at(1)) && isDigit(l.at(2))) {
			l.pos++
		}
	}
	if c := l.sql[l.pos-1] | 0x20; c == 'e' && isSign(l.at(0)) && isDigit(l.at(1)) {
		l.pos++
	}
	if c := l.sql[l.pos-1]; c|0x20 == 'e' || isSign(c) {
		l.run()
	}
}

// quoted reads a string or a quoted identifier. Only strings have backslash escapes, and a backslash escapes one byte,
// whatever the character set.
func (l *lexer) quoted(quote byte) {
	ident := quote == '`' || quote == '"' && l.mode.ansiQuotes
	for l.pos++; l.pos < len(l.sql); {
		switch c := l.sql[l.pos]; {
		case c == '\\' && !ident && !l.mode.noBackslash, c == quote && l.at(1) == quote:
			l.pos += 2
		case c == quote:
			l.pos++
			return
		default:
			if c == '\\' && ident && quote == '"' {
				l.strange("backslash in a quoted identifier") // an escape to the TiDB parser
			}
			l.pos += l.width()
		}
	}
	l.pos = len(l.sql)
	l.strange("open quote")
}

// variable reads @x, @'x', @@x and @@global.x. A name in quotes after a dot is a token of its own.
func (l *lexer) variable() {
	for l.pos++; l.at(0) == '@'; l.pos++ {
	}
	switch c := l.at(0); c {
	case '`', '"', '\'':
		l.quoted(c)
	default:
		for l.pos < len(l.sql) && (isWordByte(l.sql[l.pos]) || l.sql[l.pos] == '.') {
			l.pos += l.width()
		}
	}
}

// at returns the byte n after the current one, or 0 past the end.
func (l *lexer) at(n int) byte {
	if l.pos+n >= len(l.sql) {
		return 0
	}
	return l.sql[l.pos+n]
}

// width returns how many bytes the current character has; more than 1 only where the second byte could be taken for
// an ASCII character.
func (l *lexer) width() int {
	if l.mode.wide != nil && l.mode.wide(l.at(0)) && isTrail(l.at(1)) {
		return 2
	}
	return 1
}

// text returns the token as it stands in the text.
func (l *lexer) text(t token) string { return l.sql[t.start:t.end] }

// is tells whether t is the word, in any case and without quotes.
func (l *lexer) is(t token, word string) bool {
	return t.kind == wordToken && strings.EqualFold(l.text(t), word)
}

// punct tells whether t is the byte c.
func (l *lexer) punct(t token, c byte) bool { return t.kind == punctToken && l.sql[t.start] == c }

// upper returns the word in upper case, or "" if t is none.
func (l *lexer) upper(t token) string {
	if t.kind != wordToken {
		return ""
	}
	return strings.ToUpper(l.text(t))
}

func isSign(c byte) bool { return c == '+' || c == '-' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
