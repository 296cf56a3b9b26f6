package cache

import "time"

// Servable reports whether [Cache.Get] would return an entry for key. It is no use of the entry: it does not count as a
// hit, and keeps nothing from being evicted.
func (c *Cache) Servable(key []byte, bound time.Duration) bool {
	it := c.store.find(Hash(key), key)
	if it == nil {
		return false
	}
	return c.mayServe(it.entry, bound)
}

// mayServe is what both ask: the rule, and max_age.
func (c *Cache) mayServe(e *Entry, bound time.Duration) bool {
	now := c.ledger.Now()
	return now-e.read <= c.maxAge && c.ledger.Fresh(e, now, bound)
}
