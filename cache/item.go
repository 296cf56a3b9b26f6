package cache

import (
	"sync/atomic"
	"unsafe"
)

const maxUses = 3

// item is an entry's place in a shard. Readers look at hash, entry and uses; the rest belongs to the shard's lock.
type item struct {
	hash  uint64
	entry *Entry
	size  int64
	uses  atomic.Uint32

	queue      *queue
	prev, next *item
}

// overhead is what an entry costs beyond its bytes: the two structs as Go's heap rounds them, and the slots in the table
// and in the ghost queue, of which there are up to four each for every entry.
const overhead = int64((unsafe.Sizeof(item{})+15)&^15+(unsafe.Sizeof(Entry{})+15)&^15) + 4*(8+8)

func newItem(hash uint64, e *Entry) *item {
	return &item{hash: hash, entry: e, size: int64(cap(e.data)) + 8*int64(cap(e.Tags)) + overhead}
}

// used notes a hit. Entries that are hit all the time stay at the maximum and are not written to.
func (it *item) used() {
	if n := it.uses.Load(); n < maxUses {
		it.uses.CompareAndSwap(n, n+1)
	}
}

// queue is a list of items, oldest first, around a sentinel.
type queue struct {
	root  item
	bytes int64
}

func (q *queue) init() {
	q.root.prev, q.root.next = &q.root, &q.root
	q.bytes = 0
}

func (q *queue) empty() bool   { return q.root.next == &q.root }
func (q *queue) oldest() *item { return q.root.next }

func (q *queue) push(it *item) {
	it.queue = q
	it.prev, it.next = q.root.prev, &q.root
	it.prev.next, it.next.prev = it, it
	q.bytes += it.size
}

func (q *queue) unlink(it *item) {
	it.prev.next, it.next.prev = it.next, it.prev
	it.prev, it.next = nil, nil
	q.bytes -= it.size
}

// each calls f for every item; f may unlink the one it is given.
func (q *queue) each(f func(*item)) {
	for it := q.root.next; it != &q.root; {
		next := it.next
		f(it)
		it = next
	}
}
