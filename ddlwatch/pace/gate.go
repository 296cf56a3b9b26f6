package pace

import (
	"math"
	"sync"
	"time"

	"weir/cache/dep"
)

// gate is up while there is a reason, or while readers wait for the table's window. The lock guards it.
type gate struct {
	since   time.Time
	holds   int         // DDLs under way
	piled   bool        // readers pile up behind a metadata lock
	refill  *refill     // nil if there is none
	verdict *time.Timer // runs while a verdict is waited for
	watch   *time.Timer // see watch; nil if it does not run
	queue   queue
}

// needed says that there is a reason. Without one the window is the limit.
func (gt *gate) needed() bool {
	return gt.holds > 0 || gt.piled || gt.refill != nil || gt.verdict != nil
}

func (t *table) piled() bool { return t.gate != nil && t.gate.piled }

// limit is how many reads of a table with a gate may be at servers now. The lock is held.
func (g *Gates) limit(t *table) int {
	if !t.gate.needed() {
		return g.window(t)
	}
	limit := math.MaxInt
	if t.gate.refill != nil {
		limit = t.gate.refill.limit
	}
	if t.gate.holds > 0 {
		limit = min(limit, g.cfg.Limit)
	}
	if t.gate.piled {
		limit = min(limit, g.cfg.Min)
	}
	if t.gate.verdict != nil {
		limit = 0
	}
	return limit
}

// raise puts the table's gate up, if it is not. The caller gives it a reason, or a waiter. The lock is held.
func (g *Gates) raise(t *table) *gate {
	if t.gate == nil {
		t.gate = &gate{since: time.Now()}
		g.up[t] = struct{}{}
	}
	return t.gate
}

// Hold says that a DDL on n is under way, until release is called, which does something the first time only.
func (g *Gates) Hold(n dep.Name) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.table(n)
	g.raise(t).holds++
	return sync.OnceFunc(func() { g.release(t) })
}

func (g *Gates) release(t *table) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.gate.holds--
	g.loosen(t)
}

// Piled says whether readers of n pile up behind a metadata lock. While they do, who waits has no deadline: whoever has
// said that they do must say that they do not when that is over, or can no longer be told.
func (g *Gates) Piled(n dep.Name, waiting bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.setPiled(n, waiting)
}

func (g *Gates) setPiled(n dep.Name, waiting bool) {
	t := g.table(n)
	switch {
	case waiting:
		g.raise(t).piled = true
	case t.piled():
		t.gate.piled = false
		g.restartWaits(t)
		g.loosen(t)
	default:
		g.settle(t)
	}
}

// restartWaits gives everybody who waits at the table its time anew: see P2. The lock is held.
func (g *Gates) restartWaits(t *table) {
	for _, w := range t.gate.queue {
		w.since = time.Now()
	}
}

// loosen settles the table after a reason has gone. Who waits at a gate that would go is let in as in a refill: see P2.
// The lock is held.
func (g *Gates) loosen(t *table) {
	if len(t.gate.queue) > 0 && !t.gate.needed() {
		g.beginRefill(t)
	}
	g.settle(t)
}
