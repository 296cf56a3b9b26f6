package cache

import (
	"cmp"
	"runtime"
	"slices"
)

// Hot is an entry that is asked for often.
type Hot struct {
	Entry *Entry
	// Rate is an estimate of how often it is asked for, per second; above zero. Hits are sampled, and the last minute
	// counts for half of it.
	Rate float64
}

// Hottest returns up to n entries that depend on tag, servable or not, most asked for first, and no two of one key. What
// nobody has asked for again since it came is not among them.
//
// It looks at every entry in memory, a part at a time, and holds no lock; one that comes or goes meanwhile may be missing
// or not. It takes memory for 2n entries at most.
func (c *Cache) Hottest(tag Tag, n int) []Hot {
	if n <= 0 || c.Dependents(tag) == 0 {
		return nil
	}
	return c.hottest(n, func(e *Entry) bool { return e.dependsOn(tag) })
}

// Warmest is [Cache.Hottest] of all entries, whatever they depend on.
func (c *Cache) Warmest(n int) []Hot {
	if n <= 0 {
		return nil
	}
	return c.hottest(n, func(*Entry) bool { return true })
}

func (c *Cache) hottest(n int, of func(*Entry) bool) []Hot {
	h, now := hottest{n: n}, tickOf(c.ledger.Now())
	for sh := range c.store.shards() {
		for items := range sh.walk() {
			h.addAll(items, of, now)
			runtime.Gosched()
		}
	}
	h.cut()
	return h.top
}

// hottest collects the n hottest of many. Top has up to twice as many before it is cut.
type hottest struct {
	n     int
	top   []Hot
	least float64 // no more than that is not worth adding
}

func (h *hottest) addAll(items []*item, of func(*Entry) bool, now tick) {
	for _, it := range items {
		if it.entry.ghost || !of(it.entry) {
			continue
		}
		if rate := it.rate(now); rate > h.least {
			h.add(Hot{it.entry, rate})
		}
	}
}

func (h *hottest) add(hot Hot) {
	h.top = append(h.top, hot)
	if len(h.top) >= 2*h.n {
		h.cut()
	}
}

// cut leaves the n hottest. A key whose entry was replaced while it was looked for may be there twice.
func (h *hottest) cut() {
	slices.SortStableFunc(h.top, func(a, b Hot) int { return cmp.Compare(b.Rate, a.Rate) })
	seen := make(map[uint64]bool, len(h.top))
	h.top = slices.DeleteFunc(h.top, func(hot Hot) bool {
		hash := Hash(hot.Entry.Key())
		twice := seen[hash]
		seen[hash] = true
		return twice
	})
	if len(h.top) >= h.n {
		h.top = h.top[:h.n]
		h.least = h.top[h.n-1].Rate
	}
}

func (e *Entry) dependsOn(tag Tag) bool { return slices.Contains(e.Tags, tag) }
