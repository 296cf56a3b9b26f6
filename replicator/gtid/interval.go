package gtid

import (
	"cmp"
	"slices"
)

// interval is the numbers from first to last, both included; first is at least 1.
type interval struct {
	first, last uint64
}

// intervals are sorted, and any two have a gap between them.
type intervals []interval

// find returns the index of the first interval that ends at n or later.
func (s intervals) find(n uint64) int {
	// Almost always the question is about the newest numbers, which the last interval answers.
	if l := len(s); l > 0 && s[l-1].first <= n {
		if n <= s[l-1].last {
			return l - 1
		}
		return l
	}
	i, _ := slices.BinarySearchFunc(s, n, func(v interval, n uint64) int { return cmp.Compare(v.last, n) })
	return i
}

// cover reports whether every number of v is in s. As there are gaps, one interval must hold them all.
func (s intervals) cover(v interval) bool {
	i := s.find(v.first)
	return i < len(s) && s[i].first <= v.first && v.last <= s[i].last
}

// add returns s with v, merged with what it overlaps or touches. It may change s.
func (s intervals) add(v interval) intervals {
	from := s.find(v.first - 1) // v.first is at least 1; the one that ends just before v joins it
	to := from
	for ; to < len(s) && s[to].first-1 <= v.last; to++ {
		v.first = min(v.first, s[to].first)
		v.last = max(v.last, s[to].last)
	}
	return slices.Replace(s, from, to, v)
}
