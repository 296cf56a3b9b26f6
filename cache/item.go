package cache

import (
	"sync/atomic"
	"unsafe"
)

// item is an entry's place in a shard. Readers look at hash, entry, uses and since; the rest belongs to the shard's lock.
type item struct {
	hash  uint64
	entry *Entry
	size  int64
	uses  atomic.Uint32 // rounds in the low byte, hits above
	since tick          // when the key came, or came back

	queue      *queue
	prev, next *item
}

// overhead is what an entry costs beyond its bytes: the two structs as Go's heap rounds them, and the slots in the table
// and in the ghost queue, of which there are up to four each for every entry. Its cells are counted apart, see [room].
const overhead = int64((unsafe.Sizeof(item{})+15)&^15+(unsafe.Sizeof(Entry{})+15)&^15) + 4*(8+8)

func newItem(hash uint64, e *Entry) *item {
	lists := 8*int64(cap(e.Tags)) + int64(unsafe.Sizeof(Share{}))*int64(cap(e.Shares))
	if cap(e.cells) > fewCells {
		lists += 8 * int64(cap(e.cells))
	}
	return &item{hash: hash, entry: e, size: int64(cap(e.data)) + e.size + lists + overhead, since: tickOf(e.stored)}
}

// An item's uses are two numbers. Rounds say how many more times the eviction passes it over; a key that is asked for
// earns them, whether its entry could be served or not. Hits say how many times at least the entry was served.
const (
	maxRounds = 3
	aRound    = 1
	aHit      = 1 << 8
	maxHits   = 1<<24 - 1
)

func (it *item) rounds() uint32 { return it.uses.Load() & (aHit - 1) }
func (it *item) hits() uint32   { return it.uses.Load() / aHit }

// setRounds may lose a use that is noted at the same moment.
func (it *item) setRounds(n uint32) { it.uses.Store(it.hits()*aHit + n) }

// inherit takes over what is the key's from the item whose place it takes, before anybody finds it: rounds and heat. The
// hits were those of another entry.
func (it *item) inherit(old *item) {
	it.uses.Store(old.rounds())
	it.since = old.since
	it.entry.heat.inherit(&old.entry.heat)
}

// used notes that the key was asked for. What is asked for all the time stays at the maximum and is not written to.
func (it *item) used() {
	if n := it.uses.Load(); n%aHit < maxRounds {
		it.uses.CompareAndSwap(n, n+aRound)
	}
}

// hit notes that the entry was served. It counts the first time, and then as often as it writes for the rounds' sake.
func (it *item) hit() {
	n := it.uses.Load()
	switch {
	case n%aHit < maxRounds && n/aHit < maxHits:
		it.uses.CompareAndSwap(n, n+aRound+aHit)
	case n < aHit:
		it.uses.CompareAndSwap(n, n+aHit)
	}
}

// queue is a list of items, oldest first, around a sentinel.
type queue struct {
	root  item
	bytes int64
	len   int
}

func (q *queue) init() {
	q.root.prev, q.root.next = &q.root, &q.root
	q.bytes, q.len = 0, 0
}

func (q *queue) empty() bool   { return q.root.next == &q.root }
func (q *queue) oldest() *item { return q.root.next }

func (q *queue) push(it *item) { q.insert(it, q.root.prev) }

// pushOldest makes it the next one to be looked at.
func (q *queue) pushOldest(it *item) { q.insert(it, &q.root) }

func (q *queue) insert(it, after *item) {
	it.queue = q
	it.prev, it.next = after, after.next
	it.prev.next, it.next.prev = it, it
	q.bytes += it.size
	q.len++
}

func (q *queue) unlink(it *item) {
	it.prev.next, it.next.prev = it.next, it.prev
	it.prev, it.next = nil, nil
	q.bytes -= it.size
	q.len--
}

// each calls f for every item; f may unlink the one it is given.
func (q *queue) each(f func(*item)) {
	for it := q.root.next; it != &q.root; {
		next := it.next
		f(it)
		it = next
	}
}
