package cache

import "time"

// Servable reports whether [Cache.Get] would return an entry for key. It is no use of the entry: it does not count as a
// hit, and keeps nothing from being evicted.
func (c *Cache) Servable(key []byte, bound time.Duration) bool {
	it := c.store.find(Hash(key), key)
	if it == nil {
		return false
	}
	now := c.ledger.Now()
	return now-it.entry.stored <= c.maxAge && c.ledger.Fresh(it.entry, now, bound)
}
