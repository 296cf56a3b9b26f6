package proxy

import (
	"cmp"
	"slices"
	"sync/atomic"

	"weir/cache"
)

// observed counts under OBSERVE.
type observed struct{ reads, hits atomic.Uint64 }

// Observed is what the cache would have done, under OBSERVE, since the start.
type Observed struct {
	// Observing says that it is being noted now.
	Observing bool
	// Reads are cacheable reads, WouldHits those of them that would have been hits, and HitRatio their share.
	Reads, WouldHits uint64
	HitRatio         float64
	// Results would be in memory now. They would take Bytes of Budget, which are all of it once it is too small: then
	// Evictions goes on rising.
	Results, Bytes, Budget int64
	Evictions              uint64
	// Tables are those that results depend on, by how finely they do; first those of which changes would have ended most
	// results that nobody had asked for again.
	Tables []ObservedTable
	// NotCacheable are reads and other statements of which nothing would have been kept, by reason.
	NotCacheable map[string]uint64
}

// ObservedTable says what would have become of the results that depend on a table.
type ObservedTable struct {
	Table, Grain string
	// Stores would have been stored. Ended of them were ended by a change, which is noticed when they are replaced or swept;
	// Used of those had been asked for again before.
	Stores, Ended, Used uint64
	// Paused: so few are used that for now none would be stored.
	Paused bool
}

func (t ObservedTable) wasted() uint64 { return t.Ended - t.Used }

// Observed returns it.
func (s *Server) Observed() Observed {
	st := s.cache.Stats()
	o := Observed{
		Observing: s.observing(), Reads: s.observed.reads.Load(), WouldHits: s.observed.hits.Load(),
		Results: st.Entries, Bytes: st.Bytes, Budget: st.Budget, Evictions: st.Evictions,
		Tables: observedTables(s.cache.Yields()), NotCacheable: map[string]uint64{},
	}
	o.HitRatio = float64(o.WouldHits) / max(float64(o.Reads), 1)
	for _, d := range s.digests.All() {
		for why, n := range d.NotCached {
			o.NotCacheable[why] += n
		}
	}
	return o
}

func observedTables(yields []cache.YieldStats) []ObservedTable {
	out := make([]ObservedTable, 0, len(yields))
	for _, y := range yields {
		if y.Stores > 0 || y.Left > 0 {
			out = append(out, ObservedTable{Table: y.Table, Grain: y.Grain, Stores: y.Stores, Ended: y.Ended, Used: y.Used, Paused: y.Left > 0})
		}
	}
	slices.SortStableFunc(out, func(a, b ObservedTable) int {
		return cmp.Or(cmp.Compare(b.wasted(), a.wasted()), cmp.Compare(b.Stores, a.Stores))
	})
	return out
}
