package cache

import "sync/atomic"

const minTable = 64

// deleted marks a slot whose item is gone; a search goes on past it.
var deleted = new(item)

// table finds items by hash and key: open addressing with linear probing. Writers hold the shard's lock. Readers hold
// nothing: an item never moves within a table, so that a reader who probes while a writer works finds what was there
// before or what is there after; when the table is rebuilt, a reader of the old one finds what it held at that
// moment, which costs at most a miss, or a hit on an entry that the rule still has to let through.
type table struct {
	slots []atomic.Pointer[item]
	mask  uint64
	live  int // items
	taken int // items and deleted marks
}

func newTable(size int) *table {
	return &table{slots: make([]atomic.Pointer[item], size), mask: uint64(size - 1)}
}

func (t *table) find(hash uint64, key []byte) *item {
	for i := hash & t.mask; ; i = (i + 1) & t.mask {
		it := t.slots[i].Load()
		if it == nil {
			return nil
		}
		if it.hash == hash && it != deleted && it.entry.hasKey(key) {
			return it
		}
	}
}

func (t *table) full() bool   { return t.taken >= len(t.slots)/4*3 }
func (t *table) sparse() bool { return len(t.slots) > minTable && t.live < len(t.slots)/8 }

func (t *table) insert(it *item) {
	for i := it.hash & t.mask; ; i = (i + 1) & t.mask {
		if t.slots[i].Load() == nil {
			t.slots[i].Store(it)
			t.live++
			t.taken++
			return
		}
	}
}

func (t *table) delete(it *item) {
	for i := it.hash & t.mask; ; i = (i + 1) & t.mask {
		switch t.slots[i].Load() {
		case it:
			t.slots[i].Store(deleted)
			t.live--
			return
		case nil:
			panic("cache: item is in a queue but not in the table")
		}
	}
}

// tableSize returns the size at which a table of so many items is at most half full.
func tableSize(items int) int {
	size := minTable
	for size < 2*(items+1) {
		size *= 2
	}
	return size
}

// rebuilt returns a table with the same items, at most half full, without deleted marks.
func (t *table) rebuilt() *table {
	n := newTable(tableSize(t.live))
	for i := range t.slots {
		if it := t.slots[i].Load(); it != nil && it != deleted {
			n.insert(it)
		}
	}
	return n
}

// ghost remembers which keys were evicted from the small queue a while ago: a table of hashes in which a newer one
// overwrites an older.
type ghost struct {
	hashes []uint64
}

func newGhost(size int) ghost { return ghost{hashes: make([]uint64, size)} }

// resize keeps what it remembers, as far as there is room for it.
func (g *ghost) resize(size int) {
	if size == len(g.hashes) {
		return
	}
	old := g.hashes
	*g = newGhost(size)
	for _, hash := range old {
		g.add(hash)
	}
}

func (g *ghost) add(hash uint64) { g.hashes[hash%uint64(len(g.hashes))] = hash }

func (g *ghost) has(hash uint64) bool { return g.hashes[hash%uint64(len(g.hashes))] == hash }
