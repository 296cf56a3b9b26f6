package replicator

import (
	"context"
	"errors"
	"time"

	"weir/cache"
	"weir/replicator/change"
)

// Warm lets the first attempt of a process go on where another process, or one before it, has left off, instead of now. The
// ledger's floor is that place. So what was read as of a place after it, by whomever, can be judged once the stream has come
// to the present. Nobody has to be right: a place that turns out not to be one falls back to a younger one, and at last to
// now.
type Warm struct {
	// Places returns places of the source that is followed, oldest first, which is the order in which they are tried. It is
	// asked once, and must return soon, with an end of ctx at the latest: nothing is followed meanwhile.
	Places func(ctx context.Context) []Checkpoint
	// Prepare, if set, is called before the reader goes on at a place in the past, and before OnRestart; the source has
	// everything up to that place by then, and shows it. It may ask the source. An error is told, and nothing else.
	Prepare func(ctx context.Context) error
}

// ask asks for places, once.
func (r *Reader) askPlaces(ctx context.Context, p Position) {
	if r.Warm == nil || r.asked {
		return
	}
	r.asked = true
	r.history.meet(p.Identity)
	r.untried = r.Warm.Places(ctx)
}

// warm takes the oldest place that still is one, and begins an epoch there. It is false if there is none.
func (r *Reader) warm(ctx context.Context, p Position, now conduct) bool {
	r.askPlaces(ctx, p)
	if len(r.untried) == 0 {
		return false
	}
	sizes, err := r.source.binlogs(ctx)
	if err != nil {
		r.log.Warn("cannot go on where Weir was before; starting from now", "error", err)
		r.untried = nil
		return false
	}
	for len(r.untried) > 0 {
		c := r.untried[0]
		err := r.warmable(ctx, c, p, now, sizes)
		if err == nil {
			r.untried = r.untried[1:]
			r.warmFrom(ctx, c, p, now, sizes)
			return true
		}
		r.log.Info("a place where Weir was before is none any more", "file", c.File, "position", c.Pos, "because", err)
		r.forgetFile(c)
	}
	return false
}

// warmable is resumable, for a place that comes from elsewhere.
func (r *Reader) warmable(ctx context.Context, c Checkpoint, p Position, now conduct, sizes map[string]uint64) error {
	at := c.checkpoint()
	switch seq, err := at.seq(); {
	case err != nil:
		return err
	case !at.known() || seq > p.Seq:
		return lostPlace("the source's binlog ends at %s", p.Seq)
	case sizes[c.File] == 0:
		return lostPlace("the source has no file %s any more", c.File)
	}
	return r.resumable(ctx, at, p, now)
}

// Forget makes the next Run begin as that of a new process does: where Warm says, or now. It is called between two Runs, by
// who may have been idle in between for so long that to read on where it was would take too long. Until then the reader has
// no place for anybody.
func (r *Reader) Forget() {
	r.at, r.left, r.pursuit = nil, nil, nil
	r.asked, r.untried = false, nil
	r.published.Store(nil)
}

// forgetFile gives up all places of a file: what is wrong with one is, most likely, wrong with its neighbours, and to find
// out costs the source a look through the file.
func (r *Reader) forgetFile(of Checkpoint) {
	var others []Checkpoint
	for _, c := range r.untried {
		if c.File != of.File || c.Begun != of.Begun {
			others = append(others, c)
		}
	}
	r.untried = others
}

// forgetPlaces is called when a place is lost. One that comes after a hole in the binlog is no worse than any other, but
// nobody knows where the hole is.
func (r *Reader) forgetPlaces(err error) {
	if errors.Is(err, errHole) {
		r.untried = nil
	}
	if r.at != nil {
		r.forgetFile(Checkpoint{File: r.at.file, Begun: r.at.begun})
	}
}

// warmFrom begins an epoch at a place in the past.
func (r *Reader) warmFrom(ctx context.Context, c Checkpoint, p Position, now conduct, sizes map[string]uint64) {
	r.follow(p.Identity, nil) // whoever prepares asks who is followed
	if r.Warm.Prepare != nil {
		if err := r.Warm.Prepare(ctx); err != nil {
			r.log.Warn("cannot read the source's schema before the changes since Weir was here; they count as changes to whole tables", "error", err)
		}
	}
	at := c.checkpoint()
	at.goOn(now)
	floor := cache.At(mustNumber(at.file), at.pos)
	r.begin(at, floor, placesAfter(floor, c.Passed))
	r.pursue(p, floor, now, sizes)
	r.metrics.warm.Inc()
	r.log.Info("going on where Weir was before", "source", r.source.Addr(), "from", floor, "to", p.Seq, "taken", c.Taken.Round(time.Second), "mib", r.pursuit.left(floor)>>20)
}

func mustNumber(file string) uint32 {
	n, err := fileNumber(file)
	if err != nil {
		return 0 // it was read before, see warmable
	}
	return n
}

// pursue notes where the stream has to come to before it counts as open.
func (r *Reader) pursue(p Position, from cache.Seq, source conduct, sizes map[string]uint64) {
	now := time.Now()
	r.pursuit = &pursuit{to: p, from: from, sizes: sizes, durable: source.durable, began: now, said: now}
}

// Window is the stage behind the one that reads statements. While changes of the past are told by the schema of now, a
// statement that may have made it another one ends everything that was told so: see catalog.Rows.
type Window struct {
	fell func() bool
	next change.Applier
}

// NewWindow returns the stage. fell reports, once, that a statement of the transaction at hand has ended the validity of
// the schema by which rows were told up to there.
func NewWindow(fell func() bool, next change.Applier) *Window { return &Window{fell: fell, next: next} }

// Apply implements [change.Applier].
func (w *Window) Apply(ctx context.Context, t *change.Transaction) {
	if w.fell() && t.Everything == "" {
		t.Everything = "the schema was changed while Weir was away, and what changed before was told by the schema of now"
	}
	w.next.Apply(ctx, t)
}
