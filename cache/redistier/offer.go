package redistier

import (
	"context"
	"time"

	"weir/cache"
)

// Offer implements [cache.Tier]. It takes what it is given: that an entry is one for others to find, such as a result and no
// description of a statement, is the caller's to decide. Call it for every result that is stored, since the cost is learned from
// it even where the result is not written.
func (t *Tier) Offer(e *cache.Entry, class cache.Class, cost time.Duration) {
	t.costs.learn(class, cost)
	if t.costs.cheap(class) {
		t.metrics.write(writeCheap)
		return
	}
	t.offer(e, e.At, cost)
}

// OfferAs offers an entry as of a later mark than its own, which the caller has to have proved, see [cache.Ledger.Fresh]: an
// entry that is fresh at a moment after the mark was taken is right as of the mark. age is how long ago it was read from a
// server. Like Offer it does not wait. It is false if the entry will not be written; if that is because the queue is full, it may
// be offered again after [Tier.Drain].
func (t *Tier) OfferAs(e *cache.Entry, at cache.Mark, age time.Duration) bool {
	return t.offer(e, at, age)
}

func (t *Tier) offer(e *cache.Entry, at cache.Mark, age time.Duration) bool {
	read := time.Now().Add(-age).UnixMilli()
	why := t.refusal(e)
	if why == "" && !t.queue.push(offer{e, at, read}) {
		why = writeFull
	}
	if why != "" {
		t.metrics.write(why)
	}
	return why == ""
}

func (t *Tier) refusal(e *cache.Entry) writeOutcome {
	switch {
	case t.nodes.root.open():
		return writeOpen
	case !t.codec.fits(e):
		return writeTooLarge
	}
	return ""
}

// Drain waits until everything that was offered before has been written or given up, while Run runs, or until ctx ends.
func (t *Tier) Drain(ctx context.Context) error {
	select {
	case <-t.queue.drained():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
