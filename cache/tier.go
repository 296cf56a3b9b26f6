package cache

import (
	"context"
	"time"
)

// Copy is what a second tier has for a key. Nothing of it has been judged by the ledger yet but that its mark is a place in
// the history which is followed.
type Copy struct {
	// Wire are the packets, as in [Entry.Wire]. The receiver may keep it.
	Wire []byte
	// Tags are those by which whoever has stored it would have judged it.
	Tags []Tag
	At   Mark
	// Age is how long ago the result was read from a server.
	Age       time.Duration
	Versioned bool
}

// Class stands for all statements that differ only in their literals, so that a tier can learn what they cost. Zero is none.
type Class uint64

// Tier is a second tier: slower than memory, shared with others, and trusted with nothing. Whatever it returns is judged
// by the ledger of this process. Both methods are called from any number of goroutines.
type Tier interface {
	// Find looks a key up. It returns false if there is nothing, for whatever reason, and never takes longer than the
	// tier's own budget.
	Find(ctx context.Context, key []byte, class Class) (Copy, bool)
	// Offer hands over an entry that has just been stored in memory, and how long a server took to answer. It must not
	// wait, and may keep e, which does not change.
	Offer(e *Entry, class Class, cost time.Duration)
}
