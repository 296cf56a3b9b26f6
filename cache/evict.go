package cache

// asideShare is the part of a shard's budget, in quarters, that may be set aside. The rest is for the entries of others,
// of which each new one would otherwise push out the one before.
const asideShare = 3

// aFew is how many of the items set aside are looked at again for each one that is evicted.
const aFew = 4

// evict makes room until no more than limit is left. It looks at the oldest of the small queue while that has more than
// its share, else at the oldest of main. An entry that was used since it was last looked at gets another round.
//
// An entry that has come to its end and is protected is set aside, in a queue of its own, where it costs the evictions to
// come nothing: each is set aside once, however long that lasts. From there entries go when nothing else is left, or
// when they have more than their share.
//
// Whether a protection has ended is asked of those set aside, a few at each eviction, once some protection has ended:
//
//  1. The eviction finds an entry protected.
//  2. The protection ends, which is counted.
//  3. The entry is set aside.
//  4. The next eviction finds that the count has changed, and that the entry is not protected.
//
// So an eviction looks at the count first and at entries second.
func (s *shard) evict(limit int64) {
	for s.bytes() > limit {
		s.lookAgain()
		s.evictOne()
	}
}

// evictOne evicts an item or moves one on.
func (s *shard) evictOne() {
	switch {
	case s.aside.bytes > s.maxAside():
		s.evictFrom(&s.aside)
	case s.small.bytes > s.budget/10, s.main.empty() && !s.small.empty():
		s.evictSmall(s.small.oldest())
	case !s.main.empty():
		s.evictFrom(&s.main)
	default:
		s.evictFrom(&s.aside)
	}
}

func (s *shard) evictSmall(it *item) {
	switch {
	case it.rounds() > 0:
		s.small.unlink(it)
		it.setRounds(0)
		s.main.push(it)
	case !s.setAside(it):
		s.ghost.add(it.hash)
		s.dropForRoom(it)
	}
}

// evictFrom looks at the oldest of main or of what is set aside.
func (s *shard) evictFrom(q *queue) {
	it := q.oldest()
	if n := it.rounds(); n > 0 {
		q.unlink(it)
		it.setRounds(n - 1)
		q.push(it)
	} else if q == &s.aside || !s.setAside(it) {
		s.dropForRoom(it)
	}
}

func (s *shard) dropForRoom(it *item) {
	s.drop(it)
	s.evictions++
}

func (s *shard) maxAside() int64 { return s.budget / 4 * asideShare }

// setAside reports whether it, which is to be evicted, may stay.
func (s *shard) setAside(it *item) bool {
	if s.aside.bytes+it.size > s.maxAside() || !s.cells.protects(it.entry) {
		return false
	}
	it.queue.unlink(it)
	s.aside.push(it)
	return true
}

// lookAgain gives a few of those that are set aside back, unless they are still protected. It was their turn to be evicted
// when they were set aside, and it is again: they become the oldest of the small queue, and those that were used
// meanwhile get from there into main. Main would keep the others for as long as nothing else gets there.
func (s *shard) lookAgain() {
	if n := s.cells.unguarded.Load(); n != s.seen {
		s.seen, s.unsure = n, s.aside.len
	}
	for range min(s.unsure, s.aside.len, aFew) {
		s.unsure--
		it := s.aside.oldest()
		s.aside.unlink(it)
		if s.cells.protects(it.entry) {
			s.aside.push(it)
		} else {
			s.small.pushOldest(it)
		}
	}
}
