package cache

import "slices"

// register gives e, which is about to be stored, a cell for each of its tags. From then on it is judged by them.
func (l *Ledger) register(e *Entry) {
	e.cells = e.few[:0]
	if len(e.Tags) > fewCells {
		e.cells = slices.Grow([]*cell(nil), len(e.Tags))
	}
	for _, t := range e.Tags {
		e.cells = append(e.cells, l.cells.take(t, &l.history))
	}
}

// release gives the cells back of an entry that leaves the store. A reader may just have found it there, so the entry
// keeps the pointers.
func (cs *cells) release(e *Entry) {
	for i, c := range e.cells {
		cs.give(e.Tags[i], c)
	}
}

// changed reports whether something that e depends on is known to have changed after seq, or may have.
func (l *Ledger) changed(e *Entry, seq Seq) bool {
	if len(e.cells) == 0 {
		return l.LastOf(e.Tags) > seq
	}
	return changed(e.cells, seq)
}

func changed(cells []*cell, seq Seq) bool {
	for _, c := range cells {
		if Seq(c.last.Load()) > seq {
			return true
		}
	}
	return false
}

// lastOf returns the largest Last of what e depends on.
func (l *Ledger) lastOf(e *Entry) (last Seq) {
	if len(e.cells) == 0 {
		return l.LastOf(e.Tags)
	}
	for _, c := range e.cells {
		last = max(last, Seq(c.last.Load()))
	}
	return last
}
