package check

import (
	"fmt"
	"slices"
	"strings"
)

// shown is how many names are repeated.
const shown = 3

// Some counts things, and keeps the first few names. Names are to be added in order, each thing once or several times in a row.
type Some struct {
	N     int
	Names []string
	last  string
}

func (s *Some) add(name string) {
	if s.N > 0 && s.last == name {
		return
	}
	s.N++
	s.last = name
	if len(s.Names) < shown {
		s.Names = append(s.Names, name)
	}
}

// of is the number of things and the first names.
func (s *Some) of(thing string) string {
	text := plural(s.N, thing) + ": " + strings.Join(s.Names, ", ")
	if s.N > len(s.Names) {
		text += fmt.Sprintf(" and %d more", s.N-len(s.Names))
	}
	return text
}

// some is for names that are in no order yet.
func some(names []string) *Some {
	s := &Some{}
	for _, n := range slices.Sorted(slices.Values(names)) {
		s.add(n)
	}
	return s
}
