package statement

import (
	"slices"
	"strings"
)

// A normalizer writes a text anew, without what does not count for its digest.
type normalizer struct {
	*lexer
	out    []piece
	opened []int // where in out the open parentheses are
}

// piece is what is written; tight says that no blank stands between it and the one before.
type piece struct {
	text  string
	tight bool
	end   int  // in the text that is read
	name  bool // a name, after which a parenthesis has arguments
}

// What stands for a literal, and for several of them in parentheses.
const (
	aLiteral = "?"
	aList    = "(...)"
)

func (n *normalizer) step(t token) {
	switch text := n.text(t); t.kind {
	case numberToken:
		n.number(t)
	case stringToken:
		n.string(t)
	case wordToken:
		upper := strings.ToUpper(text)
		reserved := reservedWords()[upper] && !n.after(".")
		if reserved {
			text = upper
		}
		n.add(piece{text: text, end: t.end, name: !reserved})
	case quotedToken:
		n.add(piece{text: unquoted(text), end: t.end, name: true})
	case variableToken:
		if i := strings.IndexAny(text, `'"`); i >= 0 { // the host of an account
			text = text[:i] + aLiteral
		}
		n.add(piece{text: text, end: t.end, tight: n.after(aLiteral) && n.ends(t)})
	default:
		n.punctuation(t, text)
	}
}

// last returns the word that is i before the next one.
func (n *normalizer) last(i int) piece {
	if i >= len(n.out) {
		return piece{}
	}
	return n.out[len(n.out)-1-i]
}

func (n *normalizer) after(text string) bool { return n.last(0).text == text }

// ends reports whether nothing stands between the word before and t.
func (n *normalizer) ends(t token) bool { return len(n.out) > 0 && n.last(0).end == t.start }

func (n *normalizer) add(w piece) {
	w.tight = w.tight || n.after("(") || n.after(".")
	n.out = append(n.out, w)
}

// number writes a literal, also of .5. A sign is a part of it where no operand is before.
func (n *normalizer) number(t token) {
	if n.after(".") && !n.last(1).name {
		n.out = n.out[:len(n.out)-1]
	}
	if n.after("-") || n.after("+") {
		if before := n.last(1); !before.name && before.text != ")" && before.text != aLiteral && before.text != aList {
			n.out = n.out[:len(n.out)-1]
		}
	}
	n.literal(t)
}

// string writes a literal, together with what makes it another one: x'1f', N'a', _latin1'a', 'a' 'b'.
func (n *normalizer) string(t token) {
	if w := n.last(0); n.after(aLiteral) || w.name && (n.ends(t) && isPrefix(w.text) || strings.HasPrefix(w.text, "_")) {
		n.out = n.out[:len(n.out)-1]
	}
	n.literal(t)
}

func isPrefix(text string) bool {
	return strings.EqualFold(text, "x") || strings.EqualFold(text, "b") || strings.EqualFold(text, "n")
}

func (n *normalizer) literal(t token) { n.add(piece{text: aLiteral, end: t.end}) }

func (n *normalizer) punctuation(t token, text string) {
	w := piece{text: text, end: t.end}
	switch text {
	case ",", ".", ";":
		w.tight = true
	case "(":
		w.tight = n.last(0).name
		n.opened = append(n.opened, len(n.out))
	case ")":
		n.close(t)
		return
	default:
		if n.ends(t) && isOperator(n.last(0).text+text) {
			n.out[len(n.out)-1].text += text
			n.out[len(n.out)-1].end = t.end
			return
		}
	}
	n.add(w)
}

func isOperator(text string) bool {
	switch text {
	case "<=", ">=", "<>", "!=", ":=", "||", "&&", "<<", ">>", "->", "->>", "<=>":
		return true
	}
	return false
}

// close ends a parenthesis. One with nothing but literals is a list, of whatever length, and several lists in a row are one.
func (n *normalizer) close(t token) {
	if len(n.opened) == 0 {
		n.add(piece{text: ")", end: t.end, tight: true})
		return
	}
	from := n.opened[len(n.opened)-1]
	n.opened = n.opened[:len(n.opened)-1]
	if !n.isList(from) {
		n.add(piece{text: ")", end: t.end, tight: true})
		return
	}
	list := piece{text: aList, end: t.end, tight: n.out[from].tight}
	n.out = n.out[:from]
	if n.after(",") && n.last(1).text == aList {
		n.out = n.out[:len(n.out)-1]
		n.out[len(n.out)-1].end = t.end
		return
	}
	n.add(list)
}

// isList reports whether what stands behind the parenthesis at from is two literals or more; or one, or lists, where the
// length of the list may be another one in the next text.
func (n *normalizer) isList(from int) bool {
	literals := 0
	for _, w := range n.out[from+1:] {
		switch w.text {
		case aLiteral:
			literals++
		case aList:
			literals += 2
		case ",":
		default:
			return false
		}
	}
	varies := from > 0 && slices.Contains([]string{"IN", "VALUES", ","}, n.out[from-1].text)
	if varies && n.out[from-1].text == "," {
		varies = from > 1 && n.out[from-2].text == aList
	}
	return literals > 1 || literals == 1 && varies
}

// cut ends the text here. A list that is begun is left out, whose length would count.
func (n *normalizer) cut() {
	if len(n.opened) > 0 {
		n.out = n.out[:n.opened[0]]
	}
	n.out = append(n.out, piece{text: "..."})
}

// String returns what was written.
func (n *normalizer) String() string {
	var b strings.Builder
	for i, w := range n.out {
		if i > 0 && !w.tight {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return strings.TrimRight(b.String(), "; ")
}
