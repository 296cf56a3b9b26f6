package cache

import (
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

const (
	minShardBudget = 8 << 20
	maxShards      = 256
)

// Store is tier 1: entries in memory under a hard budget of bytes that counts keys and overheads.
//
// Why not a library: a hit must find the entry by a key that is bytes, compare the key in full, and take no lock that
// another client could hold, and a budget that an operator sets must hold at every moment; otter, the best of those
// at hand, applies its bound later, on a goroutine of its own, and wants keys that are strings. What is here is
// S3-FIFO (Yang et al., SOSP 2023): three queues and a two-bit counter, no reordering on a hit. New entries
// go through a small queue, a tenth of the budget, and only those that were asked for again get into the main
// one, so that a scan of results that nobody wants twice cannot push out those that are.
//
// It has so many shards as its size and the largest result allow. That may change at run time, see [Store.reshape], and so
// shards are found by way of a directory: each of its slots stands for a 256th of all hashes, and a shard has a run of them.
type Store struct {
	slots [maxShards]atomic.Pointer[shard]
	cells *cells
	ended func(*item)
	room  room

	reshaping sync.Mutex // one change of size, limit or shards at a time
	limit     int64
}

// NewStore returns a store with a budget of size bytes, which is to hold entries of up to limit bytes.
func NewStore(size, limit int64) *Store {
	return newStore(size, limit, new(cells), func(*item) {})
}

// newStore returns a store of entries that have cells, which count against the budget. It calls ended for each item of
// which the entry is replaced or swept, before the entry gives its cells back; ended must not call the store.
func newStore(size, limit int64, cells *cells, ended func(*item)) *Store {
	s := &Store{cells: cells, ended: ended, room: room{cells: cells}}
	s.give(s.newShard(0, maxShards))
	s.reshapeTo(size, limit)
	return s
}

// shardCount gives a power of two, small enough that a shard holds several entries of the largest size.
func shardCount(size, limit int64) int {
	n := 1
	for n < maxShards && size/int64(2*n) >= max(minShardBudget, 8*limit) {
		n *= 2
	}
	return n
}

// Hash is the hash by which Get and Put find a key.
func Hash(key []byte) uint64 { return xxh3.Hash(key) }

// Get returns the entry that is stored under key, or nil. It says nothing about whether it may be served. It takes no
// lock and allocates nothing.
func (s *Store) Get(hash uint64, key []byte) *Entry {
	it := s.find(hash, key)
	if it == nil {
		return nil
	}
	it.used()
	return it.entry
}

func (s *Store) find(hash uint64, key []byte) *item {
	return s.slots[slotOf(hash)].Load().table.Load().find(hash, key)
}

// Put stores e in place of what its key had before, and evicts others until the budget holds. It reports false, and
// stores nothing, if e alone is too large for it.
func (s *Store) Put(hash uint64, e *Entry) bool {
	s.makeRoom()
	sh := s.lock(s.shard(hash), slotOf(hash))
	defer sh.mu.Unlock()
	return sh.put(hash, e)
}

// Remove takes e out if it is still what its key finds.
func (s *Store) Remove(hash uint64, e *Entry) {
	sh := s.lock(s.shard(hash), slotOf(hash))
	defer sh.mu.Unlock()
	sh.remove(hash, e)
}

// Clear takes everything out.
func (s *Store) Clear() { s.visit((*shard).clear) }

// Stats are the store's figures: what is in it now and what was evicted since the start. Bytes has the cells that
// entries depend on, too, and Free is what it leaves of Budget. Aside are the bytes of what the eviction has set aside, see
// [Cache.Protect]. Inserts counts what was stored since the start, from whatever tier it came. Tables is how many tables the
// entries read.
type Stats struct {
	Entries   int64
	Bytes     int64
	Aside     int64
	Budget    int64
	Free      int64
	Tables    int64
	Inserts   uint64
	Evictions uint64
}

// Stats adds up the shards, one after the other. While their number changes, it may count some entries twice.
func (s *Store) Stats() (sum Stats) {
	sum.Budget, sum.Bytes = s.room.size.Load(), s.room.cells.bytes.Load()
	s.visit(func(sh *shard) { sh.addTo(&sum) })
	sum.Free = max(sum.Budget-sum.Bytes, 0)
	return sum
}
