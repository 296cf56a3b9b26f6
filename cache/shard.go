package cache

import (
	"sync"
	"sync/atomic"
)

// shard is a part of the store with its own lock, which only writers take.
//
// But for the table, all of it belongs to the lock; methods want it to be held, unless they say that they take it.
type shard struct {
	table atomic.Pointer[table]
	cells *cells
	ended func(*item)
	first int // of its slots in the store's directory
	span  int // how many these are

	mu        sync.Mutex
	small     queue
	main      queue
	aside     queue // what the eviction passes over, see evict.go
	unsure    int   // items from the front of aside that may not be protected any more
	seen      uint64
	ghost     ghost
	budget    int64
	inserts   uint64
	evictions uint64

	_ [64]byte // shards that different cores write to stay off each other's cache lines
}

func (s *shard) init() {
	s.small.init()
	s.main.init()
	s.aside.init()
	s.ghost = newGhost(minTable)
	s.table.Store(newTable(minTable))
}

func (s *shard) queues() [3]*queue { return [...]*queue{&s.small, &s.main, &s.aside} }

func (s *shard) bytes() int64 { return s.small.bytes + s.main.bytes + s.aside.bytes }

func (s *shard) put(hash uint64, e *Entry) bool {
	it := newItem(hash, e)
	if it.size > s.budget {
		return false
	}
	q := s.admit(it)
	s.evict(s.budget - it.size)
	q.push(it)
	s.insert(it)
	s.inserts++
	e.keptBy(1)
	return true
}

// admit says where an entry of its key belongs: in the queue that the previous one was in, which it takes out, in main
// if the key was evicted a short while ago, else in small. Nothing begins aside: it is set there at the end.
func (s *shard) admit(it *item) *queue {
	q := &s.small
	if old := s.table.Load().find(it.hash, it.entry.Key()); old != nil {
		if old.queue == &s.main {
			q = &s.main
		}
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

func (s *shard) drop(it *item) {
	it.queue.unlink(it)
	s.table.Load().delete(it)
	s.letGo(it)
}

// letGo gives back what an item that leaves the store has taken.
func (s *shard) letGo(it *item) {
	s.cells.release(it.entry)
	it.entry.keptBy(-1)
}

func (s *shard) remove(hash uint64, e *Entry) {
	if it := s.table.Load().find(hash, e.Key()); it != nil && it.entry == e {
		s.drop(it)
	}
}

func (s *shard) resize(budget int64) {
	s.budget = budget
	s.evict(budget)
}

func (s *shard) clear() {
	for _, q := range s.queues() {
		q.each(s.letGo)
	}
	s.init()
}

func (s *shard) addTo(sum *Stats) {
	sum.Entries += int64(s.table.Load().live)
	sum.Bytes += s.bytes()
	sum.Aside += s.aside.bytes
	sum.Inserts += s.inserts
	sum.Evictions += s.evictions
}
