package cache

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"
)

// cell is the exact Last of one tag that entries in tier 1 depend on. The history may make a tag look newer than it is,
// because others share its slot; while the tag has a cell, its entries look there.
type cell struct {
	last atomic.Uint64
	// The rest belongs to the lock of the cell's shard.
	tag  Tag
	refs int
	next *cell // in the same bucket
}

// dead is the last of a cell that is no longer touched: later than every AsOf, so that what depends on it is not
// servable.
const dead = math.MaxUint64

// touch notes a change at seq, unless a later one is known.
func touch(last *atomic.Uint64, seq Seq) {
	if Seq(last.Load()) < seq {
		last.Store(uint64(seq))
	}
}

// cells finds the cell of a tag. Whoever touches, takes or gives back a cell holds the lock of its shard for that long;
// readers of an entry have its cells at hand, and hold nothing. Three races end there.
//
// A change meets an entry that is just being stored, by [Ledger.register]. The applier touches the slot in the history first and looks for
// the cell second; a new cell starts from the slot, under the lock:
//
//	the applier is late                      the applier is early
//	1. the cell is made, from the slot: 90   1. the slot is touched at 95
//	2. the slot is touched at 95             2. the applier finds no cell
//	3. the applier finds the cell: 95        3. the cell is made, from the slot: 95
//
// A cell goes while somebody looks at it:
//
//  1. A reader finds an entry. It has not looked at the tags yet.
//  2. The store lets go of the entry. Nobody else needs its cell, which leaves the table.
//  3. The tag is touched, and the applier finds no cell.
//  4. The reader looks at the cell, in which 3 has left no trace.
//
// So a cell is dead before it leaves the table, and the reader in 4 has a miss. If an entry with the same tag is stored
// between 2 and 3, it gets a new cell; the old one stays dead.
//
// The ledger starts anew. [Ledger.Restart] clears the slots first and the cells second:
//
//  1. Restart clears the cells.
//  2. A cell is made from a slot of the old epoch, in which Seqs may have been larger.
//  3. Restart clears the slots.
//  4. An entry of the new epoch takes the cell, and looks changed until the stream has got as far as the old one was.
//
// An entry of the old epoch finds its cells cleared, as it would the slots, and then that the epoch is another.
type cells struct {
	shards [cellShards]cellShard
	bytes  atomic.Int64 // of all cells and buckets
}

const (
	cellShards = 256
	minBuckets = 8
	cellSize   = int64(unsafe.Sizeof(cell{}))
	bucketSize = int64(unsafe.Sizeof((*cell)(nil)))
)

type cellShard struct {
	mu      sync.Mutex
	buckets []*cell // a power of two of them, or none
	live    int

	_ [64]byte // shards that different cores lock stay off each other's cache lines
}

// at returns the tag's shard, and a number of which the low bits choose its bucket.
func (cs *cells) at(t Tag) (s *cellShard, number uint64) {
	m := mixed(t)
	return &cs.shards[m>>56], m >> 20
}

// mixed spreads tags over all bits, whatever they were made of.
func mixed(t Tag) uint64 { return uint64(t) * 0x9e3779b97f4a7c15 }

// touch notes a change at seq if the tag has a cell.
func (cs *cells) touch(t Tag, seq Seq) {
	s, number := cs.at(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.find(t, number); c != nil {
		touch(&c.last, seq)
	}
}

// take returns the tag's cell, for one more user. A new one starts from the tag's slot in the history.
func (cs *cells) take(t Tag, slot *atomic.Uint64) *cell {
	s, number := cs.at(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(t, number)
	if c == nil {
		c = &cell{tag: t}
		c.last.Store(slot.Load())
		cs.bytes.Add(cellSize + s.insert(c, number))
	}
	c.refs++
	return c
}

// give takes back what take has returned. The last one to give a cell back ends it.
func (cs *cells) give(c *cell) {
	s, number := cs.at(c.tag)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.refs--; c.refs == 0 {
		c.last.Store(dead)
		cs.bytes.Add(s.remove(c, number) - cellSize)
	}
}

// reset forgets all changes.
func (cs *cells) reset() {
	for i := range cs.shards {
		cs.shards[i].reset()
	}
}

func (s *cellShard) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.buckets {
		for ; c != nil; c = c.next {
			c.last.Store(0)
		}
	}
}

func (s *cellShard) find(t Tag, number uint64) *cell {
	if s.live == 0 {
		return nil
	}
	c := *s.bucket(number)
	for c != nil && c.tag != t {
		c = c.next
	}
	return c
}

func (s *cellShard) bucket(number uint64) **cell {
	return &s.buckets[number&uint64(len(s.buckets)-1)]
}

// insert returns by how much the buckets have grown, in bytes.
func (s *cellShard) insert(c *cell, number uint64) (grown int64) {
	if s.live >= len(s.buckets) {
		grown = s.rebuild(max(minBuckets, 2*len(s.buckets)))
	}
	s.push(c, number)
	s.live++
	return grown
}

func (s *cellShard) push(c *cell, number uint64) {
	b := s.bucket(number)
	c.next, *b = *b, c
}

// remove returns by how much the buckets have grown, which is not above zero.
func (s *cellShard) remove(c *cell, number uint64) (grown int64) {
	at := s.bucket(number)
	for *at != c {
		at = &(*at).next
	}
	*at, c.next = c.next, nil
	if s.live--; len(s.buckets) > minBuckets && s.live < len(s.buckets)/8 {
		grown = s.rebuild(len(s.buckets) / 2)
	}
	return grown
}

func (s *cellShard) rebuild(size int) (grown int64) {
	old := s.buckets
	s.buckets = make([]*cell, size)
	for _, c := range old {
		for c != nil {
			next := c.next
			s.push(c, mixed(c.tag)>>20)
			c = next
		}
	}
	return int64(len(s.buckets)-len(old)) * bucketSize
}
