package statement

import "strings"

// codeComments is about comments whose content a server may run: /*! ... */, /*!80000 ... */ and MariaDB's /*M! ... */.
type codeComments struct {
	// out, if not nil, is a copy of the text in which the comments are replaced by blanks: the marks alone where the
	// content runs, everything where it does not.
	out []byte
	// skipDoubtful says to blank the comments of which it depends on the server whether they run.
	skipDoubtful bool
	// any and doubtful say that there was such a comment.
	any, doubtful bool
	// open is how many comments that run are not closed yet.
	open int
}

// readings is what a text with code in comments may say. Every server runs /*! and /*!NNNNN below 50700; the rest
// depends on its version: MySQL takes /*M! for a plain comment, MariaDB does so with 50700 to 99999.
type readings struct {
	// with is the text with the content of all such comments, without is the one with none that are doubtful. Both
	// have the length of the original. They are equal if nothing is doubtful.
	with, without string
	// code says that there was such a comment at all.
	code bool
}

// read resolves the comments of sql that contain code.
func read(sql string, mode lexMode) readings {
	if !strings.Contains(sql, "/*!") && !strings.Contains(sql, "/*M!") {
		return readings{with: sql, without: sql}
	}
	with, c := blank(sql, mode, false)
	without := with
	if c.doubtful {
		without, _ = blank(sql, mode, true)
	}
	return readings{with: with, without: without, code: c.any}
}

func (r readings) doubtful() bool { return r.with != r.without }

func blank(sql string, mode lexMode, skipDoubtful bool) (string, codeComments) {
	l := newLexer(sql, mode)
	l.code = codeComments{out: []byte(sql), skipDoubtful: skipDoubtful}
	for l.next().kind != endToken {
	}
	return string(l.code.out), l.code
}

// comment moves over one comment, or into or out of one whose content runs.
func (l *lexer) comment() bool {
	switch rest := l.sql[l.pos:]; {
	case rest[0] == '#', strings.HasPrefix(rest, "--") && startsDashComment(rest):
		l.lastComment = l.pos
		l.line()
	case strings.HasPrefix(rest, "/*"):
		l.lastComment = l.pos
		l.block(rest)
	case l.code.open > 0 && strings.HasPrefix(rest, "*/"):
		l.code.open--
		l.erase(2)
	default:
		return false
	}
	return true
}

// startsDashComment tells whether -- starts a comment: only before white space, a control character, or the end.
func startsDashComment(rest string) bool { return len(rest) == 2 || rest[2] <= ' ' || rest[2] == 0x7f }

func (l *lexer) line() {
	if n := strings.IndexByte(l.sql[l.pos:], '\n'); n >= 0 {
		l.pos += n + 1
		return
	}
	l.pos = len(l.sql)
}

func (l *lexer) block(rest string) {
	mark, certain := codeMark(rest)
	switch {
	case mark > 0:
		l.codeBlock(mark, certain)
	case strings.HasPrefix(rest, "/*T!"):
		l.tidb = true
		l.plainBlock(rest)
	case strings.HasPrefix(rest, "/*+"):
		l.hint(rest)
	default:
		l.plainBlock(rest)
	}
}

// codeMark returns the length of the mark that opens a comment with code, 0 if rest does not start with one, and
// whether every supported server runs the content.
func codeMark(rest string) (length int, certain bool) {
	switch {
	case strings.HasPrefix(rest, "/*M!"):
		length = len("/*M!")
	case strings.HasPrefix(rest, "/*!"):
		length, certain = len("/*!"), true
	default:
		return 0, false
	}
	digits := 0
	for digits < 6 && length+digits < len(rest) && isDigit(rest[length+digits]) {
		digits++
	}
	if digits < 5 {
		return length, certain
	}
	version := rest[length : length+digits]
	return length + digits, certain && digits == 5 && version < "50700"
}

func (l *lexer) codeBlock(mark int, certain bool) {
	l.code.any = true
	l.code.doubtful = l.code.doubtful || !certain
	if l.code.out != nil && (certain || !l.code.skipDoubtful) {
		l.code.open++
		l.erase(mark)
		return
	}
	l.nestedBlock(mark)
}

// nestedBlock skips a comment whose content does not run. Servers allow one comment inside it.
func (l *lexer) nestedBlock(mark int) {
	start := l.pos
	l.pos += mark
	for depth := 1; depth > 0; {
		open, end := strings.Index(l.sql[l.pos:], "/*"), strings.Index(l.sql[l.pos:], "*/")
		switch {
		case end < 0:
			l.strange("open comment")
			l.pos, depth = len(l.sql), 0
		case depth == 1 && open >= 0 && open < end:
			l.pos, depth = l.pos+open+2, 2
		default:
			l.pos, depth = l.pos+end+2, depth-1
		}
	}
	if l.code.out != nil {
		overwrite(l.code.out[start:l.pos])
	}
}

// erase blanks n bytes and moves over them.
func (l *lexer) erase(n int) {
	overwrite(l.code.out[l.pos : l.pos+n])
	l.pos += n
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// plainBlock skips a comment that nobody runs. It ends at the first */.
func (l *lexer) plainBlock(rest string) {
	end := strings.Index(rest[2:], "*/")
	if end < 0 {
		l.strange("open comment")
		l.pos = len(l.sql)
		return
	}
	if l.watch {
		l.plain = append(l.plain, rest[:end+4])
	}
	l.pos += end + 4
}

// hint skips an optimizer hint. Servers know quotes in hints, the TiDB parser does not.
func (l *lexer) hint(rest string) {
	start := l.pos
	l.plainBlock(rest)
	text := l.sql[start:l.pos]
	if strings.ContainsAny(text, `'"`) || strings.Count(text, "`")%2 != 0 {
		l.strange("quotes in a hint")
	}
	l.hints = append(l.hints, text)
}
