package cache

import "time"

// NewGhost returns an entry without a result: what would have been stored, if anything was, so that one can see what that
// would come to. It counts against the budget as if it had a result of size bytes, is admitted, judged and evicted like
// any other, and is never served; see [Cache.WouldHit]. It copies key, which the caller may use again, and keeps tags.
func NewGhost(key []byte, size int, tags []Tag, at Mark) *Entry {
	e := NewEntry(key, nil, tags, at)
	e.ghost, e.size = true, int64(size)
	return e
}

// Ghost says whether e is one, see [NewGhost]. It has no bytes to be sent to anybody.
func (e *Entry) Ghost() bool { return e.ghost }

// resultSize is how many bytes of result e has, or would have.
func (e *Entry) resultSize() int64 { return int64(len(e.Wire())) + e.size }

// ghostHash is what makes the hash of a ghost another one than that of an entry with the same key. That is why [Cache.Get]
// and [Cache.GetAt] cannot find a ghost, and need not look whether what they find is one: what they find has the key's hash
// and, byte for byte, the key; and a ghost of the key has another hash.
const ghostHash = 0x9e3779b97f4a7c15

// storeHash is the hash by which the store finds e.
func (e *Entry) storeHash() uint64 {
	hash := Hash(e.Key())
	if e.ghost {
		hash ^= ghostHash
	}
	return hash
}

// WouldHit is for ghosts what [Cache.Get] is for entries: it returns the ghost for key if an entry in its place could be
// served now, and notes that as a hit; else nil.
func (c *Cache) WouldHit(key []byte, bound time.Duration) *Entry {
	it := c.store.find(Hash(key)^ghostHash, key)
	if it == nil || !it.entry.ghost {
		return nil
	}
	if !c.mayServe(it.entry, bound) {
		it.used()
		return nil
	}
	it.hit()
	return it.entry
}
