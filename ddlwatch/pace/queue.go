package pace

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// waiter is a reader that waits.
type waiter struct {
	ticket uint64 // the order of arrival
	tables []*table
	at     *table // in whose queue it stands; nil once it is let in
	since  time.Time
	in     chan struct{} // closed when it is let in
}

// queue is in order of arrival.
type queue []*waiter

func (q queue) place(w *waiter) (int, bool) {
	return slices.BinarySearchFunc(q, w, func(a, b *waiter) int { return cmp.Compare(a.ticket, b.ticket) })
}

func (q *queue) insert(w *waiter) {
	i, _ := q.place(w)
	*q = slices.Insert(*q, i, w)
}

func (q *queue) remove(w *waiter) {
	if i, ok := q.place(w); ok {
		*q = slices.Delete(*q, i, i+1)
	}
}

// enqueue makes the newcomer wait at the table. It keeps the slice. The lock is held.
func (g *Gates) enqueue(tables []*table, at *table) *waiter {
	g.tickets++
	w := &waiter{ticket: g.tickets, tables: tables, since: time.Now(), in: make(chan struct{})}
	for _, t := range tables {
		t.waiting++
	}
	g.queueAt(w, at)
	g.metrics.waits.WithLabelValues(string(at.gate.phase())).Inc()
	return w
}

func (g *Gates) queueAt(w *waiter, at *table) {
	w.at = at
	gt := g.raise(at)
	gt.queue.insert(w)
	if r := gt.refill; r != nil {
		r.waited = true
		r.waits++
	}
	g.watch(at)
}

// dequeue ends the waiting: the reader is let in, or gives up. The lock is held, and the waiter in no queue.
func (g *Gates) dequeue(w *waiter) {
	w.at = nil
	for _, t := range w.tables {
		t.waiting--
	}
}

// letIn counts a waiter that is in no queue any more, and lets it go. The lock is held.
func (g *Gates) letIn(w *waiter) {
	g.dequeue(w)
	g.admit(w.tables)
	close(w.in)
}

// settle lets in who waits at the table while there is room, and takes the gate down if there is no reason for it any
// more. It is called after every change that may have made room. The lock is held.
func (g *Gates) settle(t *table) {
	for t.gate != nil && len(t.gate.queue) > 0 && g.room(t) {
		w := t.gate.queue[0]
		t.gate.queue.remove(w)
		if at := g.full(w.tables); at != nil {
			g.queueAt(w, at)
		} else {
			g.letIn(w)
		}
	}
	g.takeDown(t)
	g.forget()
}

// takeDown takes the gate down if nothing needs it. Who still waits then waits for the window. The lock is held.
func (g *Gates) takeDown(t *table) {
	switch {
	case t.gate == nil || t.gate.needed():
	case len(t.gate.queue) > 0:
		g.watch(t)
	default:
		t.gate.unwatch()
		t.gate = nil
		delete(g.up, t)
	}
}

// wait waits until the reader is let in, or goes through, or its context ends.
func (g *Gates) wait(ctx context.Context, w *waiter) (leave func(), err error) {
	defer g.metrics.waited(time.Now())
	late := time.NewTimer(g.cfg.Wait)
	defer late.Stop()
	for {
		select {
		case <-w.in:
			return g.leaving(w.tables), nil
		case <-ctx.Done():
			g.giveUp(w)
			return nil, context.Cause(ctx)
		case <-late.C:
			late.Reset(g.goThrough(w))
		}
	}
}

// giveUp takes the reader out. If it has just been let in, see P4, its places go to the next.
func (g *Gates) giveUp(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.at == nil {
		g.left(w.tables)
		return
	}
	at := w.at
	at.gate.queue.remove(w)
	g.dequeue(w)
	g.settle(at)
}

// goThrough lets the reader in whatever the limits are, if it has waited for long enough and none of its tables is piled
// up. Otherwise it returns after how long to ask again.
func (g *Gates) goThrough(w *waiter) (again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.at == nil {
		return g.cfg.Wait
	}
	if left := g.cfg.Wait - time.Since(w.since); left > 0 {
		return left
	}
	if slices.ContainsFunc(w.tables, (*table).piled) {
		return g.cfg.Wait
	}
	w.at.gate.queue.remove(w)
	g.letIn(w)
	g.countThrough(w)
	return g.cfg.Wait
}

func (g *Gates) countThrough(w *waiter) {
	g.metrics.through.Inc()
	for _, t := range w.tables {
		if t.gate != nil && t.gate.refill != nil {
			t.gate.refill.through++
		}
	}
}
