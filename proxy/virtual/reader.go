package virtual

import (
	"strings"

	"weir/proxy/statement"
)

// Reader is a text, split, and what its names mean.
type Reader struct {
	Set *Set
	// Schema is the default one, for names without; it may be one of a server's.
	Schema string
	// Theirs reports that a name is one of the source's own, which hides Weir's table of that name. It may be nil.
	Theirs func(schema, name string) bool

	text string
	lex  []statement.Lexeme
	// common are the names of common table expressions, in upper case; nil before somebody has asked. ours remembers which
	// tables are Weir's own. A text may say a name as often as it likes, and neither is to be looked for each time.
	common map[string]bool
	ours   map[[2]string]*Table
}

// NewReader splits a text. ok is false if a server may read it in another way.
func NewReader(set *Set, schema, text string, env statement.Env) (_ *Reader, ok bool) {
	lex, sure := statement.Lexemes(text, env)
	for len(lex) > 0 && lex[len(lex)-1].Text == ";" && lex[len(lex)-1].Kind == statement.Other {
		lex = lex[:len(lex)-1]
	}
	return &Reader{Set: set, Schema: schema, text: text, lex: lex}, sure && len(lex) > 0
}

// mention is a place in a text that names a table: in FROM, or in front of a column or a star.
type mention struct {
	table *Table
	// start and end are of the name with its schema; qualifier ends behind the dot after the schema.
	start, end, qualifier int
	column                bool
	alias                 bool // an alias follows
}

// clauses that may follow FROM, and end it.
var afterFrom = words("WHERE ON USING GROUP ORDER HAVING LIMIT SELECT UNION EXCEPT INTERSECT WINDOW FOR LOCK PROCEDURE INTO FETCH OFFSET SET")

// joining words are no aliases.
var joining = words("JOIN INNER LEFT RIGHT CROSS NATURAL STRAIGHT_JOIN FULL USE FORCE IGNORE PARTITION TABLESAMPLE FROM")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// Tables returns the tables that the text reads, each once.
func (r *Reader) Tables() (list []*Table) {
	seen := map[*Table]bool{}
	for _, m := range r.mentions() {
		if !m.column && !seen[m.table] {
			seen[m.table] = true
			list = append(list, m.table)
		}
	}
	return list
}

// mentions finds the places, in the order of the text. A name counts as a table's only in FROM: elsewhere weir.x is the
// column x of something that the text calls weir.
func (r *Reader) mentions() (list []mention) {
	var from []bool // for each open parenthesis, whether it is inside of FROM
	inside := false
	for i := 0; i < len(r.lex); i++ {
		x := r.lex[i]
		switch word := r.word(i); {
		case word == "FROM" || word == "JOIN" || word == "STRAIGHT_JOIN" || word == "TABLE" && i == 0:
			inside = true
		case afterFrom[word] && !r.dotted(i):
			inside = false
		case r.is(i, "("):
			from = append(from, inside)
		case r.is(i, ")") && len(from) > 0:
			inside, from = from[len(from)-1], from[:len(from)-1]
		case x.Kind == statement.Word || x.Kind == statement.Quoted:
			m, used := r.mention(i, inside)
			if m.table != nil {
				list = append(list, m)
			}
			i += used
		}
	}
	return list
}

// mention looks at the name that begins at i, and says by how many lexemes it goes on.
func (r *Reader) mention(i int, inside bool) (m mention, used int) {
	if !r.is(i+1, ".") || !r.name(i+2) {
		if inside && !r.dotted(i) && r.startsReference(i) && !r.commonName(r.lex[i].Text) {
			m = r.found(r.Schema, i, i)
		}
		return m, 0
	}
	if r.dotted(i) {
		return m, 2
	}
	column := r.is(i+3, ".")
	if !column && !(inside && r.startsReference(i)) {
		return m, 2
	}
	m = r.found(r.lex[i].Text, i, i+2)
	m.column, m.qualifier = column, r.lex[i+1].End
	return m, 2
}

func (r *Reader) found(schema string, first, last int) mention {
	t := r.own(schema, r.lex[last].Text)
	if t == nil {
		return mention{}
	}
	return mention{table: t, start: r.lex[first].Start, end: r.lex[last].End, alias: r.aliasAt(last + 1)}
}

// own returns Weir's own table of that name; nil if there is none, or if the source's hides it.
func (r *Reader) own(schema, name string) *Table {
	key := [2]string{schema, name}
	t, known := r.ours[key]
	if known {
		return t
	}
	if t = r.Set.Find(schema, name); t != nil && r.Theirs != nil && r.Theirs(t.Schema, t.Name) {
		t = nil
	}
	if r.ours == nil {
		r.ours = map[[2]string]*Table{}
	}
	r.ours[key] = t
	return t
}

// startsReference reports whether a name that begins at i is that of a table, not an alias or a column.
func (r *Reader) startsReference(i int) bool {
	if i == 0 {
		return false
	}
	switch word := r.word(i - 1); {
	case word == "FROM", word == "JOIN", word == "STRAIGHT_JOIN", word == "TABLE":
		return true
	}
	return r.is(i-1, ",") || r.is(i-1, "(")
}

// commonName reports whether a text gives that name to a common table expression: WITH name AS (, or name (columns) AS (.
func (r *Reader) commonName(name string) bool {
	if r.common == nil {
		r.common = r.commonNames()
	}
	return r.common[strings.ToUpper(name)]
}

func (r *Reader) commonNames() map[string]bool {
	names := map[string]bool{}
	if r.word(0) != "WITH" {
		return names
	}
	for i := 1; i+2 < len(r.lex); i++ {
		listed := r.is(i-1, ",") || r.word(i-1) == "WITH" || r.word(i-1) == "RECURSIVE"
		if listed && (r.word(i+1) == "AS" && r.is(i+2, "(") || r.is(i+1, "(")) {
			names[strings.ToUpper(r.lex[i].Text)] = true
		}
	}
	return names
}

func (r *Reader) aliasAt(i int) bool {
	if r.word(i) == "AS" {
		return true
	}
	return r.name(i) && !afterFrom[r.word(i)] && !joining[r.word(i)]
}

// word is the word at i in upper case; empty if there is none.
func (r *Reader) word(i int) string {
	if i < 0 || i >= len(r.lex) || r.lex[i].Kind != statement.Word {
		return ""
	}
	return strings.ToUpper(r.lex[i].Text)
}

func (r *Reader) is(i int, punct string) bool {
	return i >= 0 && i < len(r.lex) && r.lex[i].Kind == statement.Other && r.lex[i].Text == punct
}

func (r *Reader) name(i int) bool {
	return i >= 0 && i < len(r.lex) && (r.lex[i].Kind == statement.Word || r.lex[i].Kind == statement.Quoted)
}

func (r *Reader) dotted(i int) bool { return r.is(i-1, ".") }
