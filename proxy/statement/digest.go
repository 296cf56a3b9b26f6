package statement

import (
	"slices"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/zeebo/xxh3"
)

// A Digest is what all texts have in common that differ in nothing but literals, comments, blanks, the case of reserved words,
// and the lengths of lists of literals, in one default database. It is for those who count by statement, and show what they
// have counted: its text has no literal, and is safe to be seen by those who must not see them.
type Digest struct {
	// ID is never zero, and the same in every process. Two digests that are not alike seldom have the same one.
	ID           uint64
	Schema, Text string
}

// UnreadableText is shown in place of texts of which it is not certain what in them is a literal.
const UnreadableText = "(a statement that cannot be read)"

// maxDigested is how much of a text counts, in bytes: an INSERT may have thousands of rows.
const maxDigested = 8 << 10

// maxDigestText is how much of a text is shown, in bytes. The rest counts for the ID.
const maxDigestText = 2 << 10

// digestOf returns the digest of a text, given its readings and its analysis.
func digestOf(in input, texts readings, st Statement) *Digest {
	d := &Digest{Schema: in.env.Schema, Text: digestText(in, texts, st)}
	d.ID = max(xxh3.HashString(d.Schema+"\x00"+d.Text), 1)
	if len(d.Text) > maxDigestText {
		d.Text = strings.ToValidUTF8(d.Text[:maxDigestText], "") + " ..."
	}
	return d
}

// digestText is cautious: a text that servers may read in another way than Weir does could have its literals elsewhere; and
// what is not a statement at all may be anything that somebody has pasted, such as a password.
func digestText(in input, texts readings, st Statement) string {
	if st.Kind == Unknown || st.Reason == Unparsable || in.modes.foreign != "" || texts.doubtful() || !asciiSuperset(in.env.Charset) {
		return UnreadableText
	}
	n := normalizer{lexer: newLexer(texts.with, in.mode)}
	for t := n.next(); t.kind != endToken && n.odd == ""; t = n.next() {
		if t.end > maxDigested {
			n.cut()
			break
		}
		n.step(t)
	}
	if n.odd != "" || n.tidb {
		return UnreadableText
	}
	n.hidePassword()
	return strings.ToValidUTF8(n.String(), "�")
}

// hidePassword takes a name for a literal where a password belongs: there it is one that lacks its quotes.
func (n *normalizer) hidePassword() {
	if !n.ofAccounts() {
		return
	}
	from := slices.IndexFunc(n.out, func(w piece) bool {
		return strings.EqualFold(w.text, "IDENTIFIED") || strings.HasSuffix(strings.ToUpper(w.text), "PASSWORD")
	})
	for i := from + 1; from >= 0 && i < len(n.out); i++ {
		w := &n.out[i]
		if (w.name || w.text[0] == '@' && len(w.text) > 1 && w.text != "@"+aLiteral) && !beforePassword[strings.ToUpper(w.text)] {
			w.text = aLiteral
		}
	}
}

// beforePassword are words that may stand between what introduces a password and that.
var beforePassword = set("BY AS WITH VIA USING FOR PASSWORD OLD_PASSWORD TO OR AND REPLACE")

// ofAccounts reports whether the statement is one that may give a password.
func (n *normalizer) ofAccounts() bool {
	words := n.out[:min(len(n.out), 6)]
	if len(words) == 0 {
		return false
	}
	switch strings.ToUpper(words[0].text) {
	case "GRANT", "SET", "CHANGE", "START":
		return true
	case "CREATE", "ALTER":
		return slices.ContainsFunc(words, func(w piece) bool { return strings.EqualFold(w.text, "USER") || strings.EqualFold(w.text, "SERVER") })
	}
	return false
}

// unquoted takes the quotes off a name that means the same without.
func unquoted(name string) string {
	inner := name[1 : len(name)-1]
	if inner == "" || isDigit(inner[0]) || inner[0] == '$' || reservedWords()[strings.ToUpper(inner)] ||
		strings.IndexFunc(inner, func(r rune) bool { return r >= 0x80 || !isWordByte(byte(r)) }) >= 0 {
		return name
	}
	return inner
}

// reservedWords are those that no name can be without quotes, as far as the parser knows.
var reservedWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, k := range parser.Keywords {
		if k.Reserved {
			words[k.Word] = true
		}
	}
	return words
})
