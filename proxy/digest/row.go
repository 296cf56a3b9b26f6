package digest

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// stripes is how many counters of hits a row has, each on a cache line of its own.
const stripes = 16

// stripe is one of them.
type stripe struct {
	hits atomic.Uint64
	_    [56]byte
}

// row counts for one digest, and after that for another.
type row struct {
	generation atomic.Uint32
	// start is where the numbers of hits start, so that whoever takes a sample of them by number does not take the first
	// ones of all digests alike.
	start uint64
	hits  [stripes]stripe // of all generations

	mu     sync.Mutex
	named  Named
	tables []string
	since  uint64 // what hits had when the digest came
	counts counts
	last   time.Time
	seen   uint64 // the calls when somebody looked last
	passed uint64 // the calls when the hand came by last
}

// counts are all but the hits, of one digest.
type counts struct {
	misses, joined, stores, bytes, changed, wouldHits, wouldBytes uint64
	refused, notCached                                            map[string]uint64
	backend                                                       time.Duration
	took                                                          histogram
}

func (r *row) total() (n uint64) {
	for i := range r.hits {
		n += r.hits[i].hits.Load()
	}
	return n
}

// update changes what is counted of the digest that had the row at that generation; false if it has it no longer.
func (r *row) update(generation uint32, change func(*counts)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.generation.Load() != generation {
		return false
	}
	change(&r.counts)
	return true
}

// calls are those so far, under the lock.
func (r *row) calls() uint64 {
	return r.total() - r.since + r.counts.calls()
}

func (c *counts) calls() uint64 {
	n := c.misses + c.joined
	for _, k := range c.notCached {
		n += k
	}
	return n
}

// notice sets last if there were calls since somebody looked, under the lock.
func (r *row) notice(now time.Time) {
	if n := r.calls(); n != r.seen {
		r.seen, r.last = n, now
	}
}

// stats are the row's at the moment now; false if it has no digest.
func (r *row) stats(now time.Time) (s Stats, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named.ID == 0 {
		return Stats{}, false
	}
	r.notice(now)
	s = r.counts.stats(r.total() - r.since)
	s.Schema, s.Text, s.Tables, s.Last = r.named.Schema, r.named.Text, r.tables, r.last
	s.Digest = hex(r.named.ID)
	return s, true
}

func (c *counts) stats(hits uint64) Stats {
	s := Stats{
		Calls: c.calls() + hits, Hits: hits, Misses: c.misses, Joined: c.joined, Stores: c.stores, Bytes: c.bytes, Changed: c.changed,
		WouldHits: c.wouldHits, WouldBytes: c.wouldBytes, Refused: maps.Clone(c.refused), NotCached: maps.Clone(c.notCached),
		BackendSeconds: c.backend.Seconds(), P50: c.took.quantile(.5), P99: c.took.quantile(.99),
	}
	if c.took.n > 0 {
		s.SavedSeconds = float64(hits+c.joined) * s.BackendSeconds / float64(c.took.n)
	}
	return s
}

// add adds what another one has counted.
func (c *counts) add(o *counts) {
	c.misses, c.joined, c.stores, c.bytes = c.misses+o.misses, c.joined+o.joined, c.stores+o.stores, c.bytes+o.bytes
	c.changed, c.wouldHits, c.wouldBytes = c.changed+o.changed, c.wouldHits+o.wouldHits, c.wouldBytes+o.wouldBytes
	c.refused, c.notCached = addAll(c.refused, o.refused), addAll(c.notCached, o.notCached)
	c.backend += o.backend
	c.took.merge(&o.took)
}

func addAll(to, from map[string]uint64) map[string]uint64 {
	for k, n := range from {
		to = addTo(to, k, n)
	}
	return to
}

func addTo(m map[string]uint64, key string, n uint64) map[string]uint64 {
	if m == nil {
		m = map[string]uint64{}
	}
	m[key] += n
	return m
}
