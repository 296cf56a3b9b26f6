package pace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache/dep"
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

// TestP1LimitFalls: more are inside than may be. Nobody is let in for each that goes, but only when there is room.
func TestP1LimitFalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		in := enterMany(t.Context(), g, 5, orders)
		g.Hold(orders)
		next := enter(t.Context(), g, orders)
		for i, r := range in {
			if inside := len(in) - i; next.in() != (inside < 2) {
				t.Errorf("with %d inside, the next is in: %v", inside, next.in())
			}
			r.leave()
			synctest.Wait()
		}
		drain(t, []*reader{next})
	})
}

// TestP2GateGoes: the DDL is over while readers wait. They are let in as in a refill.
func TestP2GateGoes(t *testing.T) {
	for name, over := range map[string]func(*Gates) func(){
		"hold":    func(g *Gates) func() { return g.Hold(orders) },
		"pile-up": func(g *Gates) func() { g.Piled(orders, true); return func() { g.Piled(orders, false) } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates(narrow())
				end := over(g)
				all := enterMany(t.Context(), g, 200, orders)
				end()
				synctest.Wait()
				if n := countIn(all); n != 2 {
					t.Errorf("%d are in after the DDL, want the 2 of a refill", n)
				}
				wantGate(t, g, orders, PhaseRefill, 2, 2, 198)
				drain(t, all)
			})
		})
	}
}

// TestP4GivesUpWhenLetIn replays the steps.
func TestP4GivesUpWhenLetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Piled(orders, true)
		in := enter(t.Context(), g, orders)
		g.mu.Lock()
		w := g.enqueue(g.find(nil, []dep.Name{orders}), g.tables[orders])
		g.mu.Unlock()
		next := enter(t.Context(), g, orders)

		in.leave() // w is let in
		want(t, "w", next)
		g.giveUp(w)
		want(t, "i", next)
		next.leave()
		wantGate(t, g, orders, PhasePileUp, 1, 0, 0)
	})
}

// TestP5Forgotten: a table for which somebody waits elsewhere is not forgotten, others are.
func TestP5Forgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Piled(orders, true)
		in := enter(t.Context(), g, orders)
		waits := enter(t.Context(), g, orders, items)
		idle, other := dep.Fold("shop", "idle"), dep.Fold("shop", "other")
		drain(t, enterMany(t.Context(), g, 1, idle))

		g.crowded = 0
		drain(t, enterMany(t.Context(), g, 1, other))
		in.leave()
		want(t, "i", waits)
		if g.tables[idle] != nil {
			t.Error("an idle table was not forgotten")
		}
		g.Hold(items)
		wantGate(t, g, items, PhaseDDL, 2, 1, 0)
		waits.leave()
		wantGate(t, g, items, PhaseDDL, 2, 0, 0)
	})
}

// TestForgetMany: names that nobody reads any more do not pile up.
func TestForgetMany(t *testing.T) {
	g := newGates(narrow())
	for i := range 3 * manyTables {
		leave, err := g.Enter(t.Context(), []dep.Name{{Schema: "s", Table: string(rune('a' + i))}})
		if err != nil {
			t.Fatal(err)
		}
		leave()
		if n := len(g.tables); n > manyTables {
			t.Fatalf("%d tables are kept", n)
		}
	}
}
