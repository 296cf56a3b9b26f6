package relay

import (
	"context"

	"weir/cache"
	"weir/replicator"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// entry applies an entry. If it does not follow on the one before, the consumer's epoch is over.
func (c *Consumer) entry(ctx context.Context, at place, b []byte) {
	h, records, err := decodeEntry(b)
	if err != nil || h.n != at.n {
		c.lose(lostError{errUnreadable.Error(), "unreadable"})
		return
	}
	if c.following {
		if lost, ok := c.followsNot(h); ok {
			c.lose(lost)
		}
	}
	for _, r := range records {
		c.record(ctx, r)
	}
	c.last = h
	c.reached(h)
	for _, r := range records {
		if r.kind == kindAnswered {
			c.hintAnswered()
			return
		}
	}
}

// followsNot says what is wrong with an entry that comes next.
func (c *Consumer) followsNot(h header) (lostError, bool) {
	switch {
	case h.incarnation != c.last.incarnation:
		return lostError{"the relay's stream begins anew", "incarnation"}, true
	case h.n != c.last.n+1:
		return lostError{"entries of the relay's stream are missing", "gap"}, true
	case h.from != c.last.to:
		return lostError{"changes between two entries of the relay's stream are missing", "gap"}, true
	}
	return lostError{}, false
}

// lose ends the epoch as far as the consumer is concerned: nothing is applied any more, and nobody is told that the ledger
// is complete, before a checkpoint begins the next one.
func (c *Consumer) lose(l lostError) {
	if !c.following {
		return
	}
	c.following = false
	c.mu.Lock()
	c.applied = applied{}
	c.mu.Unlock()
	c.metrics.lost.WithLabelValues(l.reason).Inc()
	c.log.Warn("the place in the relay's stream is lost; starting again with an empty cache", "reason", l.why)
}

// reached notes that an entry is applied, all of it.
func (c *Consumer) reached(h header) {
	if !c.following {
		return
	}
	c.mu.Lock()
	c.applied = applied{epoch: c.ledger.Epoch(), incarnation: h.incarnation, n: h.n}
	c.mu.Unlock()
	c.setState(replicator.State{Connected: true})
}

func (c *Consumer) isAt() applied {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.applied
}

// record applies a record. While no epoch has begun, only a checkpoint counts, and what comes after it.
func (c *Consumer) record(ctx context.Context, r record) {
	switch {
	case r.kind == kindCheckpoint:
		c.checkpoint(ctx, r.checkpoint)
	case !c.following:
	case r.transaction != nil:
		c.next.Apply(ctx, r.transaction)
		c.ends(r.transaction.Seq)
	case r.kind == kindFile:
		c.opened(r.file, false)
	case r.kind == kindFollowed:
		c.watch.Followed(r.followed, r.since)
	}
}

func (c *Consumer) checkpoint(ctx context.Context, p *checkpoint) {
	if !c.following {
		c.begin(ctx, p)
	} else if p.settled {
		c.opened(p.file, true)
	}
}

// begin begins an epoch, as [replicator.Reader] does from now, in the same order: the source is nobody from before the
// ledger's epoch begins until the journal has begun it, too, and nothing of the new epoch counts before the head moves.
//
// All that was changed up to the checkpoint is in its set of transactions, so that the head may come there at once. But for
// one thing: what an XA COMMIT of a moment ago changed may not be visible yet, though its place is.
func (c *Consumer) begin(ctx context.Context, p *checkpoint) {
	c.follows(identity.Identity{})
	epoch := c.ledger.Restart(p.seq)
	c.history.Restart(epoch, p.source, p.seq, p.passed)
	c.journal.Restart(epoch, p.done)
	if written, err := gtid.ParseState(p.source.Flavor, p.written); err == nil && p.written != "" {
		c.journal.Has(written)
	}
	for _, l := range p.late {
		c.journal.Committing(l.thread, l.seq)
	}
	c.watch.Restart()
	c.follows(p.source)
	c.prepare(ctx, p)
	if c.OnRestart != nil {
		c.OnRestart(cache.Mark{Epoch: epoch, Seq: p.seq})
	}
	c.following = true
	c.end = p.seq
	c.opened(p.file, p.settled)
	c.next.Apply(ctx, &change.Transaction{Seq: p.seq})
	c.log.Info("following the relay's stream", "source", p.source.ID, "flavor", p.source.Flavor, "file", p.file.Name, "position", p.seq.Pos())
}

func (c *Consumer) follows(source identity.Identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.source = source
}

// fileStart is the first place in a file. A rotation says it of the next one, before that is opened.
const fileStart = 4

// ends notes where a file ends, should another one be opened next.
func (c *Consumer) ends(at cache.Seq) {
	if at.Pos() > fileStart {
		c.end = max(c.end, at)
	}
}

// opened: of a file whose name cannot be read nothing has a place.
func (c *Consumer) opened(f File, settled bool) {
	if err := c.history.Open(f.Name, f.Begun, c.end); err == nil && settled {
		c.history.Settle()
	}
	if c.OnFile != nil {
		c.OnFile(f.Name)
	}
}

func (c *Consumer) hintAnswered() {
	select {
	case c.answered <- struct{}{}:
	default:
	}
}
