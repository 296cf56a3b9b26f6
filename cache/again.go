package cache

import "sync"

// again remembers results that were refused because their table does not pay, to tell those that would have been hits.
// A table of which most results are changed before they are used may have others that never change; and one that did
// not pay may have begun to. Those are refused once:
//
//  1. A result with AsOf 90 is refused. Its key and 90 are remembered.
//  2. The key is asked for again. What the result depends on last changed at 80: the refused one would have been a hit.
//  3. The new one is stored.
//
// It is a table of fixed size, in which a newer one overwrites an older. What it forgets, or takes for another key with
// the same hash, is stored later or earlier than it should be, and nothing else.
type again struct {
	mu      sync.Mutex
	refused []refusedResult // 192 KiB, once there is one
}

type refusedResult struct {
	hash uint64
	at   Mark
}

const againSize = 1 << 13

// asked reports whether a result with the hash was refused and would still be servable, given what is needed now. If
// not, it remembers that one as of at is refused now.
func (a *again) asked(hash uint64, at, need Mark) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refused == nil {
		a.refused = make([]refusedResult, againSize)
	}
	r := &a.refused[hash%againSize]
	if r.hash == hash && covers(r.at, need) {
		return true
	}
	*r = refusedResult{hash, at}
	return false
}
