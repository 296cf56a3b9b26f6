package statement

import "strings"

// names is SET NAMES. The order matters: setting a character set also sets its default collation.
func (l *setList) names() bool {
	if l.punct(l.cur, '=') {
		return false
	}
	charset, literal := l.one()
	for _, name := range []string{"character_set_client", "character_set_results", "character_set_connection"} {
		l.add(SessionScope, name, charset, literal)
	}
	if l.accept("COLLATE") {
		collation, literal := l.one()
		l.add(SessionScope, "collation_connection", collation, literal)
	}
	return charset != ""
}

// characterSet is SET CHARACTER SET, which takes the connection's character set and collation from the database.
func (l *setList) characterSet() bool {
	charset, literal := l.one()
	l.add(SessionScope, "character_set_client", charset, literal)
	l.add(SessionScope, "character_set_results", charset, literal)
	l.add(SessionScope, "collation_connection", "@@collation_database", false)
	return charset != ""
}

// one takes a value of one token.
func (l *setList) one() (value string, literal bool) {
	t := l.advance()
	value = l.text(t)
	if plain, ok := plainString(value); ok && t.kind == stringToken {
		return "'" + plain + "'", true
	}
	return value, t.kind == wordToken || t.kind == quotedToken
}

// transaction is SET [GLOBAL | SESSION] TRANSACTION characteristics.
func (l *setList) transaction() bool {
	scope := l.scope
	if !l.keyword {
		scope = NextTransaction
	}
	for {
		switch {
		case l.accept("ISOLATION", "LEVEL"):
			l.add(scope, l.spelled("isolation"), "'"+l.level()+"'", true)
		case l.accept("READ", "ONLY"):
			l.add(scope, l.spelled("read_only"), "1", true)
		case l.accept("READ", "WRITE"):
			l.add(scope, l.spelled("read_only"), "0", true)
		default:
			return false
		}
		if !l.acceptPunct(',') {
			return l.cursor.done()
		}
	}
}

// spelled returns the variable's name. MariaDB knows transaction_isolation only since 11.1, MySQL 8 knows nothing else.
func (l *setList) spelled(what string) string {
	if l.flavor == MariaDB {
		return "tx_" + what
	}
	return "transaction_" + what
}

// level takes the words of an isolation level.
func (l *setList) level() string {
	words := []string{l.word()}
	l.advance()
	if l.cur.kind == wordToken {
		words = append(words, l.word())
		l.advance()
	}
	return strings.Join(words, "-")
}
