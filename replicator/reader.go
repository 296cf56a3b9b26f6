package replicator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
	"weir/replicator/trouble"
)

// Reader follows the source's binlog and hands its transactions to the first stage, in order, on one goroutine.
type Reader struct {
	cfg     Config
	source  *Source
	ledger  *cache.Ledger
	journal *Journal
	next    change.Applier
	log     *slog.Logger
	metrics *readerMetrics

	// OnRestart, if set, is called before anything of a new epoch is applied: what was known of the source's schema
	// and what is cached belong to the past. It must not block.
	OnRestart func(at cache.Mark)

	// OnFile, if set, is told each file in which the stream goes on, and when the source began it, in seconds, before
	// anything in it is applied: also of the one in which a connection continues. It must not block.
	OnFile func(name string, begun uint32)

	// Precision, if set before Run, tells changes by their rows; its Watch must be the recorder's too. Without it every
	// change is one to a table as a whole.
	Precision *Precision

	// Warm, if set before Run, lets the first attempt go on at a place in the past.
	Warm *Warm

	at       *checkpoint // where to continue, nil for now
	floor    cache.Seq   // of the epoch
	left     *checkpoint // where the stream was given up
	prepared prepared
	pursuit  *pursuit     // of the stream that is opened next; nil if it begins now
	asked    bool         // for places
	untried  []Checkpoint // places that may be gone on at

	history   History
	published atomic.Pointer[Checkpoint]
	behind    atomic.Uint64 // bytes to catch up with

	trouble  trouble.Trouble
	readFrom string // where the source was when the stream was opened last, empty once that is given up

	mu        sync.Mutex
	following identity.Identity
	interrupt context.CancelCauseFunc
	state     State
	opened    conduct // of the source, before the stream was opened
	streams   uint64  // connections whose file was found to be the right one
	streaming bool    // the last of them is open
}

// Behind is how many bytes of the source's binlog are still to be read before cached results may be served, after the
// stream was opened at a place in the past; 0 in ordinary times.
func (r *Reader) Behind() uint64 { return r.behind.Load() }

// State is what the reader is at, for people.
type State struct {
	Connected bool
	// Since is when Connected last changed.
	Since time.Time
	// Err is why the last attempt ended, nil while connected.
	Err error
}

// NewReader returns a reader; Run starts it. A nil registerer counts without exporting.
func NewReader(cfg Config, source *Source, ledger *cache.Ledger, journal *Journal, next change.Applier, log *slog.Logger, reg prometheus.Registerer) *Reader {
	r := &Reader{cfg: cfg, source: source, ledger: ledger, journal: journal, next: next, log: log}
	r.history.ledger = ledger
	r.metrics = newReaderMetrics(reg, r)
	return r
}

// Run follows the stream until ctx ends, through every error: it connects again with back-off, and where the place is
// lost it starts again from now.
func (r *Reader) Run(ctx context.Context) {
	var wait backoff
	anew := false // the last attempt found that the place is lost
	for ctx.Err() == nil {
		started := time.Now()
		err := r.attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		wait.after(time.Since(started))
		if lost := r.failed(err); lost && (!anew || len(r.untried) > 0) {
			anew = len(r.untried) == 0 // nothing stands against a new beginning: it does not wait
			continue
		}
		anew = false
		wait.sleep(ctx, r.source)
	}
}

// failed notes why an attempt ended, and forgets the place if it is lost.
func (r *Reader) failed(err error) (lost bool) {
	r.source.Close() // it may be as dead as the stream, or lead to where the address led before
	if was := r.State(); was.Connected && time.Since(was.Since) > steady {
		r.trouble.Over()
	}
	r.setState(State{Since: time.Now(), Err: err})
	r.metrics.reconnects.Inc()
	if code, ok := serverCode(err); ok && code == erFatalReadingBinlog {
		err = fmt.Errorf("%w: %w", errLostPlace, err)
	}
	if errors.Is(err, errLostPlace) {
		r.forgetPlaces(err)
		r.leave()
		r.published.Store(nil)
		r.tellLost(err)
		return true
	}
	if errors.Is(err, errTwoSources) {
		return false // the candidates have told it
	}
	if untold, tell := r.trouble.Tell(err); tell {
		r.log.Warn("the binlog stream ended; connecting again", "error", err, "untold", untold)
	}
	return false
}

