package cache

// Each calls f for every entry that is stored, servable or not. No entry is stored or evicted meanwhile: it is for those
// who want to look into the cache, not for serving.
func (c *Cache) Each(f func(*Entry)) {
	c.store.Sweep(func(e *Entry) bool { f(e); return true }, func() bool { return true })
}
