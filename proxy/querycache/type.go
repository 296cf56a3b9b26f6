package querycache

import "strings"

// Type is query_cache_type.
type Type int32

// The values of query_cache_type, by the numbers that servers give them. Observe is Weir's own: nothing is kept, and what
// keeping would have done is reported.
const (
	Off Type = iota
	On
	Demand
	Observe
)

// String gives the name that a server shows.
func (t Type) String() string {
	names := [...]string{"OFF", "ON", "DEMAND", "OBSERVE"}
	if t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return "OFF"
}

// TypeOf reads a name; false if it is none.
func TypeOf(name string) (Type, bool) {
	for t := Off; t <= Observe; t++ {
		if strings.EqualFold(name, t.String()) {
			return t, true
		}
	}
	return Off, false
}

// Keeps reports whether results may be kept and served in a session with the type.
func (t Type) Keeps() bool { return t == On || t == Demand }
