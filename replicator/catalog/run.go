package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weir/cache"
	"weir/cache/dep"
)

// How long Run waits, in doubling steps, before it tries again after a failure, and before it looks again at tables
// that were locked.
const (
	firstRetry, lastRetry     = 100 * time.Millisecond, 30 * time.Second
	firstRevisit, lastRevisit = time.Second, 5 * time.Minute
)

// Run reads the schema when it has changed, until ctx ends, and returns ctx's cause. It is called once.
//
// Changes that arrive during a load are read together by the next one. Between two loads Run rests for as long as the
// last one took, so that a migration with a thousand statements costs the source no more than half a connection.
func (c *Catalog) Run(ctx context.Context) error {
	w := waits{retry: backoff{first: firstRetry, last: lastRetry}, revisit: backoff{first: firstRevisit, last: lastRevisit}}
	var again <-chan time.Time // never, unless tables were locked
	for {
		select {
		case <-c.wake:
		case <-again:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		done, err := c.round(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		again = w.again(done)
		sleep(ctx, c.rest(done, err, &w))
	}
}

// outcome is what a round that was published brought.
type outcome struct {
	took   time.Duration // by the queries
	locked int
}

// waits are the steps of the two kinds of waiting.
type waits struct {
	retry, revisit backoff
}

// again tells when to look again at what was locked.
func (w *waits) again(done outcome) <-chan time.Time {
	if done.locked == 0 {
		w.revisit.reset()
		return nil
	}
	return time.After(w.revisit.next())
}

// rest tells how long to leave the source alone after a round.
func (c *Catalog) rest(done outcome, err error, w *waits) time.Duration {
	if errors.Is(err, errRestarted) {
		return 0
	}
	if err != nil {
		return c.failed(err, &w.retry)
	}
	w.retry.reset()
	c.trouble.Over()
	return done.took
}

// failed notes a failure and returns how long to wait. The marks are still there: the next round must not wait for
// another change.
func (c *Catalog) failed(err error, retry *backoff) time.Duration {
	wait := retry.next()
	c.metrics.loads.WithLabelValues("failed").Inc()
	if untold, tell := c.trouble.Tell(err); tell {
		c.log.Warn("could not read the source's schema; what changed is not cached meanwhile", "error", err, "again_in", wait, "untold", untold)
	}
	c.wakeUp()
	return wait
}

// target is what one round has to achieve.
type target struct {
	number uint64    // of the last change before the round
	seq    cache.Seq // of that change

	whole bool
	names []dep.Name // to be read if not whole
	old   *Snapshot  // what the others stay as
}

// round reads everything once and publishes it, in the steps that the package comment numbers.
func (c *Catalog) round(ctx context.Context) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t, ok := c.begin(cancel)
	if !ok {
		return outcome{}, nil
	}
	next, took, err := c.read(ctx, t)
	if err != nil {
		return outcome{}, preferCause(ctx, err)
	}
	c.publish(t, next)
	return outcome{took: took, locked: next.Locked()}, nil
}

// begin takes the target of a round, and lets Restart abandon it. There is none before the first Restart.
func (c *Catalog) begin(abandon context.CancelCauseFunc) (t target, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandon = abandon
	s := c.state.Load()
	t = target{number: s.marks.last, seq: s.marks.seq, old: s.snapshot}
	t.names, t.whole = s.unread()
	return t, c.started
}

// unread are the names to read again: those that are marked, and those that were locked. whole says that these are all.
func (s *State) unread() (names []dep.Name, whole bool) {
	if s.marks.all > 0 || len(s.marks.schemas) > 0 || len(s.marks.names)+len(s.marks.indexes)+s.snapshot.Locked() > maxNames {
		return nil, true
	}
	wanted := map[dep.Name]bool{}
	maps.Copy(wanted, s.snapshot.locked)
	for _, marked := range [...]map[dep.Name]uint64{s.marks.names, s.marks.indexes} {
		for n := range marked {
			wanted[n] = true
		}
	}
	return slices.SortedFunc(maps.Keys(wanted), compareNames), false
}

// read loads the schema such that it has every change up to the target's, and returns when the stream has come to all
// that it has.
func (c *Catalog) read(ctx context.Context, t target) (*Snapshot, time.Duration, error) {
	if err := c.stream.WaitHead(ctx, t.seq); err != nil {
		return nil, 0, fmt.Errorf("wait for the change at %s to be applied: %w", t.seq, err)
	}
	if err := c.stream.Covered(ctx, t.seq); err != nil {
		return nil, 0, fmt.Errorf("wait for the change at %s to be visible: %w", t.seq, err)
	}
	started := time.Now()
	next, err := c.load(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	took := time.Since(started)
	position, err := c.stream.Position(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for the source's position after the load: %w", err)
	}
	if err := c.stream.WaitHead(ctx, position); err != nil {
		return nil, 0, fmt.Errorf("wait for the stream to come to %s, where the source was after the load: %w", position, err)
	}
	return next, took, nil
}

// load runs the queries, for all names or for those that changed.
func (c *Catalog) load(ctx context.Context, t target) (next *Snapshot, err error) {
	c.loading.Lock()
	defer c.loading.Unlock()
	whole, started := true, time.Now()
	if t.whole {
		next, err = loadAll(ctx, c.querier, c.log, &c.progress)
		c.progress.end()
	} else {
		next, whole, err = reload(ctx, c.querier, c.log, t.old, t.names)
	}
	if err != nil {
		return nil, err
	}
	c.metrics.took(whole).Observe(time.Since(started).Seconds())
	return next, nil
}

// publish makes what was read the answer for all names that have not changed since the round began. A Restart since
// then has marked all names, so that nothing of another epoch is believed.
func (c *Catalog) publish(t target, next *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &State{snapshot: next, marks: c.state.Load().marks.without(t.number)}
	c.store(s)
	c.metrics.loads.WithLabelValues("ok").Inc()
	c.log.Info("read the source's schema", "names", next.Len(), "with_cascades", len(next.cascades),
		"as_of", t.seq, "locked", next.Locked(), "changed_meanwhile", !s.marks.empty())
	c.warn(next.Warnings())
}

// warn logs what the account may not see, once until it changes. The lock is held.
func (c *Catalog) warn(warnings []string) {
	if all := strings.Join(warnings, "\n"); all != c.warned {
		c.warned = all
		for _, w := range warnings {
			c.log.Warn("Weir does not see all of the source's schema", "because", w)
		}
	}
}

func (c *Catalog) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// preferCause prefers the reason for which ctx was cancelled to the error that came of it.
func preferCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// backoff doubles from first to last.
type backoff struct {
	first, last time.Duration
	now         time.Duration
}

func (b *backoff) next() time.Duration {
	b.now = min(max(b.first, 2*b.now), b.last)
	return b.now
}

func (b *backoff) reset() { b.now = 0 }
