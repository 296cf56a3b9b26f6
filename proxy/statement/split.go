package statement

// split cuts a text at its semicolons. Texts that consist of nothing but comments are left out. trailing says that a
// comment follows the last semicolon: servers take it for another, empty statement.
func split(in input) (parts []string, trailing bool) {
	l := newLexer(in.sql, in.mode)
	for {
		start := l.pos
		body := bodyWatch{lexer: l}
		t := l.next()
		first := t
		for ; t.kind != endToken && (!l.punct(t, ';') || body.open); t = l.next() {
			body.step(t)
		}
		if first != t {
			parts = append(parts, in.sql[start:t.start])
		}
		if t.kind == endToken {
			return parts, first == t && l.lastComment >= start && len(parts) > 0
		}
	}
}

// bodyWatch recognises statements with a body of several statements: stored programs, and MariaDB's compound
// statements. Where a body ends is not looked for; whatever follows counts as part of it.
type bodyWatch struct {
	*lexer
	words int
	first string
	open  bool
}

func (b *bodyWatch) step(t token) {
	word := b.upper(t)
	b.words++
	if b.words == 1 {
		b.first = word
	}
	b.open = b.open || b.opens(word)
}

func (b *bodyWatch) opens(word string) bool {
	switch word {
	case "PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE":
		return b.first == "CREATE" || b.first == "ALTER"
	case "NOT":
		return b.first == "BEGIN" && b.words == 2
	case "IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR", "DECLARE":
		return b.words == 1
	}
	return false
}
