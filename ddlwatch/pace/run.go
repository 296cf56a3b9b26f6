package pace

import (
	"context"
	"time"

	"weir/cache/dep"
)

// finished is a refill that has ended.
type finished struct {
	name  dep.Name
	state State
}

// Run adapts the limits of refills, and ends them, until ctx ends. Without it they stay where they are, and readers go
// through after Config.Wait.
func (g *Gates) Run(ctx context.Context) {
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			g.report(g.tick())
		case <-ctx.Done():
			return
		}
	}
}

func (g *Gates) tick() (ended []finished) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.up {
		if t.gate.refill != nil && t.gate.paces() && g.step(t) {
			ended = append(ended, finished{t.name, g.end(t)})
		}
	}
	return ended
}

// paces says that the refill is what limits the table.
func (gt *gate) paces() bool { return gt.holds == 0 && !gt.piled && gt.verdict == nil }

// step is one tick of the table's refill, and reports whether it is over. The lock is held.
func (g *Gates) step(t *table) (over bool) {
	r := t.gate.refill
	waited := r.waited || len(t.gate.queue) > 0
	r.waited = false
	over = r.step(g.cfg, g.pressure, waited)
	g.settle(t)
	return over
}

// end takes the refill away, and lets everybody in who waits for it. The lock is held.
func (g *Gates) end(t *table) State {
	s := g.state(t)
	s.Ended = time.Now()
	t.gate.refill = nil
	g.settle(t)
	return s
}

func (g *Gates) report(ended []finished) {
	for _, f := range ended {
		if f.state.Waited > 0 {
			g.log.Info("reads of a table are no longer paced", "table", f.state.Table, "lasted", f.state.Ended.Sub(f.state.Since),
				"reads", f.state.Entered, "waited", f.state.Waited, "through", f.state.Through, "limit", f.state.Peak)
		}
		if g.OnDone != nil {
			g.OnDone(f.name, f.state)
		}
	}
}
