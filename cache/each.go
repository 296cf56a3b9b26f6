package cache

import "iter"

// Each calls f for every entry that is stored, servable or not; ghosts are none. It holds no lock: what is stored or evicted
// meanwhile may be among them or not. It is for those who want to look into the cache, not for serving.
func (c *Cache) Each(f func(*Entry)) {
	for it := range c.store.all() {
		f(it.entry)
	}
}

// all yields the items of all entries but ghosts, as [shard.walk] does, and none twice. A shard may get the items of
// another one meanwhile:
//
//  1. The items of the first of two shards are looked at.
//  2. The two become one.
//  3. The one that has the second one's slots is looked at, and has the items of both.
//
// So of each only those are taken that are in slots not yet looked at.
func (s *Store) all() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		next := 0
		for sh := range s.shards() {
			for items := range sh.walk() {
				for _, it := range items {
					if slotOf(it.hash) >= next && !it.entry.ghost && !yield(it) {
						return
					}
				}
			}
			next = sh.first + sh.span
		}
	}
}
