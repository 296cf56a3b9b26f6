package digest

import (
	"cmp"
	"slices"
)

// All returns the digests that have a row, in no particular order, and the others last, if there were any.
func (t *Table) All() []Stats {
	t.mu.Lock()
	used := t.used
	t.mu.Unlock()
	now := t.now()
	out := make([]Stats, 0, used)
	for i := 1; i < used; i++ {
		if s, ok := t.rows[i].Load().stats(now); ok {
			out = append(out, s)
		}
	}
	if o := t.others(); o.Calls > 0 {
		out = append(out, o)
	}
	return out
}

// others are the sums of what has no row.
func (t *Table) others() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rows[0].Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notice(t.now())
	s := r.counts.stats(r.total() + t.gone)
	s.Digest, s.Text, s.Last = OthersDigest, "(all other statements)", r.last
	return s
}

// Top returns up to n digests for which by is largest, and positive, the largest first. The others are not among them.
func (t *Table) Top(n int, by func(Stats) float64) []Stats {
	all := slices.DeleteFunc(t.All(), func(s Stats) bool { return s.Digest == OthersDigest || by(s) <= 0 })
	slices.SortStableFunc(all, func(a, b Stats) int { return cmp.Or(cmp.Compare(by(b), by(a)), cmp.Compare(a.Digest, b.Digest)) })
	return all[:min(n, len(all))]
}

// Tables returns what statements that have a row did with each table, by name.
func (t *Table) Tables() []TableStats {
	sums := map[string]*TableStats{}
	for _, s := range t.All() {
		for _, name := range s.Tables {
			sum := sums[name]
			if sum == nil {
				sum = &TableStats{Table: name}
				sums[name] = sum
			}
			sum.add(s)
		}
	}
	out := make([]TableStats, 0, len(sums))
	for _, sum := range sums {
		out = append(out, *sum)
	}
	slices.SortFunc(out, func(a, b TableStats) int { return cmp.Compare(a.Table, b.Table) })
	return out
}

func (t *TableStats) add(s Stats) {
	t.Reads, t.Hits, t.Misses, t.Joined = t.Reads+s.Calls, t.Hits+s.Hits, t.Misses+s.Misses, t.Joined+s.Joined
	t.Stores, t.WouldHits = t.Stores+s.Stores, t.WouldHits+s.WouldHits
	for _, n := range s.NotCached {
		t.NotCached += n
	}
	t.BackendSeconds, t.SavedSeconds = t.BackendSeconds+s.BackendSeconds, t.SavedSeconds+s.SavedSeconds
}
