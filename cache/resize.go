package cache

import "context"

// Resize changes the budget (query_cache_size), and evicts until it holds. Hits go on meanwhile, and so do stores. With 0,
// or less, nothing is kept. It may be called from anywhere, and returns when the budget holds.
func (c *Cache) Resize(size int64) { c.store.Resize(size) }

// SetLimit changes how large a result may be to be stored (query_cache_limit). What is stored already stays, unless
// it is larger than a shard for results of the new size. With 0, or less, nothing is stored. It may be called from anywhere.
func (c *Cache) SetLimit(limit int64) {
	c.limit.Store(max(limit, 0))
	c.store.setLimit(max(limit, 0))
}

// Tidy gives back what cannot be served any more, and memory that is held for nothing, and keeps all else (FLUSH QUERY CACHE).
// It is the sweep, but now, and returns when it is through: it rests a millisecond for every few thousand entries.
func (c *Cache) Tidy() { c.sweep(context.Background()) }
