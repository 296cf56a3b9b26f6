package cache

// evictStep is how many items an eviction looks at before it lets go of the shard's lock.
const evictStep = 512

// Resize changes the budget, and evicts until it holds. A size below zero counts as zero.
func (s *Store) Resize(size int64) {
	s.reshaping.Lock()
	defer s.reshaping.Unlock()
	s.reshapeTo(size, s.limit)
}

func (s *Store) setLimit(limit int64) {
	s.reshaping.Lock()
	defer s.reshaping.Unlock()
	s.reshapeTo(s.room.size.Load(), limit)
}

// reshapeTo changes the size of the store, and how large an entry may be, so that it is as good as one that was made so: with
// as many shards, all full. Hits need no lock meanwhile and find what is there. Who stores waits for no more than one step
// of an eviction, or for one shard to be split or to be made one with its neighbour; for the latter two see bench_test.go.
//
// First the shards get what they may have now, then there are as many of them as should be: so that shards are divided
// when there is room, and joined when they are small. The cells' part is at first a guess, since as many of them go as
// entries go:
//
//  1. Cells of 300 MiB and entries of 700 MiB are to fit into 100 MiB.
//  2. All of it is the cells', and no entry may stay.
//  3. The entries have gone, and their cells with them: the store is empty.
//
// Others change the cells meanwhile, and cannot wait until it is over:
//
//  1. Somebody stores an entry, with new cells, and sees to it that there is room for them: somebody is at that already.
//  2. The parts are looked at a last time, and fit. From now on each sees to it himself.
//  3. The entry is stored.
//
// Both look at the parts under one lock, and the cells are there before it is taken in 1. So either 2 sees them, or 1 is
// after 2 and changes the parts.
func (s *Store) reshapeTo(size, limit int64) {
	s.room.begin(max(size, 0), s.entryBytes())
	s.limit = limit
	s.approach()
	s.divide(maxShards / shardCount(max(size, 0), limit))
	s.compact()
	for !s.settled() {
		s.approach()
	}
}

// compact gives back what tables take for nothing.
func (s *Store) compact() {
	for sh := range s.shards() {
		sh.compact()
	}
	s.cells.compact()
}

// begin sets the size, and guesses the cells' part.
func (r *room) begin(size, entries int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moving = true
	r.size.Store(size)
	r.refit()
	if cells := r.cells.bytes.Load(); cells+entries > size {
		r.part.Store(int64(float64(size) * float64(cells) / float64(cells+entries)))
	}
}

// settled reports whether everything has its part, and leaves it to others to keep it so.
func (s *Store) settled() bool {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if !s.room.fits() {
		s.room.refit()
	}
	settled := true
	s.visit(func(sh *shard) { settled = settled && sh.budget == s.room.share(sh.span) })
	s.room.moving = !settled
	return settled
}

func (s *Store) entryBytes() (n int64) {
	s.visit(func(sh *shard) { n += sh.bytes() })
	return n
}

// approach gives each shard its share, a step at a time.
func (s *Store) approach() {
	for sh := range s.shards() {
		patience := sh.patience()
		for !sh.approach(s.room.share(sh.span), patience > 0) {
			patience -= evictStep
		}
	}
}

// patience is how many looks an eviction should need at most. Each item may have so many rounds; but those that are looked
// at come by more as they are asked for, and may do so as fast as somebody looks.
func (s *shard) patience() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return evictStep + (maxRounds+2)*s.table.Load().live
}

// approach takes the lock, takes the budget a step towards what it should be, and reports whether it is that. What is there
// always fits into it. Without patience rounds do not count.
func (s *shard) approach(budget int64, patient bool) (there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budget = budget // the queues' shares are those that they will have
	for n := 0; n < evictStep && s.bytes() > budget; n++ {
		if patient {
			s.lookAgain()
			s.evictOne()
		} else {
			s.evictAny()
		}
	}
	s.budget = max(budget, s.bytes())
	return s.budget == budget
}

// evictAny evicts without mercy.
func (s *shard) evictAny() {
	for _, q := range s.queues() {
		if !q.empty() {
			s.dropForRoom(q.oldest())
			return
		}
	}
}