// steady is how long a stream lasts that shows that all is well again. Two readers that end each other's streams last about
// as long as the back-off.
const steady = 10 * time.Second

// tellLost tells, and counts, that the place is lost. That another server is the source is no loss: whoever has found out
// has said so.
func (r *Reader) tellLost(err error) {
	moved := r.readFrom != "" && r.source.Addr() != r.readFrom
	r.readFrom = ""
	switch {
	case moved:
		r.log.Info("the source has moved; starting again there with an empty cache", "source", r.source.Addr())
		return
	case len(r.untried) > 0:
		r.log.Warn("the place in the binlog is lost; going on at a younger one", "error", err)
	default:
		r.log.Warn("the place in the binlog is lost; starting again with an empty cache", "error", err)
	}
	r.metrics.lost.Inc()
}

// attempt follows the stream from where it was left, or from a place in the past that is known, or from now, until
// something ends it.
func (r *Reader) attempt(ctx context.Context) error {
	p, now, err := r.source.found(ctx)
	if err != nil {
		return err
	}
	if err := r.place(ctx, p, now); err != nil {
		return err
	}
	r.journal.Has(p.Written)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.setOpened(now)
	r.follow(p.Identity, cancel)
	r.readFrom = r.source.Addr()
	return r.stream(ctx)
}

// place decides where the stream begins.
func (r *Reader) place(ctx context.Context, p Position, now conduct) error {
	switch {
	case r.at.known():
		return r.resume(ctx, p, now)
	case r.warm(ctx, p, now):
		return nil
	}
	return r.startFromNow(ctx, p, now)
}

// resume goes on where the stream was left.
func (r *Reader) resume(ctx context.Context, p Position, now conduct) error {
	if err := r.resumable(ctx, r.at, p, now); err != nil {
		return err
	}
	from, err := r.at.seq()
	if err != nil {
		return lostPlace("%v", err)
	}
	r.at.goOn(now)
	r.pursue(p, from, now, nil)
	return nil
}

// startFromNow begins an epoch at the source's present position.
func (r *Reader) startFromNow(ctx context.Context, p Position, now conduct) error {
	at := &checkpoint{identity: p.Identity, file: p.File, pos: p.Pos, done: p.GTIDs.Clone(), conduct: now}
	if p.Identity.Flavor == gtid.MariaDB {
		if err := r.startMariaDB(ctx, p, at); err != nil {
			return err
		}
	}
	r.carryOn(ctx, p, at)
	r.pursuit = nil
	r.begin(at, p.Seq, placesAfter(p.Seq, !now.hides))
	r.log.Info("following the binlog", "source", r.source.Addr(), "flavor", p.Identity.Flavor, "file", p.File, "position", p.Pos)
	return nil
}

// begin begins an epoch with nothing known before floor, and whose places are after from, see [History].
func (r *Reader) begin(at *checkpoint, floor, from cache.Seq) {
	r.prepared = prepared{}
	r.follow(identity.Identity{}, nil) // see R26
	epoch := r.ledger.Restart(floor)
	r.history.restart(epoch, at.identity, from) // not before the ledger has
	r.journal.Restart(epoch, at.done)
	if r.Precision != nil {
		r.Precision.Watch.Restart() // not before the ledger has
	}
	if r.OnRestart != nil {
		r.OnRestart(cache.Mark{Epoch: epoch, Seq: floor})
	}
	r.at, r.floor = at, floor
}

