package ddlwatch

// quoting is how a session quotes, as far as its sql_mode decides it. The text does not tell.
type quoting struct {
	// backslash in a string hides the byte after it; not so under NO_BACKSLASH_ESCAPES.
	backslash bool
	// ansi makes "x" a name, as ANSI_QUOTES does. A backslash is an ordinary character in names.
	ansi bool
}

// lexer cuts a text into tokens. It is a value: a copy of it looks ahead.
type lexer struct {
	sql string
	pos int
	quoting
	exec executable
	// failed is why the lexer, or whoever uses it, gave up. There are no tokens after that.
	failed string
	// impossible says that a server with this quoting would have refused the text: the reading did not happen.
	impossible bool
}

// unsure gives up: what the text says cannot be told.
func (l *lexer) unsure(reason string) {
	if l.failed == "" {
		l.failed = reason
	}
}

// refuse gives up: no server would have accepted the text under this quoting.
func (l *lexer) refuse(reason string) {
	if l.failed == "" {
		l.failed, l.impossible = reason, true
	}
}

// next returns the next token, of kind end after the last and after a failure.
func (l *lexer) next() token {
	l.skipBlank()
	if l.failed != "" || l.pos == len(l.sql) {
		return token{kind: end, off: l.pos}
	}
	start, maybe := l.pos, l.exec.maybe
	k := l.scan(l.sql[l.pos])
	if l.failed != "" {
		return token{kind: end, off: start}
	}
	return token{kind: k, src: l.sql[start:l.pos], off: start, maybe: maybe}
}

// scan moves past the token that starts with c.
func (l *lexer) scan(c byte) kind {
	switch {
	case isWord(c):
		return l.word()
	case c == '`':
		return l.quote(c, false, quoted)
	case c == '"' && l.ansi:
		return l.quote(c, false, quoted)
	case c == '"', c == '\'':
		return l.quote(c, l.backslash, text)
	case c == '@':
		return l.variable()
	case c == '\\':
		return l.stray()
	}
	l.pos++
	return mark
}

func (l *lexer) word() kind {
	for l.pos < len(l.sql) && isWord(l.sql[l.pos]) {
		l.pos++
	}
	l.wide()
	return word
}

// variable reads @, @@ and what follows without quotes: a host name or a variable with its scope.
func (l *lexer) variable() kind {
	for l.pos++; l.pos < len(l.sql); l.pos++ {
		if c := l.sql[l.pos]; !isWord(c) && c != '.' && c != '@' {
			break
		}
	}
	l.wide()
	return at
}

// stray reads a backslash outside quotes. \N is an old way to write NULL; nothing else is legal.
func (l *lexer) stray() kind {
	l.pos++
	if l.pos == len(l.sql) || l.sql[l.pos] != 'N' {
		l.refuse("a backslash outside quotes")
	}
	return mark
}

// quote reads to the closing q. A doubled q stands for itself.
func (l *lexer) quote(q byte, escapes bool, k kind) kind {
	for l.pos++; l.pos < len(l.sql); l.pos++ {
		c := l.sql[l.pos]
		if c == '\\' && escapes || c == '`' && q == '`' {
			l.wide()
		}
		switch {
		case c == '\\' && escapes:
			l.pos++
		case c == q && l.byteAt(l.pos+1) == q:
			l.pos++
		case c == q:
			l.pos++
			return k
		}
	}
	l.pos = len(l.sql)
	l.refuse("a quote is not closed")
	return k
}

// wide gives up if the byte here could be the second half of a character. In GBK, Big5 and Shift-JIS a backslash or
// a backtick after a byte outside ASCII may be one, and the text does not tell its character set. Quotes of the
// other kinds never are.
func (l *lexer) wide() {
	if c := l.byteAt(l.pos); (c == '\\' || c == '`') && l.byteAt(l.pos-1) >= 0x80 {
		l.unsure("a character set decides where a quote ends")
	}
}

// byteAt returns a byte of the text, 0 outside of it.
func (l *lexer) byteAt(i int) byte {
	if i < 0 || i >= len(l.sql) {
		return 0
	}
	return l.sql[i]
}
