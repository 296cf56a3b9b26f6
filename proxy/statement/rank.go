package statement

import "slices"

// Ranks of columns, the best first: how few rows one value has, as far as the keys tell.
const (
	uniqueColumn  = iota // a primary or unique key by itself
	leadingColumn        // the first column of an index
	anyColumn
)

func rank(a attr) int {
	best := anyColumn
	for _, k := range a.ref.shape.Keys {
		switch {
		case len(k.Columns) == 0 || k.Columns[0] != a.column:
		case k.Unique && len(k.Columns) == 1:
			return uniqueColumn
		default:
			best = leadingColumn
		}
	}
	return best
}

// cost orders candidates. A range on a key goes after equality on an index, and before equality on a column without one,
// which many rows may have.
func (c candidate) cost() int {
	worst := 0
	for _, a := range c {
		worst = max(worst, a.cost)
	}
	return worst
}

func cost(a attr, r rule) int {
	of := [...]int{uniqueColumn: 0, leadingColumn: 1, anyColumn: 3}
	if r.ranged() {
		of = [...]int{uniqueColumn: 2, leadingColumn: 2, anyColumn: 4}
	}
	return of[rank(a)]
}

// candidates returns what restricts a mention, the best first.
func (r *readSet) candidates(ref *ref) []candidate {
	var out []candidate
	for _, s := range r.said {
		if c, ok := r.candidate(ref, s); ok {
			out = append(out, c)
		}
	}
	for _, s := range r.matter {
		if c, ok := r.candidate(ref, s); ok && s.about(ref) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		if d := a.cost() - b.cost(); d != 0 {
			return d
		}
		return len(a) - len(b)
	})
	return out
}

// about reports whether a restriction is about columns of the mention alone.
func (s restriction) about(ref *ref) bool {
	return !slices.ContainsFunc(s.atoms, func(a atom) bool { return a.attr.ref != ref })
}

// candidate tells a restriction by the mention's columns; false if it is not one on each of its rows.
func (r *readSet) candidate(ref *ref, s restriction) (candidate, bool) {
	var c candidate
	for _, a := range s.atoms {
		on, ok := a.attr, a.attr.ref == ref
		if !ok {
			on, ok = r.equal.of(a.attr, ref)
		}
		if !ok || !tells(on, a) || len(c) == maxRows {
			return nil, false
		}
		c = append(c, bind(ref.read.name, on, a))
	}
	return c, true
}
