package statement

// LexemeKind is what a [Lexeme] is.
type LexemeKind uint8

// Kinds of lexemes.
const (
	// Word is a name or keyword without quotes, Quoted a name in quotes.
	Word LexemeKind = iota
	Quoted
	// String is a text in quotes.
	String
	// Number is whatever starts with a digit.
	Number
	// Other is one byte of punctuation, or a variable.
	Other
)

// Lexeme is the smallest part of a text that means something. Text is what stands between Start and End; of a name in
// quotes, and of a string, without the quotes. Plain says of a string that nothing in it is escaped.
type Lexeme struct {
	Kind       LexemeKind
	Start, End int
	Text       string
	Plain      bool
}

// Lexemes splits a text as servers do, without comments. It is for those who replace a part of a text or read a simple
// one themselves. sure is false where a server may read the text otherwise: then nobody should.
func Lexemes(sql string, env Env) (list []Lexeme, sure bool) {
	in := newInput(sql, &env)
	l := newLexer(sql, in.mode)
	for t := l.next(); t.kind != endToken; t = l.next() {
		list = append(list, lexeme(l.text(t), t))
	}
	return list, l.odd == "" && !l.code.any && !l.tidb && in.modes.foreign == ""
}

func lexeme(text string, t token) Lexeme {
	x := Lexeme{Kind: Other, Start: t.start, End: t.end, Text: text}
	switch t.kind {
	case wordToken:
		x.Kind = Word
	case numberToken:
		x.Kind = Number
	case quotedToken:
		x.Kind, x.Text = Quoted, unquote(text)
	case stringToken:
		x.Kind, x.Text = String, unquote(text)
		x.Plain = unescaped(x.Text)
	}
	return x
}

// unescaped: nothing that is an escape in some mode, and nothing that depends on a character set.
func unescaped(text string) bool {
	for i := range len(text) {
		if text[i] == '\\' || text[i] >= 0x80 || text[i] < ' ' {
			return false
		}
	}
	return true
}
