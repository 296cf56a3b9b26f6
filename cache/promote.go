package cache

import "time"

// Promote takes an entry that was made of a [Copy] into tier 1, if there is room, and reports whether it may be served now,
// given that an answer must contain every change committed before now - bound. It may be served although it was not stored:
// because it is too large for its shard, or because results of its table are refused for a while. The caller shares e with
// nobody before. Age is the copy's.
//
// Whoever calls must have made the entry's tags, and its mark, in the epoch in which the copy was found; see package proxy.
// What is decided here is the rule, and max_age:
//
//  1. A copy is found, as of 90 in the first epoch.
//  2. The ledger starts again, with nothing known.
//  3. Promote gives the entry cells, which say that nothing was ever touched.
//  4. The rule looks at the epoch last: not served.
//
// The age is told by another process's clock, so that it counts for max_age alone. That a transaction may rely on the
// ledger being complete as of a moment after the result was read, see [Ledger.FreshAt], needs a moment that is certain:
// stored is now, when the result is here.
//
// A Yield hears nothing of it, neither now nor when a change ends the entry: it is about results that are read to be
// stored. As long as it refuses those of a table, this is not stored either, but for what is asked for again.
func (c *Cache) Promote(e *Entry, age, bound time.Duration) (servable bool) {
	e.promoted, e.stored = true, c.ledger.Now()
	e.read = e.stored - max(age, 0)
	c.ledger.register(e)
	if !c.mayServe(e, bound) {
		c.ledger.cells.release(e)
		c.metrics.promotions.WithLabelValues(c.whyNotServed(e, bound)).Inc()
		return false
	}
	outcome := servedOnly
	if e.resultSize() <= c.Limit() && c.keep(e) == Stored {
		outcome = promotedStored
	} else {
		c.ledger.cells.release(e)
	}
	c.metrics.promotions.WithLabelValues(outcome).Inc()
	return true
}

// whyNotServed names the reason, for the counter: not what decides.
func (c *Cache) whyNotServed(e *Entry, bound time.Duration) string {
	now := c.ledger.Now()
	switch {
	case now-e.read > c.maxAge:
		return tooOld
	case !c.ledger.Current(now, bound):
		return string(RefusedNoStream)
	case e.At.Epoch != c.ledger.Epoch():
		return string(RefusedUnproved)
	}
	return changedSince
}

// Outcomes of a promotion, beside refusals.
const (
	promotedStored = "stored"
	servedOnly     = "served"
	tooOld         = "too_old"
	changedSince   = "changed"
)
