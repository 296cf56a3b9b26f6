package gtid

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is which transactions a server has in its binlog, so that those of one server can be looked for in another one.
// On MySQL that is a [Set]. On MariaDB a position would not do: it tells how far a domain has come, and not who has
// written what. There it is the last number of each server in each domain, as gtid_binlog_state lists them.
//
// A transaction of a server of MariaDB counts as there if the state has a later one of the same server and domain, since
// a server writes its own in rising order. Like a map it may be used from many goroutines to read, or from one to change.
type State struct {
	set  *Set
	last map[writer]uint64
}

// writer is a server in a domain of MariaDB.
type writer struct{ domain, server uint32 }

// NewState returns an empty state.
func NewState(flavor Flavor) *State {
	return &State{set: New(flavor), last: map[writer]uint64{}}
}

// ParseState reads MySQL's @@global.gtid_executed or MariaDB's @@global.gtid_binlog_state, which may have several servers
// for one domain; its positions can be read, too.
func ParseState(flavor Flavor, text string) (*State, error) {
	s := NewState(flavor)
	if flavor != MariaDB {
		set, err := Parse(flavor, text)
		s.set = set
		return s, err
	}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		one := New(MariaDB)
		if err := parseMariaDB(one, item); err != nil {
			return nil, fmt.Errorf("read %s GTIDs: %w", flavor, err)
		}
		for at, r := range one.streams {
			s.Add(OfMariaDB(at.domain, r.server, r.last()))
		}
	}
	return s, nil
}

// Add puts g into the state. The zero GTID and one of the other flavour change nothing.
func (s *State) Add(g GTID) {
	switch {
	case g.Flavor != s.set.flavor || g.Number == 0:
	case g.Flavor == MariaDB:
		w := writer{g.Domain, g.Server}
		s.last[w] = max(s.last[w], g.Number)
	default:
		s.set.Add(g)
	}
}

// Union puts every transaction of o into the state. One of the other flavour changes nothing.
func (s *State) Union(o *State) {
	s.set.Union(o.set)
	if s.set.flavor != o.set.flavor {
		return
	}
	for w, n := range o.last {
		s.last[w] = max(s.last[w], n)
	}
}

// Clone returns a copy that shares nothing with the state.
func (s *State) Clone() *State { return &State{set: s.set.Clone(), last: maps.Clone(s.last)} }

// Beyond names the transactions of s that o lacks, as the server would print them; of MariaDB, the last one of each
// server. It is empty if o has them all.
func (s *State) Beyond(o *State) string {
	if s.set.flavor == MariaDB {
		return s.mariaDBBeyond(o)
	}
	return s.set.without(o.set).String()
}

func (s *State) mariaDBBeyond(o *State) string {
	var b []byte
	for _, w := range slices.SortedFunc(maps.Keys(s.last), func(a, b writer) int {
		return cmp.Or(cmp.Compare(a.domain, b.domain), cmp.Compare(a.server, b.server))
	}) {
		if n := s.last[w]; n > o.last[w] {
			b = appendMariaDB(appendComma(b), w.domain, w.server, n)
		}
	}
	return string(b)
}

// without returns what s has and o has not. It is for MySQL.
func (s *Set) without(o *Set) *Set {
	rest := New(s.flavor)
	for at, r := range s.streams {
		if left := r.numbers.without(o.streams[at].numbers); len(left) > 0 {
			rest.streams[at] = run{numbers: left}
		}
	}
	return rest
}

// without returns the numbers of s that are not in o.
func (s intervals) without(o intervals) (rest intervals) {
	for _, v := range s {
		for i := o.find(v.first); v.first <= v.last && i < len(o) && o[i].first <= v.last; i++ {
			if o[i].first > v.first {
				rest = append(rest, interval{v.first, o[i].first - 1})
			}
			v.first = o[i].last + 1
		}
		if v.first <= v.last {
			rest = append(rest, v)
		}
	}
	return rest
}
