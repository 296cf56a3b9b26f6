package cache

import "iter"

// Each calls f for every entry that is stored, servable or not; ghosts are none. It holds no lock: what is stored or evicted
// meanwhile may be among them or not. It is for those who want to look into the cache, not for serving.
func (c *Cache) Each(f func(*Entry)) {
	for it := range c.store.all() {
		f(it.entry)
	}
}

// all yields the items of all entries but ghosts, as [shard.walk] does.
func (s *Store) all() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for i := range s.shards {
			for items := range s.shards[i].walk() {
				for _, it := range items {
					if !it.entry.Ghost() && !yield(it) {
						return
					}
				}
			}
		}
	}
}
