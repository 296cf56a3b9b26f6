package dep

import "strings"

// Column is a column of a base table.
type Column struct {
	// Name is in lower case: names of columns never differ by case alone.
	Name string
	Type Type
	// Virtual says that its value is not stored but computed, and so not to be relied on in row events.
	Virtual bool
}

// Shape is what is known of a base table's columns and keys. It does not change once made.
type Shape struct {
	// Columns are in the order of the table, which is that of row events, invisible ones included.
	Columns []Column
	// Keys are those over a single column or several, as indexes into Columns; the primary key is the first, if there is
	// one.
	Keys []Key

	byName map[string]int
}

// Key is an index.
type Key struct {
	Columns []int
	Primary bool
	Unique  bool
}

// NewShape returns a shape over columns and keys, which it keeps.
func NewShape(columns []Column, keys []Key) *Shape {
	s := &Shape{Columns: columns, Keys: keys, byName: make(map[string]int, len(columns))}
	for i, c := range columns {
		s.byName[c.Name] = i
	}
	return s
}

// WithoutIndexes returns the same columns with no key but the primary one; nil of nil.
func (s *Shape) WithoutIndexes() *Shape {
	if s == nil {
		return nil
	}
	primary := s.Keys[:0:0]
	if s.Primary() != nil {
		primary = s.Keys[:1:1]
	}
	return &Shape{Columns: s.Columns, Keys: primary, byName: s.byName}
}

// Find returns the column's index, whatever the spelling of its name; false if there is none.
func (s *Shape) Find(name string) (int, bool) {
	i, ok := s.byName[strings.ToLower(name)]
	return i, ok
}

// Primary returns the columns of the primary key; nil if there is none.
func (s *Shape) Primary() []int {
	if len(s.Keys) > 0 && s.Keys[0].Primary {
		return s.Keys[0].Columns
	}
	return nil
}
