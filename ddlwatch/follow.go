package ddlwatch

import (
	"context"
	"sync"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/ddlwatch/bufferpool"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/pace"
)

// lookEvery is how often follow looks at what has changed only by the time that has passed.
const lookEvery = 500 * time.Millisecond

// follow does what takes time, until ctx ends.
func (w *Watcher) follow(ctx context.Context) {
	f := &following{Watcher: w, held: map[dep.Name]*hold{}, flown: map[flight]*flown{}, lines: map[string]*line{}, slots: make(chan struct{}, maxRefills)}
	defer f.end()
	for _, a := range w.applied {
		f.all.Go(func() { a.run(ctx) })
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.woken:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		f.look(ctx, time.Now())
	}
}

// following is what belongs to the goroutine of follow.
type following struct {
	*Watcher
	held  map[dep.Name]*hold
	flown map[flight]*flown
	all   sync.WaitGroup

	slots   chan struct{} // one for each refill under way
	linesMu sync.Mutex
	lines   map[string]*line // of what is being followed up, by what it has changed
}

func (f *following) end() {
	for _, h := range f.held {
		h.end()
	}
	f.all.Wait()
}

// look takes what has come.
func (f *following) look(ctx context.Context, now time.Time) {
	f.mu.Lock()
	flying, recorded, suspects, convicted := f.flies, f.recorded, f.suspects, f.convicted
	f.recorded, f.suspects, f.convicted = nil, nil, nil
	f.mu.Unlock()
	for _, n := range convicted {
		f.held[n] = f.begin(f.held[n], n, true)
	}
	f.hold(flying, now)
	f.note(flying, now)
	for _, r := range recorded {
		f.take(ctx, r)
	}
	for _, n := range suspects {
		f.all.Go(func() { f.judge(ctx, n) })
	}
}

// take tells the timeline of a change that the ledger has heard of, and has it followed up.
func (f *following) take(ctx context.Context, r recorded) {
	id := f.enter(r)
	f.owe(owed{id: id, mark: cache.Mark{Epoch: f.parts.Cache.Ledger().Epoch(), Seq: r.Seq}})
	if r.unservable > 0 {
		f.followUp(ctx, followed{id: id, recorded: r})
	}
}

// verdictWithin is how long a gate's suspicion may wait for the servers' answers.
const verdictWithin = 200 * time.Millisecond

// stalled implements [pace.Gates.OnStall].
func (w *Watcher) stalled(n dep.Name) {
	w.mu.Lock()
	w.suspects = append(w.suspects, n)
	w.mu.Unlock()
	w.wake()
}

// judge asks the servers whether readers of the table pile up behind a metadata lock, or are only slow. A table of which it
// says so is held, so that the gate hears of the end in any case:
//
//  1. A change of T waits, and judge sees it.
//  2. It is killed. Follow has not looked since before 1: nothing of T is among what runs.
//  3. Judge tells the gate, where readers now wait without a deadline. Nobody has held T, and nobody will say that it is over.
func (w *Watcher) judge(ctx context.Context, n dep.Name) {
	ctx, cancel := context.WithTimeout(ctx, verdictWithin)
	defer cancel()
	if err := w.flying.Await(ctx); err != nil {
		w.gates.Verdict(n, false)
		return
	}
	if !piledUp(w.flying.Now())[n] {
		w.gates.Verdict(n, false)
		return
	}
	w.convict(n)
}

// convict tells the gate of a pile-up, and has the table held.
func (w *Watcher) convict(n dep.Name) {
	w.gates.Verdict(n, true)
	w.mu.Lock()
	w.convicted = append(w.convicted, n)
	w.mu.Unlock()
	w.wake()
}

// piledUp are the tables on which something runs, and whether it waits for a metadata lock: then who comes to the table
// waits behind it, whether somebody does already or not.
func piledUp(all []inflight.DDL) map[dep.Name]bool {
	piled := map[dep.Name]bool{}
	for _, d := range all {
		for _, n := range d.Tables {
			piled[n] = piled[n] || d.Waiting
		}
	}
	return piled
}

// pressure implements [bufferpool.Probe.OnReading]: the server that is worst counts.
func (w *Watcher) pressure(r bufferpool.Reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pressures[r.Server] = pressureOf(r.State)
	worst := pace.Relaxed
	for _, p := range w.pressures {
		worst = max(worst, p)
	}
	w.gates.Pressure(worst)
}

func pressureOf(s bufferpool.State) pace.Pressure {
	switch s {
	case bufferpool.Pressed:
		return pace.Pressed
	case bufferpool.Cold:
		return pace.Cold
	}
	return pace.Relaxed
}
