package cache

import "sync"

// Protect keeps the entries that depend on tag in memory, those that are stored already and those to come, until release
// is called: the eviction takes others instead, as long as there are others. Three things are stronger:
//
//   - The budget holds at every moment. If what is protected exceeds it, some of that goes.
//   - At most three quarters of the budget are kept for what is protected, so that the others still have a cache.
//   - An entry that a change has ended is not worth keeping, and goes as it would have gone.
//
// Protection decides about memory and never about what is served. It is meant for a few tags at a time, such as the tables
// of which the schema is being changed; several may protect one tag. Release may be called more than once.
func (c *Cache) Protect(tag Tag) (release func()) {
	cells := &c.ledger.cells
	guarded := cells.guard(tag, c.ledger)
	return sync.OnceFunc(func() { cells.unguard(tag, guarded) })
}

// Dependents returns how many entries in tier 1 depend on tag, servable or not, and how many are just being stored.
func (c *Cache) Dependents(tag Tag) int { return c.ledger.cells.users(tag) }

// guard takes the tag's cell, so that entries stored from now on get the same one.
func (cs *cells) guard(t Tag, l *Ledger) *cell {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := cs.taken(s, t, &l.history)
	c.guards.Add(1)
	cs.guards.Add(1)
	return c
}

// unguard gives it back. What was set aside for its sake is looked at again, see [shard.evict].
func (cs *cells) unguard(t Tag, c *cell) {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.guards.Add(-1)
	cs.guards.Add(-1)
	cs.unguarded.Add(1)
	cs.given(s, t, c)
}

// users returns how many entries have the tag's cell.
func (cs *cells) users(t Tag) int {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(t)
	if c == nil {
		return 0
	}
	return int(c.refs - c.guards.Load() - s.kept[t])
}

// protects reports whether an entry in the store depends on a guarded tag, and no change has ended it.
func (cs *cells) protects(e *Entry) bool {
	return cs.guards.Load() > 0 && guarded(e.cells) && !changed(e.cells, e.At.Seq)
}

func guarded(cells []*cell) bool {
	for _, c := range cells {
		if c.guards.Load() > 0 {
			return true
		}
	}
	return false
}
