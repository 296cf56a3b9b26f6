package digest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache/dep"
)

// MaxDigests is how many digests have a row.
const MaxDigests = 2000

// maxRows is a power of two, so that a label's row needs no comparison.
const maxRows = 1 << 11

// Table counts by digest. All methods may be called from any number of goroutines. Memory: about 2 KiB for each row that was
// needed, and its text.
type Table struct {
	// rows are made when they are needed, and stay. The first is that of the others.
	rows [maxRows]atomic.Pointer[row]
	now  func() time.Time

	mu   sync.Mutex // before a row's
	used int        // rows that are made
	hand int
	byID map[uint64]Label
	gone uint64 // hits of digests that have lost their row
}

// New returns a table without digests.
func New() *Table {
	t := &Table{now: time.Now, used: 1, byID: map[uint64]Label{}}
	t.rows[0].Store(&row{})
	return t
}

// Hit counts a hit on an entry with the label. Who counts is one of many, and says which, so that those who do so at the same
// time seldom meet. It is on the hot path: it takes no lock, and does not wait. It returns a number that is one more each time
// for the same digest and counter, and starts anywhere.
func (t *Table) Hit(l Label, who uint32) uint64 {
	r := t.rows[l.row()].Load()
	if r == nil || r.generation.Load() != l.generation() {
		r = t.rows[0].Load()
	}
	return r.hits[who%stripes].hits.Add(1) + r.start
}

// Hits returns how many hits there were, of all digests.
func (t *Table) Hits() (n uint64) {
	for i := range t.rows {
		if r := t.rows[i].Load(); r != nil {
			n += r.total()
		}
	}
	return n
}

// Of returns the label of a digest, which is given a row if it has none. What it is called by, it is called by the first time.
func (t *Table) Of(n Named) Label {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.byID[n.ID]; ok {
		return l
	}
	i, r := t.free()
	l := labelOf(i, r.begin(n, t.now()))
	t.byID[n.ID] = l
	return l
}

// begin gives the row to a digest, and returns the generation.
func (r *row) begin(n Named, now time.Time) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tables, n.Tables = names(n.Tables), nil
	r.named, r.counts, r.last, r.seen, r.passed = n, counts{}, now, 0, 0
	return r.generation.Add(1)
}

// maxTables is how many tables a digest has at most: servers join 61, and a text may name thousands that there are not.
const maxTables = 64

func names(tables []dep.Name) []string {
	tables = tables[:min(len(tables), maxTables)]
	out := make([]string, len(tables))
	for i, n := range tables {
		out[i] = n.String()
	}
	return out
}

// free returns a row for another digest, under the lock.
func (t *Table) free() (int, *row) {
	if t.used <= MaxDigests {
		r := &row{start: rand.Uint64()}
		t.rows[t.used].Store(r)
		t.used++
		return t.used - 1, r
	}
	i := t.choose()
	r := t.rows[i].Load()
	t.empty(r)
	return i, r
}

// maxSteps is how many rows the hand passes at most. If all were asked for, the next one goes.
const maxSteps = 64

func (t *Table) choose() int {
	for range maxSteps {
		if t.hand = t.hand%MaxDigests + 1; !t.rows[t.hand].Load().wanted(t.now()) {
			return t.hand
		}
	}
	t.hand = t.hand%MaxDigests + 1
	return t.hand
}

// wanted reports whether the digest was asked for since the hand has come by, or once more since it came.
func (r *row) wanted(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notice(now)
	n := r.calls()
	wanted := n > r.passed+1 || n > r.passed && r.passed > 0
	r.passed = n
	return wanted
}

// empty takes the row's digest away, whose counts go to the others.
func (t *Table) empty(r *row) {
	r.mu.Lock()
	id, counted, total := r.named.ID, r.counts, r.total()
	hits := total - r.since
	r.named, r.since = Named{}, total
	r.generation.Add(1)
	r.mu.Unlock()
	delete(t.byID, id)
	t.gone += hits
	t.update(Others, func(c *counts) { c.add(&counted) })
}

func hex(id uint64) string { return fmt.Sprintf("%016x", id) }
