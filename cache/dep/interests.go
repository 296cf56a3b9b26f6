package dep

import (
	"cmp"
	"slices"
	"time"
)

// Interests are those in one table.
type Interests struct {
	Table Name
	Wants []Want
}

// Interests returns the tables in which a result that was stored, or was to be, in the last while took an interest, with all
// interests in them, sorted. What was only taken up from others is not among it: two who told each other would never forget.
func (w *Watch) Interests(while time.Duration) []Interests {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.ledger.Now()
	var all []Interests
	for n, last := range w.own {
		if t := w.tables[n]; now-last <= while && t != nil && !t.forgotten {
			all = append(all, Interests{Table: n, Wants: t.wants()})
		}
	}
	slices.SortFunc(all, func(a, b Interests) int {
		return cmp.Or(cmp.Compare(a.Table.Schema, b.Table.Schema), cmp.Compare(a.Table.Table, b.Table.Table))
	})
	return all
}

// wants are the interests by column, sorted.
func (t *Watched) wants() []Want {
	all := make([]Want, 0, len(t.Columns))
	for column, interest := range t.Columns {
		all = append(all, Want{Column: column, Interest: interest})
	}
	slices.SortFunc(all, func(a, b Want) int { return cmp.Compare(a.Column, b.Column) })
	return all
}

// TakeUp takes up interests that others have, so that results of theirs can be judged finely. They count like any other
// from now on, and all that are there before a [Watch.Restart] from the epoch's beginning. A table that nobody asks for,
// and that is not taken up again, is forgotten like any other.
func (w *Watch) TakeUp(all []Interests) {
	for _, i := range all {
		w.takeUp(i)
	}
}

// takeUp holds the lock for one table only: the reader of the binlog waits for it.
func (w *Watch) takeUp(i Interests) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want(i.Table, each(i.Wants))
}

// each has every bit of interests by itself, as [Watch.Want] keeps them.
func each(wants []Want) []Want {
	var bits []Want
	for _, want := range wants {
		for i := InValue; i <= InCell; i <<= 1 {
			if want.Interest&i != 0 {
				bits = append(bits, Want{Column: want.Column, Interest: i})
			}
		}
	}
	return bits
}
