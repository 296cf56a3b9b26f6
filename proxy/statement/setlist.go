package statement

import "strings"

// setList reads the items of a SET, separated by commas. Its methods return false if they do not know the syntax.
type setList struct {
	*cursor
	flavor Flavor
	bare   map[string]bool
	// scope is that of the last keyword: SET GLOBAL a = 1, b = 2 sets two global variables.
	scope    Scope
	keyword  bool
	password bool
	done     []Assignment
}

func (l *setList) read() bool {
	for {
		if !l.item() {
			return false
		}
		if !l.acceptPunct(',') {
			return l.cursor.done()
		}
	}
}

func (l *setList) item() bool {
	l.scopeWord()
	switch {
	case l.accept("TRANSACTION"):
		return l.transaction()
	case l.accept("NAMES"):
		return l.names()
	case l.accept("CHARSET"), l.accept("CHARACTER", "SET"), l.accept("CHAR", "SET"):
		return l.characterSet()
	case l.accept("PASSWORD"):
		l.password = true
		l.skipValue()
		return true
	case l.cur.kind == variableToken:
		return l.variable(l.text(l.advance()))
	}
	return l.plain()
}

// scopeWord takes GLOBAL, SESSION and so on.
func (l *setList) scopeWord() {
	scope, ok := scopes[strings.ToLower(l.word())]
	if !ok {
		return
	}
	l.scope, l.keyword = scope, true
	l.advance()
}

var scopes = map[string]Scope{
	"session": SessionScope, "local": SessionScope, "global": GlobalScope,
	"persist": PersistScope, "persist_only": PersistScope,
}

// variable is @x or @@x. A scope in front of @@x holds for it alone.
func (l *setList) variable(text string) bool {
	if !strings.HasPrefix(text, "@@") {
		return l.value(UserScope, strings.ToLower(unquote(text[1:])))
	}
	name, scope := strings.ToLower(unquote(text[2:])), SessionScope
	prefix, rest, ok := strings.Cut(name, ".")
	if s, known := scopes[prefix]; ok && known {
		name, scope = rest, s
	} else if isTransactionVariable(name) {
		scope = NextTransaction
	}
	if l.acceptPunct('.') {
		name += "." + strings.ToLower(l.name())
	}
	return l.value(scope, name)
}

// isTransactionVariable tells the variables that SET @@x, without a scope, sets for the next transaction alone.
func isTransactionVariable(name string) bool {
	switch name {
	case "transaction_isolation", "tx_isolation", "transaction_read_only", "tx_read_only":
		return true
	}
	return false
}

// plain is a system variable without @@, whose name may have a dot.
func (l *setList) plain() bool {
	name := strings.ToLower(l.name())
	if l.acceptPunct('.') {
		name += "." + strings.ToLower(l.name())
	}
	return name != "" && l.value(l.scope, name)
}

// value reads = or := and a value.
func (l *setList) value(scope Scope, name string) bool {
	l.acceptPunct(':')
	if name == "" || !l.acceptPunct('=') {
		return false
	}
	value, literal := l.literal()
	l.add(scope, name, value, literal)
	return value != ""
}

// add notes an assignment. One to a name that would need quotes cannot be said again as it is.
func (l *setList) add(scope Scope, name, value string, literal bool) {
	l.done = append(l.done, Assignment{Scope: scope, Name: name, Value: value, Literal: literal && isPlain(name)})
}

// isPlain reports whether a variable's name, which may have a dot, can stand in a text without quotes.
func isPlain(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || isDigit(part[0]) || strings.ContainsFunc(part, func(r rune) bool { return r > 0x7e || !isWordByte(byte(r)) }) {
			return false
		}
	}
	return true
}

// literal takes the value up to the next comma. Strings come back in single quotes, which every sql_mode reads alike.
func (l *setList) literal() (value string, literal bool) {
	start := l.cur
	first := start
	if l.punct(first, '-') || l.punct(first, '+') {
		l.advance()
		first = l.cur
		literal = first.kind == numberToken
	} else {
		literal = l.isLiteral(first)
	}
	end := l.skipValue()
	value = l.sql[start.start:end]
	if end != first.end {
		return value, false
	}
	if first.kind != stringToken && !strings.HasPrefix(value, `"`) { // a name to ANSI_QUOTES, and a string without
		return value, literal
	}
	if plain, ok := plainString(value); ok {
		return "'" + strings.ReplaceAll(plain, "'", "''") + "'", true
	}
	return value, false
}

func (l *setList) isLiteral(t token) bool {
	switch t.kind {
	case stringToken, numberToken, quotedToken:
		return true
	case wordToken:
		return !l.bare[strings.ToLower(l.text(t))]
	}
	return false
}

// skipValue moves to the next comma outside of parentheses and returns where the value ends.
func (l *setList) skipValue() (end int) {
	end = l.cur.start
	for depth := 0; !l.cursor.done(); {
		switch {
		case l.punct(l.cur, ',') && depth == 0:
			return end
		case l.punct(l.cur, '('):
			depth++
		case l.punct(l.cur, ')'):
			depth--
		}
		end = l.advance().end
	}
	return end
}

// plainString returns the content of a string in quotes, if it has no backslash: then it does not depend on sql_mode.
func plainString(text string) (string, bool) {
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' || strings.Contains(text, `\`) {
		return "", false
	}
	return unquote(text), true
}
