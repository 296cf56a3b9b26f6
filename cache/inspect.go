package cache

import (
	"math"
	"time"
)

// Inspection says how an entry stands, for those who ask why an answer comes from the cache or does not. It decides
// nothing: what may be served is decided by [Cache.Get] when it is served.
type Inspection struct {
	// Stored: the key has an entry in memory. All else is zero if it has none.
	Stored bool
	// Servable: it could be served at the moment at which it was looked at.
	Servable bool
	// Why it could not: one of changed, other_epoch, too_old, and not_current, which is the only one that passes.
	Why string
	// Tag is the one that changed last after the entry was read, and Changed when, if Why is changed. Of several that changed
	// at once it is the first, which is the broadest.
	Tag     Tag
	Changed Seq
	// Age is how long ago a server gave the result.
	Age time.Duration
	// AsOf is the place up to which the result contains every change.
	AsOf Mark
	// Hits are how many times it was served, at least: a hit on what is asked for all the time is not written down.
	Hits uint64
	// Bytes are what it takes of the budget, without its cells.
	Bytes int64
	// Rate is an estimate of how often it is asked for, per second.
	Rate float64
}

// Reasons why an entry could not be served.
const (
	WhyChanged    = "changed"     // something that it depends on has changed
	WhyOtherEpoch = "other_epoch" // the place in the stream was lost since
	WhyTooOld     = "too_old"     // it is older than max_age
	WhyNotCurrent = "not_current" // the ledger is not known to be complete as of a moment within the bound
)

// Inspect says how the entry for key stands, given that an answer must contain every change committed before now - bound.
// It is no use of the entry: it does not count as a hit, keeps nothing from being evicted, and notes no heat. It takes no
// lock.
func (c *Cache) Inspect(key []byte, bound time.Duration) Inspection {
	it := c.store.find(Hash(key), key)
	if it == nil {
		return Inspection{}
	}
	return c.inspect(it, bound)
}

// EachInspected calls f for every entry in memory, as [Cache.Each] does. How long ago the ledger was known to be complete
// does not matter: only if it is not known at all, Why says not_current. F must not change the key.
func (c *Cache) EachInspected(f func(key []byte, i Inspection)) {
	for it := range c.store.all() {
		if i := c.inspect(it, math.MaxInt64); i.Stored {
			f(it.entry.Key(), i)
		}
	}
}

// inspect looks in the order that [Ledger.Fresh] needs: the stream before the tags, the epoch after them. An entry may
// leave the store under its eyes:
//
//  1. An entry is found.
//  2. The store lets go of it. Nobody else needs one of its cells, which dies: it says later than everything.
//  3. The cell is looked at. What it says is not when its tag changed.
//
// So a dead cell means that the entry is not stored any more. It may also have been stored under other cells since, which
// another look would find; that is not worth it.
func (c *Cache) inspect(it *item, bound time.Duration) Inspection {
	e, now := it.entry, c.ledger.Now()
	i := Inspection{Stored: true, Age: now - e.read, AsOf: e.At, Hits: uint64(it.hits()), Bytes: it.size, Rate: it.rate(tickOf(now))}
	current := c.ledger.Current(now, bound)
	n, last := lastChanged(e)
	switch {
	case last == dead:
		return Inspection{}
	case e.At.Epoch != c.ledger.Epoch(), e.At.Seq < c.ledger.Floor():
		i.Why = WhyOtherEpoch
	case last > e.At.Seq:
		i.Why, i.Tag, i.Changed = WhyChanged, e.Tags[n], last
	case i.Age > c.maxAge:
		i.Why = WhyTooOld
	case !current:
		i.Why = WhyNotCurrent
	}
	i.Servable = i.Why == ""
	return i
}

// lastChanged returns which of e's tags changed last, and when.
func lastChanged(e *Entry) (n int, last Seq) {
	for i, c := range e.cells {
		if seq := Seq(c.last.Load()); seq > last {
			n, last = i, seq
		}
	}
	return n, last
}
