package relay

import (
	"context"
	"math"
	"time"

	"weir/cache/dep"
)

const (
	// checkpointEvery is how often consumers may begin; it is also how long a stream is silent at most.
	checkpointEvery = time.Second
	// lateFor is how long an XA COMMIT is told with checkpoints. A statement that takes longer to end than that, between
	// its place in the binlog and its effect, is not known.
	lateFor = time.Minute
	// maxLate bounds how many.
	maxLate = 4096
)

// afterwards adds what is said between transactions: all that was applied is in the ledger, and no group is open.
func (p *Publisher) afterwards() {
	if p.isBegun() && time.Since(p.checked) < checkpointEvery {
		p.announcePending()
		return
	}
	c, ok := p.checkpoint()
	if !ok {
		return
	}
	p.checked = time.Now()
	p.announcePending()
	p.publishCheckpoint(c)
}

func (p *Publisher) isBegun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

// checkpoint is of the place that the stream is at. There is none before the stream has passed the ledger's floor: what
// the source had written by then and not yet made visible is still to come.
//
// Its Seq is not before any change that was applied: the head is, after a change past 4 GiB of a file, and a consumer that
// begins there would not know of that change.
func (p *Publisher) checkpoint() (*checkpoint, bool) {
	mark, floor := p.ledger.Mark(), p.ledger.Floor()
	if p.file.Begun == 0 || mark.Seq < floor || mark.Seq == 0 {
		return nil, false
	}
	p.late = recentOf(p.late)
	c := &checkpoint{source: p.Source(), file: p.file, done: p.journal.Done(), written: p.journal.Written(), settled: p.Settled != nil && p.Settled(mark)}
	for _, l := range p.late {
		c.late = append(c.late, l.lateCommit)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.seq = max(mark.Seq, p.end)
	c.passed = p.Passed != nil && p.Passed(c.seq)
	return c, c.done != nil
}

func recentOf(all []lately) []lately {
	for len(all) > 0 && (len(all) > maxLate || time.Since(all[0].at) > lateFor) {
		all = all[1:]
	}
	return all
}

// publishCheckpoint adds a checkpoint; with the first one of an incarnation, everything that is watched follows.
func (p *Publisher) publishCheckpoint(c *checkpoint) {
	p.mu.Lock()
	first := !p.begun
	if first {
		p.begun, p.from, p.end = true, c.seq, c.seq
	}
	p.add(appendCheckpoint(p.open, c))
	p.mu.Unlock()
	if first {
		p.followed(p.watch.Wanted())
	}
}

// Announce makes the publisher say since when these interests are followed, after the next transaction. They are taken
// up by then.
//
// It is said on the stream's goroutine alone, between two transactions:
//
//  1. Somebody asks the watch, in between: "since 0", for the place was lost, and a new epoch has just begun.
//  2. The old incarnation says so to its consumers, whose ledgers have changes before 0 in which no row was told.
//  3. [Publisher.Restarted] begins the new one.
func (p *Publisher) Announce(all []dep.Interests) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.announce = append(p.announce, all...)
}

func (p *Publisher) announcePending() {
	p.mu.Lock()
	all := p.announce
	p.announce = nil
	p.mu.Unlock()
	p.followed(all)
}

// followed publishes since when interests are followed. Of those that came within a group there is no saying yet.
func (p *Publisher) followed(all []dep.Interests) {
	for _, i := range all {
		since := p.watch.Want(i.Table, i.Wants)
		p.mu.Lock()
		switch {
		case since == math.MaxUint64:
			p.announce = append(p.announce, i)
		case p.begun:
			p.add(appendFollowed(p.open, i, since))
		}
		p.mu.Unlock()
	}
}

// awaitRoom holds up a stream that comes from the past faster than Redis takes it. What would be thrown away otherwise is the
// past that consumers are to begin with, and nobody is complete before the stream has come to the present, so that nobody
// waits for it longer than for what is missing anyway. If Redis is away it goes on slowly, so that the source does not end
// the stream.
func (p *Publisher) awaitRoom(ctx context.Context) {
	isRoom := func() bool { return p.buffered() <= p.cfg.Buffer/2 }
	if p.CatchingUp == nil || isRoom() || !p.CatchingUp() {
		return
	}
	await(ctx, sendTimeout, isRoom)
}
