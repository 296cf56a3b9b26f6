package querycache

import (
	"strconv"
	"sync"
)

// Tally is what has happened and what there is, as whoever counts has it: since its start.
type Tally struct {
	Hits, Inserts, Evictions uint64
	Entries, Tables, Free    int64
}

// base is what FLUSH STATUS has set the counters back to.
type base struct {
	mu        sync.Mutex
	tally     Tally
	notCached uint64
}

// Row is a name and a value, as SHOW gives them.
type Row struct{ Name, Value string }

// CountNotCached counts a SELECT that was neither answered from the cache nor kept: Qcache_not_cached.
func (s *Settings) CountNotCached() { s.notCached.Add(1) }

// FlushStatus sets back what FLUSH STATUS sets back: the counters, and not what tells of the present.
func (s *Settings) FlushStatus() {
	s.base.mu.Lock()
	defer s.base.mu.Unlock()
	s.base.tally, s.base.notCached = s.tally(), s.notCached.Load()
}

// Status gives the eight values whose names begin with Qcache_, by name. Memory is not handed out in blocks: there is one
// free one, and the others are counted as a server with nothing but whole blocks would have them, two for a result and one
// for a table. While nothing is kept there are none.
func (s *Settings) Status() []Row {
	t := s.tally()
	s.base.mu.Lock()
	from, notCached := s.base.tally, s.base.notCached
	s.base.mu.Unlock()
	free, blocks := int64(1), 1+2*t.Entries+t.Tables
	if !s.Serving() && !s.Observing() {
		free, blocks, t.Free = 0, 0, 0
	}
	return []Row{
		{"Qcache_free_blocks", whole(free)},
		{"Qcache_free_memory", whole(max(t.Free, 0))},
		{"Qcache_hits", count(t.Hits - from.Hits)},
		{"Qcache_inserts", count(t.Inserts - from.Inserts)},
		{"Qcache_lowmem_prunes", count(t.Evictions - from.Evictions)},
		{"Qcache_not_cached", count(s.notCached.Load() - notCached)},
		{"Qcache_queries_in_cache", whole(t.Entries)},
		{"Qcache_total_blocks", whole(blocks)},
	}
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func count(n uint64) string { return strconv.FormatUint(n, 10) }
