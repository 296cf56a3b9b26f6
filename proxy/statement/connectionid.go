package statement

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
)

// blanks are white space, and comments that no server runs: not those that begin with an exclamation mark or M!, nor hints.
const blanks = `(?:\s|/\*(?:[^!+M*][^*]*|)\*/)*`

// connectionID matches no more than the statement that asks for nothing else.
var connectionID = regexp.MustCompile(`(?i)^` + blanks + `SELECT` + blanks + `\b(CONNECTION_ID\s*\(\s*\))` +
	blanks + "(?:(?:AS\\b" + blanks + ")?(?:([a-z_][a-z0-9_]*)|`([a-z0-9_ .()-]+)`))?" + blanks + `;?` + blanks + `$`)

// ConnectionID reports whether a text is SELECT CONNECTION_ID() and nothing more: in any case, with white space,
// comments, and an alias of ASCII letters. Column is what servers call the column of the answer. It is for texts of
// which the analysis has said that they call the function.
func ConnectionID(sql string) (column string, ok bool) {
	m := connectionID.FindStringSubmatch(sql)
	switch {
	case m == nil:
		return "", false
	case m[2] != "":
		return m[2], !reserved(m[2])
	case m[3] != "":
		return m[3], m[3] == strings.TrimSpace(m[3]) // servers take spaces away, or refuse them
	}
	return m[1], true
}

// reserved: such a word is no alias, but the beginning of something else.
func reserved(word string) bool {
	return slices.ContainsFunc(parser.Keywords, func(k parser.KeywordsType) bool {
		return k.Reserved && strings.EqualFold(k.Word, word)
	})
}
