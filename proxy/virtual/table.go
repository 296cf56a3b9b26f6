package virtual

import (
	"slices"
	"strings"
)

// Schema is where Weir's own tables are.
const Schema = "weir"

// Table is one that Weir answers itself.
type Table struct {
	Schema, Name string
	Columns      []Column
	// Rows returns what the viewer may see of what there is now, one value for each column: nil, a string, a bool (for
	// YES and NO), an int64, a uint64, a float64, a time.Time. It may be called from any goroutine, at any time, and must
	// not wait for a server. The rows are the caller's.
	Rows func(viewer Viewer) [][]any
	// Privilege is what an account needs to see anything; empty if it needs none, and then no server is asked. Partly says
	// that Rows decides what those who lack it see.
	Privilege string
	Partly    bool
}

// Viewer is who asks.
type Viewer struct {
	// User is the name that it has logged in with, and Session the number of its connection; both are empty for the admin
	// port.
	User    string
	Session uint32
	// Process says that it holds the privilege PROCESS, Literals that it may see what other clients' statements say.
	Process, Literals bool
}

// Process is the privilege that the tables of everybody's statements need.
const Process = "PROCESS"

// Column is one of a table. Meaning says what it has, with the unit, in the documentation and in SHOW FULL COLUMNS.
type Column struct {
	Name    string
	Kind    Kind
	Meaning string
}

// Kind is the type of a column.
type Kind uint8

// Kinds of columns. All may be NULL.
const (
	// Text is a VARCHAR(255), compared without regard to case; Flag is one that is YES or NO.
	Text Kind = iota
	Flag
	// Long is a LONGTEXT.
	Long
	// Unsigned and Signed are 64 bits wide.
	Unsigned
	Signed
	// Double is for seconds and ratios.
	Double
	// Time is a DATETIME(6), in UTC.
	Time
)

// Type is how servers call the kind.
func (k Kind) Type() string {
	names := [...]string{"varchar(255)", "varchar(3)", "longtext", "bigint unsigned", "bigint", "double", "datetime(6)"}
	return names[k]
}

// column finds a column by its name, in any case; -1 if there is none.
func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

// Shown returns the rows that the viewer may see; ok is false if it may see nothing because of a privilege it lacks.
func (t *Table) Shown(v Viewer) (rows [][]any, ok bool) {
	if t.Privilege != "" && !t.Partly && !v.Process {
		return nil, false
	}
	return t.Rows(v), true
}

// Set are the tables of one Weir. It does not change. A nil Set has none.
type Set struct {
	tables []*Table // by schema and name
}

// NewSet returns a set of the tables. Names must be in lower case, and each there once.
func NewSet(tables []Table) *Set {
	s := &Set{}
	for i := range tables {
		s.tables = append(s.tables, &tables[i])
	}
	slices.SortFunc(s.tables, func(a, b *Table) int {
		return strings.Compare(a.Schema+"."+a.Name, b.Schema+"."+b.Name)
	})
	return s
}

// Find returns a table by its name, in any case; nil if there is none.
func (s *Set) Find(schema, name string) *Table {
	if s == nil {
		return nil
	}
	for _, t := range s.tables {
		if strings.EqualFold(t.Schema, schema) && strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}

// In returns the tables of a schema, by name.
func (s *Set) In(schema string) (list []*Table) {
	if s == nil {
		return nil
	}
	for _, t := range s.tables {
		if strings.EqualFold(t.Schema, schema) {
			list = append(list, t)
		}
	}
	return list
}

// Owns reports whether a schema is Weir's own as a whole, so that no server is asked about it.
func (s *Set) Owns(schema string) bool {
	return strings.EqualFold(schema, Schema) && len(s.In(schema)) > 0
}

// All returns every table, by schema and name.
func (s *Set) All() []*Table {
	if s == nil {
		return nil
	}
	return slices.Clone(s.tables)
}

// May reports whether a text may read one of the tables, for all that a glance can tell: most texts do not name any, and
// need no closer look.
func (s *Set) May(text []byte) bool {
	return s != nil && len(s.tables) > 0 && (containsFold(text, Schema) || containsFold(text, "query_cache_info"))
}

// containsFold reports whether the ASCII word, in lower case, is in the text, in any case.
func containsFold(text []byte, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && equalFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func equalFold(text []byte, word string) bool {
	for i := range word {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
