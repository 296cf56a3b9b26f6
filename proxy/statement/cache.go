package statement

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Limits bound a [Cache]. Zero values are replaced by the defaults.
type Limits struct {
	// Entries is how many analyses are kept; default 16,384.
	Entries int
	// Bytes is roughly how much memory they take; default 32 MiB.
	Bytes int
}

func (l Limits) withDefaults() Limits {
	if l.Entries <= 0 {
		l.Entries = 16384
	}
	if l.Bytes <= 0 {
		l.Bytes = 32 << 20
	}
	return l
}

// A Cache keeps analyses of reads, so that a text is parsed once for each default database, session settings and
// version of the catalog. It is safe for concurrent use. Two goroutines that ask for the same new text may both
// analyse it.
type Cache struct {
	analyzer     *Analyzer
	seed         maphash.Seed
	shards       [16]shard
	hits, misses atomic.Uint64
}

// NewCache returns an empty cache with an Analyzer of its own.
func NewCache(l Limits) *Cache {
	l = l.withDefaults()
	c := &Cache{analyzer: NewAnalyzer(), seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].maxEntries = max(1, l.Entries/len(c.shards)/2)
		c.shards[i].maxBytes = max(1, l.Bytes/len(c.shards)/2)
	}
	return c
}

// Analyze is [Analyzer.Analyze], remembered. The cache keeps sql, which must not be changed afterwards by way of the
// bytes that it was made from.
func (c *Cache) Analyze(sql string, env Env) Statement {
	if len(sql) > MaxLength {
		return c.analyzer.Analyze(sql, env)
	}
	k := key{sql, env.Schema, env.SQLMode, env.Charset, env.Flavor, env.Version, env.CatalogVersion}
	s := &c.shards[maphash.String(c.seed, sql)%uint64(len(c.shards))]
	if st, ok := s.get(k); ok {
		c.hits.Add(1)
		return st
	}
	st := c.analyzer.Analyze(sql, env)
	if st.Kind == Read {
		c.misses.Add(1)
		s.put(k, st)
	}
	return st
}

// Stats are counters of a [Cache] since it was made, and what it holds now.
type Stats struct {
	// Hits and Misses count reads only: other statements are not kept.
	Hits, Misses   uint64
	Entries, Bytes int
}

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	st := Stats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	for i := range c.shards {
		entries, bytes := c.shards[i].size()
		st.Entries, st.Bytes = st.Entries+entries, st.Bytes+bytes
	}
	return st
}

// key is everything that an analysis depends on. It is compared in full.
type key struct {
	sql, schema, sqlMode, charset string
	flavor                        Flavor
	version                       int
	catalog                       uint64
}

// A shard has two generations. New entries go to the young one; when that is full, it becomes the old one, and what
// was old is dropped. An entry that is found in the old generation is moved to the young one.
type shard struct {
	mu                   sync.Mutex
	maxEntries, maxBytes int // of one generation
	young, old           map[key]Statement
	youngBytes, oldBytes int
}

func (s *shard) get(k key) (Statement, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.young[k]; ok {
		return st, true
	}
	st, ok := s.old[k]
	if ok {
		delete(s.old, k)
		s.oldBytes -= size(k, st)
		s.add(k, st)
	}
	return st, ok
}

func (s *shard) put(k key, st Statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.young[k]; !ok && size(k, st) <= s.maxBytes {
		s.add(k, st)
	}
}

// add puts an entry that is not there into the young generation.
func (s *shard) add(k key, st Statement) {
	n := size(k, st)
	if s.young == nil || len(s.young) >= s.maxEntries || s.youngBytes+n > s.maxBytes {
		s.old, s.oldBytes = s.young, s.youngBytes
		s.young, s.youngBytes = map[key]Statement{}, 0
	}
	s.young[k] = st
	s.youngBytes += n
}

func (s *shard) size() (entries, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.young) + len(s.old), s.youngBytes + s.oldBytes
}

// size estimates the memory of an entry in bytes. Schema, mode and charset are shared between entries.
func size(k key, st Statement) int {
	n := len(k.sql) + len(st.Detail) + 400
	for _, t := range st.Tables {
		n += 32 + len(t.Schema) + len(t.Table)
	}
	return n
}
