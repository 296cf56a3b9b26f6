package ddlwatch

import (
	"context"
	"slices"
	"strings"
	"time"

	"weir/cache/dep"
)

// followed is a change that is followed up, and its number in the timeline.
type followed struct {
	recorded
	id uint64
}

// line is where changes wait that change the same as one that is being followed up. A thousand GRANTs in a row are not to
// have a thousand looks through the cache: when one is done, all that have come meanwhile are followed up as one.
type line struct{ waiting []followed }

// followUp follows a change up, or has it wait in line.
func (f *following) followUp(ctx context.Context, c followed) {
	f.linesMu.Lock()
	defer f.linesMu.Unlock()
	what := c.Effect.what()
	if l := f.lines[what]; l != nil {
		l.waiting = append(l.waiting, c)
		return
	}
	f.lines[what] = &line{}
	f.all.Go(func() {
		for batch := []followed{c}; len(batch) > 0; batch = f.next(what) {
			f.serve(ctx, batch)
		}
	})
}

// what names all that an effect changes.
func (e Effect) what() string {
	if e.Everything != "" {
		return "everything"
	}
	return strings.Join(append(names(e.Tables), schemas(e.Schemas)...), ",")
}

// next returns those who have come meanwhile. If there are none, the line ends.
func (f *following) next(what string) []followed {
	f.linesMu.Lock()
	defer f.linesMu.Unlock()
	batch := f.lines[what].waiting
	f.lines[what].waiting = nil
	if len(batch) == 0 {
		delete(f.lines, what)
	}
	return batch
}

// serve reads again what changes have ended, and has the timeline told when that is over.
func (f *following) serve(ctx context.Context, batch []followed) {
	began := time.Now()
	for _, c := range batch {
		f.timeline.RefillBegan(c.id, began)
	}
	e := batch[len(batch)-1].Effect
	read := f.refillInTurn(ctx, e)
	f.all.Go(func() { f.finish(ctx, batch, time.Now(), read) })
}

// finish tells the timeline of a refill's end: the moment from which on nobody has waited for it.
func (f *following) finish(ctx context.Context, batch []followed, ended time.Time, read int) {
	waited, peak := f.opened(ctx, batch[len(batch)-1].Effect.Tables)
	if waited.After(ended) {
		ended = waited
	}
	for _, c := range batch {
		for _, s := range f.parts.Servers {
			f.timeline.PoolLow(c.id, s.Addr, f.pool.Low(s.Addr, c.at))
		}
		f.timeline.RefillEnded(c.id, ended, read, peak)
	}
}

// refillInTurn is refill, a few at a time.
func (f *following) refillInTurn(ctx context.Context, e Effect) (read int) {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
		return f.refill(ctx, e)
	case <-ctx.Done():
		return 0
	}
}

// gateEvery is how often a gate that is up for a refill is looked at.
const gateEvery = 100 * time.Millisecond

// opened returns when none of the tables' gates is up for a refill any more: when somebody was last seen waiting, and the
// highest limit that one had.
func (f *following) opened(ctx context.Context, tables []dep.Name) (waited time.Time, peak int) {
	tick := time.NewTicker(gateEvery)
	defer tick.Stop()
	for {
		limit, waits, paced := f.paced(names(tables))
		peak = max(peak, limit)
		if !paced {
			return waited, peak
		}
		if waits {
			waited = time.Now()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return waited, peak
		}
	}
}

// paced is the highest limit of the tables' refills, whether somebody waits there, and whether there is one.
func (w *Watcher) paced(tables []string) (limit int, waits, paced bool) {
	for _, s := range w.gates.State() {
		if s.Peak > 0 && s.Ended.IsZero() && slices.Contains(tables, s.Table) {
			limit, waits, paced = max(limit, s.Peak), waits || s.Waiting > 0, true
		}
	}
	return limit, waits, paced
}
