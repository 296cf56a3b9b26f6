package change

import "weir/cache/dep"

// Deed is what is known of how a transaction changed one table, for those who ask what ended their results. Nothing that
// is served depends on it.
type Deed struct {
	Name dep.Name
	Verb Verb
	// Rows is how many rows were counted: all of them or, where nobody had to read them all, fewer.
	Rows int
}

// Verb says what was done to a table; several may be joined.
type Verb uint8

// The verbs. Rows is for those of whom only that is known.
const (
	Insert Verb = 1 << iota
	Update
	Delete
	DDL
	InText  // a statement in text that changes rows
	Cascade // through a foreign key
	Rows
)

var verbNames = [...]string{"insert", "update", "delete", "ddl", "statement", "cascade", "rows"}

// String joins the names of the verbs with a plus.
func (v Verb) String() string {
	s := ""
	for i, name := range verbNames {
		if v&(1<<i) == 0 {
			continue
		}
		if s != "" {
			s += "+"
		}
		s += name
	}
	return s
}

// MaxDeeds is how many tables of one transaction are told of; the others are not.
const MaxDeeds = 16

// Did notes what was done to a table.
func (t *Transaction) Did(n dep.Name, v Verb, rows int) {
	for i := len(t.Deeds) - 1; i >= 0; i-- { // most often it is the last one
		if d := &t.Deeds[i]; d.Name == n {
			d.Verb |= v
			d.Rows += rows
			return
		}
	}
	if len(t.Deeds) < MaxDeeds {
		t.Deeds = append(t.Deeds, Deed{n, v, rows})
	}
}
