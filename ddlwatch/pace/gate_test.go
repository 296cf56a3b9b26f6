package pace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestNoGate: without a reason nobody waits, and nothing is left of it.
func TestNoGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		all := enterMany(t.Context(), g, 100, orders, items, orders)
		if n := countIn(all); n != 100 {
			t.Errorf("%d of 100 are in", n)
		}
		none := enter(t.Context(), g)
		want(t, "i", none)
		drain(t, append(all, none))
		for n, known := range g.tables {
			if !known.idle() {
				t.Errorf("%d reads of %s are left over", known.inside, n)
			}
		}
	})
}

// TestTableTwice: a read that names a table twice, as in a join with itself, counts once.
func TestTableTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Hold(orders)
		all := enterMany(t.Context(), g, 3, orders, items, orders)
		want(t, "iiw", all...)
		wantGate(t, g, orders, PhaseDDL, 2, 2, 1)
		drain(t, all[:2])
		drain(t, all[2:])
		wantGate(t, g, orders, PhaseDDL, 2, 0, 0)
	})
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		release := g.Hold(orders)
		all := enterMany(t.Context(), g, 4, orders)
		want(t, "iiww", all...)
		wantGate(t, g, orders, PhaseDDL, 2, 2, 2)
		other := enter(t.Context(), g, items)
		want(t, "i", other)

		all[1].leave()
		want(t, "iiiw", all...)
		release()
		all[0].leave()
		all[2].leave()
		drain(t, []*reader{all[3], other})
		release()
		wantGate(t, g, orders, PhaseRefill, 2, 0, 0)
	})
}

// TestHoldTwice: DDL on two servers. The first release called twice must not end the other's hold.
func TestHoldTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		one, two := g.Hold(orders), g.Hold(orders)
		one()
		one()
		wantGate(t, g, orders, PhaseDDL, 2, 0, 0)
		two()
		wantNoGate(t, g, orders)
	})
}

// TestOrder: who came first goes first, also if it has waited at another table before.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Hold(orders)
		g.Hold(items)
		inOrders := enterMany(t.Context(), g, 2, orders)
		inItems := enterMany(t.Context(), g, 2, items)

		both := enter(t.Context(), g, orders, items)
		first, second := enter(t.Context(), g, items), enter(t.Context(), g, items)
		wantGate(t, g, orders, PhaseDDL, 2, 2, 1)
		inOrders[0].leave() // both goes on to the queue of items, before those who came later
		wantGate(t, g, orders, PhaseDDL, 2, 1, 0)
		inItems[0].leave()
		want(t, "iww", both, first, second)
		inItems[1].leave()
		want(t, "iiw", both, first, second)
		both.leave()
		want(t, "iii", both, first, second)
		wantGate(t, g, orders, PhaseDDL, 2, 1, 0)
		drain(t, []*reader{inOrders[1], first, second})
	})
}

// TestEnterEnds: a reader whose client goes while it waits holds nothing, and those behind it move up.
func TestEnterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Hold(orders)
		in := enterMany(t.Context(), g, 2, orders)
		ctx, cancel := context.WithCancelCause(t.Context())
		goes, stays := enter(ctx, g, items, orders), enter(t.Context(), g, orders)
		cancel(errGone)
		want(t, "ew", goes, stays)
		if !errors.Is(goes.err, errGone) {
			t.Errorf("the error is %v, want the cause of the context's end", goes.err)
		}
		if !g.tables[items].idle() {
			t.Error("who has gone still holds something at the other table")
		}
		in[0].leave()
		want(t, "i", stays)
		drain(t, []*reader{in[1], stays})
		wantGate(t, g, orders, PhaseDDL, 2, 0, 0)
	})
}

// TestWait: who has waited for long enough goes through, and the limit counts for the others.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		began := time.Now()
		g.Hold(orders)
		in := enterMany(t.Context(), g, 2, orders)
		late := enter(t.Context(), g, orders, items)
		<-late.done
		if waited := time.Since(began); waited != g.cfg.Wait {
			t.Errorf("it has waited for %s, want %s", waited, g.cfg.Wait)
		}
		next := enter(t.Context(), g, orders)
		wantGate(t, g, orders, PhaseDDL, 2, 3, 1)
		late.leave()
		want(t, "w", next)
		in[0].leave()
		want(t, "i", next)
		drain(t, []*reader{in[1], next})
	})
}
