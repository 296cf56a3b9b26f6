package statement

import "bytes"

// AppendStripped adds a text to dst without the comments and blanks at its beginning and its end, and those directly behind
// the word SELECT that begins it. These are in nobody's way: a server gives the same answer with and without them, and calls
// the columns the same. Comments inside of an expression are another matter, since they are a part of the column's name.
//
// It is for texts in UTF-8 under a sql_mode that is [Strippable]. Comments that are code, optimizer
// hints and directives stay. A text that could be read in more than one way is added as it is. It allocates nothing but what
// dst needs.
func AppendStripped(dst, text []byte) []byte {
	t := stripper{text: text}
	from := t.gap(0)
	to := from
	for to < len(text) && isWordByte(text[to]) && text[to] != '$' {
		to++
	}
	kept := len(dst)
	if behind := t.gap(to); behind > to && bytes.EqualFold(text[from:to], []byte("SELECT")) {
		dst = append(append(dst, text[from:to]...), ' ')
		from, to = behind, behind
	}
	for at := t.gap(to); at < len(text) && !t.odd; at = t.gap(to) {
		to = t.token(at)
	}
	if t.odd || to == from {
		return append(dst[:kept], text...)
	}
	return append(dst, text[from:to]...)
}

// Strippable reports whether texts under a sql_mode may be stripped: quotes and backslashes mean what they mean by default.
func Strippable(sqlMode string) bool {
	m := parseModes(sqlMode)
	return !m.ansiQuotes && !m.noBackslash && m.foreign == ""
}

// stripper finds the ends of tokens and of what is between them.
type stripper struct {
	text []byte
	odd  bool // the text may mean another thing than it seems to
}

// gap returns where the next token begins: behind blanks and plain comments.
func (t *stripper) gap(at int) int {
	for at < len(t.text) {
		rest := t.text[at:]
		switch {
		case isSpace(rest[0]):
			at++
		case rest[0] == '#', len(rest) > 1 && rest[0] == '-' && rest[1] == '-' && (len(rest) == 2 || isSpace(rest[2])):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return len(t.text)
			}
			at += end + 1
		case bytes.HasPrefix(rest, []byte("/*")):
			end := t.comment(rest)
			if end == 0 {
				return at
			}
			at += end
		default:
			return at
		}
	}
	return at
}

// comment returns the length of a plain comment; 0 if it is one that says something.
func (t *stripper) comment(rest []byte) int {
	end := bytes.Index(rest[2:], []byte("*/")) + 4
	switch {
	case end < 4, bytes.HasPrefix(rest, []byte("/*!")), bytes.HasPrefix(rest, []byte("/*M!")), bytes.HasPrefix(rest, []byte("/*T!")):
		t.odd = true
		return 0
	case rest[2] == '+', speaksToWeir(rest[:end]):
		return 0
	}
	return end
}

// speaksToWeir finds directives, and what may be one.
func speaksToWeir(comment []byte) bool {
	for i := 0; i+5 <= len(comment); i++ {
		if bytes.EqualFold(comment[i:i+5], []byte("weir:")) {
			return true
		}
	}
	return false
}

// token returns the end of the token, or of a piece of it, that begins there.
func (t *stripper) token(at int) int {
	switch c := t.text[at]; {
	case c == '\'' || c == '"' || c == '`':
		return t.quoted(at)
	case c == '/' && at+1 < len(t.text) && t.text[at+1] == '*': // a hint or a directive
		return at + bytes.Index(t.text[at+2:], []byte("*/")) + 4
	case c == '$', c < ' ', c == 0x7f, // $$ quotes to newer servers
		c == '-' && at > 0 && t.text[at-1] == '-': // it would begin a comment, were there nothing behind it
		t.odd = true
	}
	return at + 1
}

func (t *stripper) quoted(at int) int {
	quote := t.text[at]
	for i := at + 1; i < len(t.text); i++ {
		switch {
		case t.text[i] == '\\' && quote != '`':
			i++
		case t.text[i] == quote: // two of them are two strings, to us
			return i + 1
		}
	}
	t.odd = true
	return len(t.text)
}
