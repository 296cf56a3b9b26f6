package cache

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultHistory is how many tags a ledger's history has room for: 17 MiB of memory.
const DefaultHistory = 1 << 20

const never = math.MinInt64

// Ledger knows, for each tag, the Seq of the last change that touched it. Touching is O(1), whatever is cached.
//
// It has two parts. The history has the tags that were touched last, as many as there is room for, see [history]. Of others
// it knows only before when they were touched: it is right, but what it says against an entry of long ago may be about
// another tag. So there are cells, too: exact, and only for tags that entries in tier 1 depend on; see [cells].
//
// [Ledger.Record], [Ledger.Advance], [Ledger.Restart] and [Ledger.SetComplete] belong to whoever reads the change
// stream; Record, Advance and Restart are called from one goroutine. All other methods may be called from anywhere.
type Ledger struct {
	history history
	cells   cells

	epoch    atomic.Uint64
	floor    atomic.Uint64
	head     atomic.Uint64
	complete atomic.Int64 // nanoseconds after born, or never

	begin   sync.Mutex // keeps SetComplete out of Restart
	born    time.Time
	waiters headWaiters
}

// NewLedger returns a ledger that has room for at least so many tags in its history, and knows nothing yet: no entry is
// servable before Restart and SetComplete were called.
func NewLedger(tags int) *Ledger {
	l := &Ledger{history: newHistory(tags), born: time.Now()}
	l.complete.Store(never)
	return l
}

// Mark is a place in the change stream of one epoch.
type Mark struct {
	Epoch uint64
	Seq   Seq
}

// Fresh is the rule: it reports whether e may be served at the moment now, given that an answer must contain every
// change committed before now - bound.
//
// The order of the checks matters twice. The stream comes before the tags: a change of long ago that is recorded after
// a tag was looked at cannot make the stream current for this call. The epoch comes after the tags: whoever reads a
// bucket that Restart has cleared finds, afterwards, that the epoch has changed.
func (l *Ledger) Fresh(e *Entry, now, bound time.Duration) bool {
	if !l.Current(now, bound) {
		return false
	}
	return !l.changed(e, e.At.Seq) && e.At.Seq >= l.Floor() && e.At.Epoch == l.Epoch()
}

// Current reports whether the ledger has recorded every change that was committed before now - bound.
func (l *Ledger) Current(now, bound time.Duration) bool {
	c := l.complete.Load()
	return c != never && int64(now)-c <= int64(bound)
}

// Now is the ledger's clock: the time since it was made, monotonic.
func (l *Ledger) Now() time.Duration { return time.Since(l.born) }

// CompleteAsOf returns the last moment as of which the ledger is known to be complete, and false if there is none.
func (l *Ledger) CompleteAsOf() (time.Duration, bool) {
	c := l.complete.Load()
	return time.Duration(c), c != never
}

// Last returns the Seq of the last change that touched t, or, if the history has forgotten that or never knew of one, of a
// later change that it has forgotten as well.
func (l *Ledger) Last(t Tag) Seq { return l.history.last(t) }

// LastOf returns the largest Last of the tags.
func (l *Ledger) LastOf(tags []Tag) Seq {
	var last Seq
	for _, t := range tags {
		last = max(last, l.Last(t))
	}
	return last
}

// Need returns what a snapshot must contain for a result with these tags to be servable now. What is read across a
// Restart would belong to neither epoch, so it is read again.
func (l *Ledger) Need(tags []Tag) Mark { return l.needOf(&Entry{Tags: tags}) }

func (l *Ledger) needOf(e *Entry) Mark {
	for {
		epoch := l.Epoch()
		need := max(l.Floor(), l.lastOf(e))
		if l.Epoch() == epoch {
			return Mark{Epoch: epoch, Seq: need}
		}
	}
}

// Floor is the Seq before which the ledger knows nothing.
func (l *Ledger) Floor() Seq { return Seq(l.floor.Load()) }

