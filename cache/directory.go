package cache

import "iter"

// slotOf is the slot of the directory that a hash belongs to.
func slotOf(hash uint64) int { return int(hash >> 56) }

// shard returns the shard that a hash belongs to. It may belong to another one at the next moment.
func (s *Store) shard(hash uint64) *shard { return s.slots[slotOf(hash)].Load() }

func (s *Store) newShard(first, span int) *shard {
	sh := &shard{cells: s.cells, ended: s.ended, first: first, span: span}
	sh.init()
	return sh
}

// give gives a shard its slots, from which its predecessors are gone then. Their locks are held.
func (s *Store) give(sh *shard) {
	for slot := sh.first; slot < sh.first+sh.span; slot++ {
		s.slots[slot].Store(sh)
	}
}

func (s *shard) owns(slot int) bool { return slot >= s.first && slot < s.first+s.span }

// lock locks the shard that has the slot; sh is the one that had it when the caller looked. Whoever writes gets a shard so:
//
//  1. A writer finds shard X in the directory.
//  2. X is split, or made one with another. Its items are in the new shards, which are in the directory.
//  3. The writer locks X, and puts an entry into it that nobody will ever find, and that no budget counts; or takes out an
//     item that has long been in another shard's queue.
//
// Slots change hands only while the lock of who had them is held. So who has the lock and finds the shard in the directory
// may go on, and others look again.
func (s *Store) lock(sh *shard, slot int) *shard {
	for {
		sh.mu.Lock()
		now := s.slots[slot].Load()
		if now == sh {
			return sh
		}
		sh.mu.Unlock()
		sh = now
	}
}

// shards yields the shards, in the order of their slots, without a lock. Each slot is in one of those that are yielded; if
// their number changes meanwhile, it may be in two.
func (s *Store) shards() iter.Seq[*shard] {
	return func(yield func(*shard) bool) {
		for slot := 0; slot < maxShards; {
			sh := s.slots[slot].Load()
			if !yield(sh) {
				return
			}
			slot = sh.first + sh.span
		}
	}
}

// visit calls f for each shard, with its lock held, as often as shards yields it.
func (s *Store) visit(f func(*shard)) {
	for slot := 0; slot < maxShards; {
		sh := s.lock(s.slots[slot].Load(), slot)
		f(sh)
		slot = sh.first + sh.span
		sh.mu.Unlock()
	}
}
