package pace

import (
	"math"
	"time"
)

// The window of a table is how many reads of it may be at servers when no reason limits them. It is for the pile-up that
// nobody has seen yet, see P6: before some reads have come back, no more are risked. It begins at Config.StallReads, and
// each read that comes back while the window is full widens it by one. So it doubles in the time that a read takes, and
// it is never much wider than what the table has borne. There is no upper bound.

// unusedFor is after how long without more than half of it in use a window narrows to what is in use, and that of a table
// that nobody reads to where it began. Steady traffic keeps its window.
const unusedFor = time.Second

// window returns how many reads of the table may be at servers if no reason limits them. The lock is held.
func (g *Gates) window(t *table) int {
	if g.OnStall == nil || t.inside >= t.width && time.Now().Before(t.trusted) {
		return math.MaxInt
	}
	return t.width
}

// use notes that a read has been counted. A table of few readers, whose window is as narrow as can be, does not pay for
// the clock. The lock is held.
func (g *Gates) use(t *table) {
	if t.inside > t.width && !t.limited() {
		t.width = t.inside // trusted: the servers have said that it may have that many
	}
	if t.width <= g.cfg.StallReads {
		return
	}
	now := time.Now()
	switch {
	case t.inside > t.width/2:
		t.used = now
	case now.Sub(t.used) >= unusedFor:
		t.width, t.used = max(t.inside, g.cfg.StallReads), now
	}
}

// back notes that a read comes back, before it is taken off the table. It is for at least StallReads inside: of fewer
// nobody asks when they moved, and they fill no window. The lock is held.
func (t *table) back() {
	t.moved = time.Now()
	if t.inside > t.width/2 {
		t.used = t.moved // it may be long ago that one came
	}
	if t.inside >= t.width {
		t.width++
	}
}

// limited says that something other than the window limits the table.
func (t *table) limited() bool { return t.gate != nil && t.gate.needed() }

// watch sees to it that somebody finds out if no read comes back while readers wait for the table's window: there may be
// no further reader who would. A gate without a reason has a queue. The lock is held.
func (g *Gates) watch(t *table) {
	gt := t.gate
	if gt.watch != nil || gt.needed() {
		return
	}
	gt.watch = time.AfterFunc(g.cfg.Stall-time.Since(t.moved), func() { g.look(t, gt) })
}

// unwatch ends the watch, when the gate goes.
func (gt *gate) unwatch() {
	if gt.watch != nil {
		gt.watch.Stop()
		gt.watch = nil
	}
}

// look is what the watch does, again and again until nobody waits for the window.
func (g *Gates) look(t *table, gt *gate) {
	if g.looks(t, gt) {
		g.OnStall(t.name)
	}
}

// looks reports whether OnStall is to be called. The watch may have fired just when its gate went.
func (g *Gates) looks(t *table, gt *gate) (stalls bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.gate != gt {
		return false
	}
	gt.watch = nil
	if g.stalls(t) {
		g.suspect(t)
		return true
	}
	g.watch(t)
	return false
}
