package pace

import (
	"testing"
	"testing/synctest"

	"weir/cache/dep"
)

// The races of the package comment, step by step. P3, check and count, is the stress test's.

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
