package cache

import (
	"context"
	"errors"
	"time"
)

// Keeper takes what is to be found in a second tier after a restart.
type Keeper interface {
	// OfferAs is [Tier.Offer] for an entry that has been in memory for a while: it is right as of the mark, and a server gave
	// it so long ago. It may wait, since nobody else does, and may keep e.
	OfferAs(e *Entry, at Mark, age time.Duration)
}

// Warmth bounds what [Cache.KeepWarm] hands over at a time.
type Warmth struct {
	// Every is how long it is from one time to the next. What a process that starts again can still use is no older than
	// the place in the stream from which it goes on: so it should be a third of how far back that may be.
	Every time.Duration
	// Entries and Bytes bound what is handed over each time. Bytes are those of keys and results.
	Entries int
	Bytes   int64
}

// DefaultWarmth hands over the hottest 20,000 entries, of 64 MiB together, every five minutes.
func DefaultWarmth() Warmth { return Warmth{Every: 5 * time.Minute, Entries: 20000, Bytes: 64 << 20} }

// Validate reports what is wrong with w.
func (w Warmth) Validate() error {
	switch {
	case w.Every <= 0:
		return errors.New("how often entries are kept warm must be above zero")
	case w.Entries < 0, w.Bytes < 0:
		return errors.New("the bounds of what is kept warm must not be negative; 0 keeps nothing warm")
	}
	return nil
}

// KeepWarm hands the entries that are asked for most to the keeper, again and again until ctx ends. Whoever stops calls
// [Cache.Spill] once more, while the ledger is still written to: what had changed before would be handed over as of before
// the change, and be of no use.
func (c *Cache) KeepWarm(ctx context.Context, w Warmth, k Keeper) {
	ticker := time.NewTicker(w.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.Spill(ctx, w, k)
		case <-ctx.Done():
			return
		}
	}
}

// Spill hands the entries over that are asked for most and that nothing has changed since, and returns how many there were.
//
// Why an entry is right as of a mark that was taken after it was stored: call A its AsOf, and m the mark.
//
//  1. The mark m is taken. Every change up to m has been recorded by then, see [Ledger.Mark].
//  2. The entry's tags are looked at: none was touched after A.
//  3. So none was touched between A and m, and what the entry holds of A is what m would show.
//
// The other way round, a change between the two steps would be in m and not have been looked for:
//
//  1. The entry's tags are looked at: none was touched after A.
//  2. A change commits, and is recorded at B. It touches a tag of the entry.
//  3. The mark is taken: it contains B, and the entry does not.
//
// An entry that was stored after the mark was taken may hold more than m: its own AsOf stays. One of another epoch than the
// mark's cannot be compared with it.
//
// What is private is passed over.
//
// Nothing is handed over before the ledger is complete as of a moment after the mark, or at all if ctx ends before. Whoever
// follows the source may find out only then that the source has changed something without telling, and begins an epoch:
//
//  1. The source changes a row that the entry was read from, and its binlog does not have that.
//  2. The mark is taken, which is after 1.
//  3. The entry's tags are looked at: none was touched.
//  4. The probe asks, finds out what happened in 1, and the place is lost.
//
// Who has begun to follow the source between 1 and 2 has no reason to doubt an entry as of the mark.
func (c *Cache) Spill(ctx context.Context, w Warmth, k Keeper) (n int) {
	m, ok := c.ledger.provedMark(ctx)
	if ok {
		n = c.spillAsOf(m, w, k)
	}
	c.metrics.spilled.Add(float64(n))
	return n
}

// spillAsOf is what follows the mark.
func (c *Cache) spillAsOf(m Mark, w Warmth, k Keeper) (n int) {
	left := w.Bytes
	for _, hot := range c.Warmest(w.Entries) {
		e := hot.Entry
		if e.Private || e.At.Epoch != m.Epoch || !c.worthKeeping(e) {
			continue
		}
		if left -= int64(len(e.Key()) + len(e.Wire())); left < 0 {
			break
		}
		k.OfferAs(e, Mark{Epoch: m.Epoch, Seq: max(m.Seq, e.At.Seq)}, c.ledger.Now()-e.read)
		n++
	}
	return n
}
