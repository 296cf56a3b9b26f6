package ddlwatch

import "strings"

// executable is the state of an executable comment, whose contents are code: /*! for all servers, /*!50100 from a
// version on, /*M! for MariaDB alone.
type executable struct {
	open bool
	// maybe says that only some servers execute it.
	maybe bool
	// close is where the comment ends for a server that does not.
	close int
}

// certainVersion is the last version that every server executes: MySQL from 5.7 and MariaDB from 10.0 on. MariaDB
// ignores 50700 to 99999, where MySQL has syntax of its own.
const certainVersion = "50699"

// skipBlank moves past white space and comments, and into and out of executable ones.
func (l *lexer) skipBlank() {
	for l.failed == "" && l.skipOne() {
	}
}

// skipOne skips one of them, and says whether there was one.
func (l *lexer) skipOne() bool {
	rest := l.sql[l.pos:]
	switch {
	case rest == "":
		l.checkClosed()
		return false
	case isSpace(rest[0]):
		l.pos++
	case rest[0] == '#', isDashes(rest):
		l.skipLine()
	case l.exec.open && strings.HasPrefix(rest, "*/"):
		l.closeExecutable()
	case strings.HasPrefix(rest, "/*"):
		l.comment(rest)
	default:
		return false
	}
	return true
}

// isDashes says whether a comment begins with two dashes and a blank or control character.
func isDashes(s string) bool {
	return strings.HasPrefix(s, "--") && (len(s) == 2 || s[2] <= ' ' || s[2] == 0x7f)
}

func (l *lexer) skipLine() {
	n := strings.IndexByte(l.sql[l.pos:], '\n')
	if n < 0 {
		l.pos = len(l.sql)
		return
	}
	l.pos += n + 1
}

// comment reads the start of an executable comment or the whole of another. Servers differ in what a comment inside
// an executable one does.
func (l *lexer) comment(rest string) {
	n := strings.Index(rest[2:], "*/")
	switch {
	case l.exec.open:
		l.unsure("a comment inside an executable comment")
	case n < 0:
		l.refuse("a comment is not closed")
	case strings.HasPrefix(rest, "/*!"):
		l.openExecutable(3, false, l.pos+2+n)
	case strings.HasPrefix(rest, "/*M!"):
		l.openExecutable(4, true, l.pos+2+n)
	default:
		l.pos += 2 + n + 2
	}
}

// openExecutable moves past the start of the comment, n bytes, and its version. Fewer than five digits are no
// version but code; with six, servers disagree about the last.
func (l *lexer) openExecutable(n int, maybe bool, close int) {
	l.pos += n
	digits := 0
	for isDigit(l.byteAt(l.pos + digits)) {
		digits++
	}
	if digits >= 5 {
		maybe = maybe || digits > 5 || l.sql[l.pos:l.pos+digits] > certainVersion
		l.pos += digits
	}
	l.exec = executable{open: true, maybe: maybe, close: close}
}

// closeExecutable checks that the comment ends at the same place whether or not it is executed: a string in it may
// contain the end of a comment.
func (l *lexer) closeExecutable() {
	if l.exec.maybe && l.exec.close != l.pos {
		l.unsure("an executable comment ends in different places")
	}
	l.exec = executable{}
	l.pos += 2
}

func (l *lexer) checkClosed() {
	if l.exec.open {
		l.refuse("a comment is not closed")
	}
}
