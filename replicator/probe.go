package replicator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"weir/cache"
)

// Probe keeps the ledger's "complete as of" moving.
//
//  1. It notes the time t and asks the source for its binlog position p. Everything committed before t is before p.
//  2. It waits until the ledger has recorded everything up to p.
//  3. It compares what the source has applied with what has come, since a replica need not log what it applies: where
//     something is missing, what is cached may be old, and the place is lost.
//  4. The ledger is complete as of t, if the stream has been open all the time: p is a place in the history that the
//     stream was found to follow when it began, and so is the ledger's head.
//
// Where the source may move, the server must have been found to take writes after 1: see [Candidates].
//
// No clock is compared with another. That events arrive proves nothing: a reader that catches up receives plenty.
// The position is asked for on a connection of its own, so that a stream which is deaf, or which leads to a server
// that nobody writes to any more, is found out.
type Probe struct {
	source *Source
	ledger *cache.Ledger
	reader *Reader
	every  time.Duration
	wait   time.Duration
	log    *slog.Logger
	last   Position // the last answer that was believed
	epoch  uint64   // when that was
	hurry  *hurry
}

// NewProbe returns a probe with a connection of its own to the source of cfg.
func NewProbe(cfg Config, ledger *cache.Ledger, reader *Reader, log *slog.Logger) *Probe {
	return &Probe{
		source: NewSource(cfg), ledger: ledger, reader: reader, log: log,
		every: cfg.probeEvery(), wait: cfg.MaxStaleness, hurry: newHurry(),
	}
}

// Ask makes the probe ask at once, or once more if it is just asking: the ledger is then complete as of a moment after
// the call a round trip later, instead of at the next of the regular questions. It does not wait, may be called from
// anywhere, and costs nothing while a request is pending. The regular questions alone are asked while the source
// cannot be reached.
func (p *Probe) Ask() { p.hurry.ask() }

// Run probes until ctx ends. An error ends nothing: the ledger just grows old, and the cache stops serving by itself.
func (p *Probe) Run(ctx context.Context) {
	defer p.source.Close()
	failing := false
	for {
		p.hurry.begin()
		err := p.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if failing != (err != nil) && !errors.Is(err, errNoStream) {
			failing = err != nil
			p.report(err)
		}
		p.hurry.pause(ctx, p.next(err), err == nil)
		if ctx.Err() != nil {
			return
		}
	}
}

// soon is how long the probe waits after a question that showed nothing, if that is less than otherwise: a stream that
// has just begun is not to wait for a quarter of a long max_staleness.
const soon = 250 * time.Millisecond

// next is how long after the beginning of the last question the next regular one comes.
func (p *Probe) next(err error) time.Duration {
	if err != nil {
		return min(p.every, soon)
	}
	return p.every
}

func (p *Probe) report(err error) {
	if err != nil {
		p.log.Warn("the ledger cannot be shown to be complete; cached results are not served until it can", "error", err)
	} else {
		p.log.Info("the ledger is complete")
	}
}

var errBehind = errors.New("the reader has not caught up with the source within max_staleness")

// errNoStream: there is nothing to compare a position with. The reader says why.
var errNoStream = errors.New("the binlog stream is not open")

func (p *Probe) once(ctx context.Context) error {
	stream, mark, asked := p.reader.Stream(), p.ledger.Mark(), p.ledger.Now()
	if stream == 0 {
		return errNoStream
	}
	clock, err := p.clock(ctx)
	if err != nil {
		return err
	}
	at, err := p.source.Position(ctx)
	if err == nil {
		err = p.source.undoubted(at)
	}
	if err != nil {
		return err
	}
	if p.reader.Stream() != stream || p.ledger.Epoch() != mark.Epoch {
		return errNoStream
	}
	if err := p.plausible(at, mark); err != nil {
		return err
	}
	if err := p.notReset(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.wait, errBehind)
	defer cancel()
	defer context.AfterFunc(p.source.session.at().left, cancel)() // what is waited for may never come
	if err := p.ledger.WaitHead(ctx, at.Seq); err != nil {
		return err
	}
	if p.reader.Stream() != stream {
		return errNoStream
	}
	if hidden := p.reader.hidden(at); hidden != "" && p.reader.Stream() == stream {
		return p.lost(fmt.Sprintf("the source applies changes of another server that are not in its binlog (%s); set log_replica_updates (log_slave_updates) on it", hidden))
	}
	p.ledger.SetComplete(mark.Epoch, asked)
	return p.settle(mark.Epoch, clock, at)
}

// clock asks the source what time it is, if that is of use: see [History]. Zero is of no use.
func (p *Probe) clock(ctx context.Context) (time int64, err error) {
	if !p.reader.history.unsettled() {
		return 0, nil
	}
	rows, id, err := p.source.session.QueryIdentified(ctx, "SELECT UNIX_TIMESTAMP()")
	if err != nil || id != p.reader.Following() {
		return 0, err
	}
	return strconv.ParseInt(rows[0][0], 10, 64)
}

// settle uses the clock's time together with a position that was asked after it, and that the stream has come to.
func (p *Probe) settle(epoch uint64, clock int64, at Position) error {
	last, err := fileNumber(at.File)
	if err == nil && clock > 0 {
		p.reader.history.settle(epoch, clock, last)
	}
	return err
}

// plausible compares with the answer before, and with what had been recorded before the question. A source's position
// and its GTIDs only ever grow; if they did not, positions cannot be compared with the ledger's head, and RESET MASTER
// would make a deaf stream look complete. An answer that is not plausible is not remembered: the next one, which would
// not go back any further, has to be as implausible until the reader has started again.
func (p *Probe) plausible(at Position, recorded cache.Mark) error {
	if at.Identity != p.reader.Following() {
		return p.lost("another server than the one that is followed answers at the source's address")
	}
	if at.Seq < recorded.Seq {
		return p.lost("the source's binlog ends before what it has sent")
	}
	if p.epoch == recorded.Epoch && (at.Seq < p.last.Seq || !at.GTIDs.Covers(p.last.GTIDs)) {
		return p.lost("the source's binlog position went back")
	}
	p.epoch, p.last = recorded.Epoch, at
	return nil
}

// lost tells the reader. It also ends the connection, which may lead to where the address led before.
func (p *Probe) lost(why string) error {
	p.source.Close()
	p.reader.Lost(why)
	return lostPlace("%s", why)
}
