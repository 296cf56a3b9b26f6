package cache

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

const (
	// maxYields bounds memory. Tables that come when there are so many are not watched, and never paused.
	maxYields = 10000
	// maxPausedSeries bounds what a scrape sees.
	maxPausedSeries = 1000
)

// yields are all tables and grains that results were stored for.
type yields struct {
	mu     sync.RWMutex
	all    map[yieldKey]*Yield
	paused []*Yield // those that were ever paused, as many as a scrape may see
}

type yieldKey struct{ table, grain string }

// Yield returns the yield of a table at a grain, always the same one; nil if there are too many.
func (c *Cache) Yield(table, grain string) *Yield {
	k := yieldKey{table, grain}
	c.yields.mu.RLock()
	y := c.yields.all[k]
	c.yields.mu.RUnlock()
	if y != nil {
		return y
	}
	return c.yields.add(k)
}

func (ys *yields) add(k yieldKey) *Yield {
	ys.mu.Lock()
	defer ys.mu.Unlock()
	if y := ys.all[k]; y != nil || len(ys.all) >= maxYields {
		return y
	}
	if ys.all == nil {
		ys.all = map[yieldKey]*Yield{}
	}
	k = yieldKey{strings.Clone(k.table), strings.Clone(k.grain)} // of which the caller may hold a whole statement
	y := &Yield{table: k.table, grain: k.grain}
	ys.all[k] = y
	return y
}

// Yields returns the numbers of all tables and grains, by name.
func (c *Cache) Yields() []YieldStats {
	c.yields.mu.RLock()
	defer c.yields.mu.RUnlock()
	now := c.ledger.Now()
	all := make([]YieldStats, 0, len(c.yields.all))
	for _, y := range c.yields.all {
		all = append(all, y.Stats(now))
	}
	slices.SortFunc(all, func(a, b YieldStats) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Grain, b.Grain))
	})
	return all
}

// wasPaused keeps a yield for the scrapes to come.
func (ys *yields) wasPaused(y *Yield) {
	ys.mu.Lock()
	defer ys.mu.Unlock()
	if len(ys.paused) < maxPausedSeries {
		ys.paused = append(ys.paused, y)
	}
}

func (ys *yields) everPaused() []*Yield {
	ys.mu.RLock()
	defer ys.mu.RUnlock()
	return slices.Clone(ys.paused)
}

// tables returns how many tables entries in memory read.
func (ys *yields) tables() int64 {
	ys.mu.RLock()
	defer ys.mu.RUnlock()
	read := map[string]bool{}
	for _, y := range ys.all {
		if y.kept.Load() > 0 {
			read[y.table] = true
		}
	}
	return int64(len(read))
}