// startMariaDB finds the GTID position that belongs to the place: gtid_binlog_pos was asked a moment later.
func (r *Reader) startMariaDB(ctx context.Context, p Position, at *checkpoint) error {
	text, err := r.source.gtidAt(ctx, p.File, p.Pos)
	if err != nil {
		return fmt.Errorf("ask the source which GTID stands at %s:%d: %w", p.File, p.Pos, err)
	}
	at.done, err = gtid.Parse(gtid.MariaDB, text)
	return err
}

// resumable reports whether the stream can be continued at a place: the server is the same, and it still says the same
// of that place. After RESET MASTER a file of the same name has other content; the GTIDs tell, unless as many have
// been written since. Then the file's own beginning tells, which comes with the stream: see [stream.opened].
func (r *Reader) resumable(ctx context.Context, at *checkpoint, p Position, now conduct) error {
	if p.Identity != at.identity {
		return lostPlace("another server answers at %s (%s, before %s)", r.source.Addr(), p.Identity.ID, at.identity.ID)
	}
	if !p.GTIDs.Covers(at.done) {
		return lostPlace("the source no longer has all transactions that it had (RESET MASTER, a restored backup, or a crash that lost some)")
	}
	if err := errors.Join(at.keeps(now), at.unreset(now)); err != nil {
		return err
	}
	if p.Identity.Flavor == gtid.MySQL {
		return nil // it cannot tell what stands at a place
	}
	text, err := r.source.gtidAt(ctx, at.file, at.pos)
	if err != nil {
		return err
	}
	there, err := gtid.Parse(gtid.MariaDB, text)
	if err != nil || !there.Covers(at.done) || !at.done.Covers(there) {
		return lostPlace("%s:%d now stands for GTID %q, before it was %q", at.file, at.pos, text, at.done)
	}
	return nil
}

func (r *Reader) follow(id identity.Identity, cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.following, r.interrupt = id, cancel
}

// History tells which files the binlog has, as far as they belong to the present epoch.
func (r *Reader) History() *History { return &r.history }

// Following tells which server's stream the ledger follows.
func (r *Reader) Following() identity.Identity {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.following
}

// Lost ends the present attempt because somebody else has seen that the place is lost.
func (r *Reader) Lost(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.interrupt != nil {
		r.interrupt(lostPlace("%s", why))
	}
}

func (r *Reader) setOpened(c conduct) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = c
}

// before is what the source said of itself before the stream was opened that is followed.
func (r *Reader) before() conduct {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened
}

// hidden says what the source has applied that its binlog does not tell of, given a position that the stream has come to;
// empty if there is nothing: see [conduct].
func (r *Reader) hidden(at Position) string {
	if at.Identity.Flavor == gtid.MySQL {
		return r.journal.lacks(at.GTIDs)
	}
	if was := r.before().unlogged; was == logsAll || was == at.Applied {
		return ""
	}
	return at.Applied
}

// State tells what the reader is at.
func (r *Reader) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *Reader) setState(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
}

// Stream numbers the connections whose file was found to be the one that was read before, or is the first one; 0 while
// there is none. What the source says of its position can be compared with the ledger's head only if the same stream
// was there before the question and is there after the answer.
func (r *Reader) Stream() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.streaming {
		return 0
	}
	return r.streams
}

func (r *Reader) setStreaming(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on && !r.streaming {
		r.streams++
	}
	r.streaming = on
}

// backoff waits a little longer each time, up to two seconds: a source that comes back is found soon, one that stays
// away is not bothered.
type backoff struct{ last time.Duration }

// after starts anew if the attempt lasted so long that it can be called a success. Two readers that end each other's
// streams last about as long as the other one waits.
func (b *backoff) after(lasted time.Duration) {
	if lasted > max(4*b.last, time.Second) {
		b.last = 0
	}
}

// sleep ends early if the source moves. Where it may move, an attempt that fails is no news and costs little.
func (b *backoff) sleep(ctx context.Context, source *Source) {
	b.last = min(max(2*b.last, 20*time.Millisecond), source.patience())
	select {
	case <-time.After(b.last):
	case <-source.session.left():
	case <-ctx.Done():
	}
}
