package cache

// Each calls f for every entry that is stored, servable or not. It holds no lock: what is stored or evicted meanwhile may
// be among them or not. It is for those who want to look into the cache, not for serving.
func (c *Cache) Each(f func(*Entry)) {
	for i := range c.store.shards {
		for items := range c.store.shards[i].walk() {
			for _, it := range items {
				f(it.entry)
			}
		}
	}
}
