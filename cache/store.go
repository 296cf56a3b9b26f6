package cache

import (
	"math/bits"
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
type Store struct {
	shards []shard
	shift  uint // hash >> shift is the shard's index
	room   room
}

// NewStore returns a store with a budget of size bytes, which is to hold entries of up to limit bytes.
func NewStore(size, limit int64) *Store {
	return newStore(size, limit, new(cells), func(*item) {})
}

// newStore returns a store of entries that have cells, which count against the budget. It calls ended for each item of
// which the entry is replaced or swept, before the entry gives its cells back; ended must not call the store.
func newStore(size, limit int64, cells *cells, ended func(*item)) *Store {
	n := shardCount(size, limit)
	s := &Store{shards: make([]shard, n), shift: uint(64 - bits.TrailingZeros(uint(n))), room: room{cells: cells}}
	for i := range s.shards {
		s.shards[i].cells, s.shards[i].ended = cells, ended
		s.shards[i].init()
	}
	s.Resize(size)
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
	return s.shard(hash).table.Load().find(hash, key)
}

// Put stores e in place of what its key had before, and evicts others until the budget holds. It reports false, and
// stores nothing, if e alone is too large for it.
func (s *Store) Put(hash uint64, e *Entry) bool {
	s.makeRoom()
	return s.shard(hash).put(hash, e)
}

// Remove takes e out if it is still what its key finds.
func (s *Store) Remove(hash uint64, e *Entry) { s.shard(hash).remove(hash, e) }

// Clear takes everything out.
func (s *Store) Clear() {
	for i := range s.shards {
		s.shards[i].clear()
	}
}

// Sweep takes out every entry that keep refuses, one shard at a time; between shards it calls pause, which may sleep,
// and it stops when pause returns false. It returns the number of entries that went.
func (s *Store) Sweep(keep func(*Entry) bool, pause func() bool) (gone int) {
	for i := range s.shards {
		gone += s.shards[i].sweep(keep)
		if !pause() {
			break
		}
	}
	return gone
}

// Stats are the store's figures: what is in it now and what was evicted since the start. Bytes has the cells that
// entries depend on, too.
type Stats struct {
	Entries   int64
	Bytes     int64
	Budget    int64
	Evictions uint64
}

// Stats adds up the shards, one after the other.
func (s *Store) Stats() (sum Stats) {
	sum.Budget, sum.Bytes = s.room.size.Load(), s.room.cells.bytes.Load()
	for i := range s.shards {
		s.shards[i].addTo(&sum)
	}
	return sum
}

func (s *Store) shard(hash uint64) *shard { return &s.shards[hash>>s.shift] }

// shard is a part of the store with its own lock, which only writers take.
type shard struct {
	table atomic.Pointer[table]
	cells *cells
	ended func(*item)

	mu        sync.Mutex
	small     queue
	main      queue
	ghost     ghost
	budget    int64
	evictions uint64

	_ [64]byte // shards that different cores write to stay off each other's cache lines
}

func (s *shard) init() {
	s.small.init()
	s.main.init()
	s.ghost = newGhost(minTable)
	s.table.Store(newTable(minTable))
}

func (s *shard) put(hash uint64, e *Entry) bool {
	it := newItem(hash, e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if it.size > s.budget {
		return false
	}
	q := s.admit(it)
	s.evict(s.budget - it.size)
	q.push(it)
	s.insert(it)
	return true
}

// admit says where an entry of its key belongs: in the queue that the previous one was in, which it takes out, in main
// if the key was evicted a short while ago, else in small.
func (s *shard) admit(it *item) *queue {
	q := &s.small
	if old := s.table.Load().find(it.hash, it.entry.Key()); old != nil {
		q = old.queue
		it.inherit(old)
		s.ended(old)
		s.drop(old)
	} else if s.ghost.has(it.hash) {
		q = &s.main
	}
	return q
}

func (s *shard) insert(it *item) {
	t := s.table.Load()
	if t.full() {
		t = t.rebuilt()
		s.table.Store(t)
		s.ghost.resize(len(t.slots))
	}
	t.insert(it)
}

// evict makes room until no more than limit is left: it looks at the oldest of the small queue while that has more than
// its share, else at the oldest of main. An entry that was used since it was last looked at gets another round.
func (s *shard) evict(limit int64) {
	for s.small.bytes+s.main.bytes > limit {
		if s.small.bytes > s.budget/10 || s.main.empty() {
			s.evictSmall(s.small.oldest())
		} else {
			s.evictMain(s.main.oldest())
		}
	}
}

func (s *shard) evictSmall(it *item) {
	if it.rounds() > 0 {
		s.small.unlink(it)
		it.setRounds(0)
		s.main.push(it)
		return
	}
	s.ghost.add(it.hash)
	s.drop(it)
	s.evictions++
}

func (s *shard) evictMain(it *item) {
	if n := it.rounds(); n > 0 {
		s.main.unlink(it)
		it.setRounds(n - 1)
		s.main.push(it)
		return
	}
	s.drop(it)
	s.evictions++
}

func (s *shard) drop(it *item) {
	it.queue.unlink(it)
	s.table.Load().delete(it)
	s.cells.release(it.entry)
}

func (s *shard) remove(hash uint64, e *Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it := s.table.Load().find(hash, e.Key()); it != nil && it.entry == e {
		s.drop(it)
	}
}

func (s *shard) resize(budget int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budget = budget
	s.evict(budget)
}

func (s *shard) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range [...]*queue{&s.small, &s.main} {
		q.each(func(it *item) { s.cells.release(it.entry) })
	}
	s.init()
}

func (s *shard) sweep(keep func(*Entry) bool) (gone int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range [...]*queue{&s.small, &s.main} {
		q.each(func(it *item) {
			if !keep(it.entry) {
				s.ended(it)
				s.drop(it)
				gone++
			}
		})
	}
	if t := s.table.Load(); t.sparse() {
		s.table.Store(t.rebuilt())
	}
	return gone
}

func (s *shard) addTo(sum *Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum.Entries += int64(s.table.Load().live)
	sum.Bytes += s.small.bytes + s.main.bytes
	sum.Evictions += s.evictions
}
