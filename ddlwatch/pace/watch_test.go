package pace

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch: the time counts from when a read came back last, or from when the window was full.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, orders)
		expect := func(after time.Duration, want int) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			if *asked != want {
				t.Fatalf("OnStall was called %d times, want %d", *asked, want)
			}
		}
		in := enterMany(t.Context(), g, 8, orders)
		expect(g.cfg.Stall-10*time.Millisecond, 0)
		in = append(in, enterMany(t.Context(), g, 10, orders)...)
		expect(9*time.Millisecond, 0)
		in[0].leave()
		expect(g.cfg.Stall-time.Millisecond, 0)
		wantGate(t, g, orders, PhaseBurst, 9, 9, 8)
		expect(time.Millisecond, 1)
		expect(takesToJudge, 1)
		g.Piled(orders, false)
		drain(t, in[1:])
	})
}

// TestWatchBeginsWhenTheWindowIsFull, and not when a reader begins to wait.
func TestWatchBeginsWhenTheWindowIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, items)
		in := enterMany(t.Context(), g, 8, orders)
		<-time.After(g.cfg.Stall - 10*time.Millisecond)
		late := enter(t.Context(), g, orders)
		<-time.After(10*time.Millisecond + takesToJudge)
		want(t, "i", late)
		if *asked != 1 {
			t.Errorf("OnStall was called %d times", *asked)
		}
		drain(t, append(in, late))
	})
}

// TestWatchOfAGateThatHasGone: it is stopped; and if it has just fired, it finds nothing.
func TestWatchOfAGateThatHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		counting(g, orders)
		in := enterMany(t.Context(), g, 9, orders)
		gone := g.tables[orders].gate
		watch := gone.watch
		in[0].leave() // the ninth goes, and with it the gate
		want(t, "i", in[8])
		if watch.Stop() {
			t.Error("it was not stopped")
		}
		g.look(g.tables[orders], gone)
		wantNoGate(t, g, orders)
		drain(t, in[1:])
	})
}

// TestRefillEndsInWindow: who still waits when a refill ends waits for the window, and is watched there.
func TestRefillEndsInWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		asked := counting(g, items)
		g.Refill(orders)
		all := enterMany(t.Context(), g, 20, orders)
		wantGate(t, g, orders, PhaseRefill, 2, 2, 18)
		g.mu.Lock()
		g.end(g.tables[orders])
		g.mu.Unlock()
		wantGate(t, g, orders, PhaseBurst, 8, 8, 12)
		<-time.After(g.cfg.Stall + takesToJudge)
		synctest.Wait()
		if n := countIn(all); n != 20 || *asked != 1 {
			t.Errorf("%d of 20 are in, OnStall was called %d times", n, *asked)
		}
		drain(t, all)
	})
}