// Head is the Seq up to which every change is recorded.
func (l *Ledger) Head() Seq { return Seq(l.head.Load()) }

// Epoch counts the times that the ledger started with nothing. Seqs of different epochs cannot be compared.
func (l *Ledger) Epoch() uint64 { return l.epoch.Load() }

// Mark returns the present epoch and head. Every change up to it has been recorded when Mark returns.
func (l *Ledger) Mark() Mark {
	for {
		epoch := l.Epoch()
		head := l.Head()
		if l.Epoch() == epoch {
			return Mark{Epoch: epoch, Seq: head}
		}
	}
}

// Record notes that a transaction touched the tags at seq, and then that everything up to seq is recorded. Nobody sees
// the head past a transaction of which some tags are not yet touched, in the history and in the cells.
func (l *Ledger) Record(seq Seq, tags []Tag) {
	for _, t := range tags {
		l.history.touch(t, seq)
		l.cells.touch(t, seq)
	}
	l.Advance(seq)
}

// Advance notes that everything up to seq is recorded. A seq before the head changes nothing.
//
// A seq that [After] has rounded up stands for all changes past 4 GiB of its file. More of them may come, so the head
// stays before it until the next file begins.
func (l *Ledger) Advance(seq Seq) {
	if seq.Pos() == 0 && seq > 0 {
		seq--
	}
	if seq <= l.Head() {
		return
	}
	l.head.Store(uint64(seq))
	l.waiters.wake()
}

// SetComplete notes that the source's position, asked for at the moment asked, has been recorded in full. The epoch
// is the one in which it was asked; if the ledger has restarted since, the answer is worth nothing.
func (l *Ledger) SetComplete(epoch uint64, asked time.Duration) {
	l.begin.Lock()
	defer l.begin.Unlock()
	if epoch > 0 && epoch == l.Epoch() && int64(asked) > l.complete.Load() {
		l.complete.Store(int64(asked))
	}
}

// Restart begins a new epoch with nothing known before floor: the place in the stream was lost, or the source is
// another. It returns the new epoch.
//
// A reader of the old epoch may be in the middle of Fresh:
//
//  1. Fresh finds the stream current.
//  2. Restart says that it is not, raises the epoch, clears the history.
//  3. Fresh reads a cleared bucket: the tag looks untouched.
//  4. Fresh reads the epoch, which is new, and refuses.
//
// The head starts at zero, not at floor: what the source had written at floor but not yet made visible is still to
// come through the stream, and until the stream itself passes the floor no snapshot counts as containing it. It is
// zero before the epoch is raised, so that no Mark joins the new epoch with the old head.
func (l *Ledger) Restart(floor Seq) (epoch uint64) {
	l.begin.Lock()
	defer l.begin.Unlock()
	l.complete.Store(never)
	l.head.Store(0)
	epoch = l.epoch.Add(1)
	l.history.clear()
	l.cells.reset()
	l.floor.Store(uint64(floor))
	return epoch
}

// WaitHead returns when everything up to seq is recorded, or with ctx's cause.
func (l *Ledger) WaitHead(ctx context.Context, seq Seq) error {
	for l.Head() < seq {
		woken := l.waiters.add()
		if l.Head() >= seq {
			return nil
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// headWaiters lets goroutines sleep until the head moves. Waking nobody costs one atomic load.
type headWaiters struct {
	any atomic.Bool
	mu  sync.Mutex
	c   chan struct{}
}

// add returns a channel that is closed at the next wake. A caller looks at the head again after add, since the head
// may have moved before.
func (w *headWaiters) add() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.c == nil {
		w.c = make(chan struct{})
	}
	w.any.Store(true)
	return w.c
}

func (w *headWaiters) wake() {
	if !w.any.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.c != nil {
		close(w.c)
		w.c = nil
	}
	w.any.Store(false)
}
