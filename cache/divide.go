package cache

// divide splits or joins shards until each has so many slots. Only who holds the lock for reshaping calls it.
//
// A reader who has found a shard in the directory looks into its table, which stays as it was when the shard was split or
// joined: as when a table is rebuilt, that costs at most a miss, or a hit on an entry that has left the store since and that
// the rule still has to let through. Items stay the same, so that what he notes in them is not lost.
func (s *Store) divide(span int) {
	for sh := range s.shards() {
		s.split(sh, span)
	}
	for n := s.slots[0].Load().span; n < span; n *= 2 {
		for slot := 0; slot < maxShards; slot += 2 * n {
			s.join(s.slots[slot].Load(), s.slots[slot+n].Load())
		}
	}
}

// split makes two shards of one, and more of these, until each has so many slots. It takes the lock.
func (s *Store) split(sh *shard, span int) {
	if sh.span <= span {
		return
	}
	half := sh.span / 2
	a, b := s.newShard(sh.first, half), s.newShard(sh.first+half, half)
	s.splitInto(sh, a, b)
	s.split(a, span)
	s.split(b, span)
}

// splitInto moves all items of a shard to its halves, which nobody else knows yet.
func (s *Store) splitInto(sh, a, b *shard) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	live := sh.table.Load().live
	for _, half := range [...]*shard{a, b} {
		half.expect(live/2, sh.ghost)
		half.budget = sh.budget / 2
	}
	for k, q := range sh.queues() {
		for !q.empty() {
			half := a
			if b.owns(slotOf(q.oldest().hash)) {
				half = b
			}
			half.takeOver(q, half.queues()[k])
		}
	}
	a.inserts, a.evictions = sh.inserts, sh.evictions
	for _, half := range [...]*shard{a, b} {
		half.evict(half.budget) // they are seldom quite as large
		s.give(half)
	}
}

// join makes one shard of two neighbours, and takes their locks: nobody else holds two.
func (s *Store) join(a, b *shard) {
	both := s.newShard(a.first, a.span+b.span)
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	both.expect(a.table.Load().live+b.table.Load().live, a.ghost, b.ghost)
	both.budget = a.budget + b.budget
	both.inserts, both.evictions = a.inserts+b.inserts, a.evictions+b.evictions
	for k, to := range both.queues() {
		from := [...]*queue{a.queues()[k], b.queues()[k]}
		for !from[0].empty() || !from[1].empty() {
			for _, q := range from { // in turn, since nobody knows which is older
				if !q.empty() {
					both.takeOver(q, to)
				}
			}
		}
	}
	s.give(both)
}

// expect prepares a new shard for so many items of others, and has it remember which keys these have evicted.
func (s *shard) expect(items int, evicted ...ghost) {
	t := newTable(tableSize(items))
	s.table.Store(t)
	s.ghost.resize(len(t.slots))
	for _, g := range evicted {
		for _, hash := range g.hashes {
			if hash != 0 { // of a free place
				s.ghost.add(hash)
			}
		}
	}
}

// takeOver moves the oldest item of another shard's queue into one of its own.
func (s *shard) takeOver(from, to *queue) {
	it := from.oldest()
	from.unlink(it)
	to.push(it)
	s.insert(it)
}
