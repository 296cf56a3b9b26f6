package pace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache/dep"
)

// takesToJudge is how long the judge takes to ask the servers.
const takesToJudge = 5 * time.Millisecond

// judge says of one table that its readers pile up, and of all others that they do not.
func judge(g *Gates, piled dep.Name) func(dep.Name) {
	return func(n dep.Name) {
		go func() { <-time.After(takesToJudge); g.Verdict(n, n == piled) }()
	}
}

// counting is judge, and counts how often it is asked. To be read while nobody asks.
func counting(g *Gates, piled dep.Name) (asked *int) {
	asked = new(int)
	ask := judge(g, piled)
	g.OnStall = func(n dep.Name) { *asked++; ask(n) }
	return asked
}

// TestPitfall54BurstBehindUnseenLock replays P6: 80 readers come at once behind a lock that nobody has seen. No more than
// eight are ever at the server until it is free, and afterwards everybody is served.
func TestPitfall54BurstBehindUnseenLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, orders)
		go g.Run(t.Context())
		s := &fakeServer{takes: time.Millisecond, free: make(chan struct{})}
		s.ask(t.Context(), g, 80, orders)
		wantGate(t, g, orders, PhaseBurst, 8, 8, 72)
		<-time.After(g.cfg.Stall)
		synctest.Wait()
		wantGate(t, g, orders, PhaseStalled, 0, 8, 72)
		<-time.After(time.Minute)
		wantGate(t, g, orders, PhasePileUp, 2, 8, 72)
		if most := s.most.Load(); most != 8 || *asked != 1 {
			t.Errorf("at most %d reads were at the server, and OnStall was called %d times; want 8 and 1", most, *asked)
		}
		close(s.free)
		<-time.After(time.Second)
		g.Piled(orders, false)
		<-time.After(4 * time.Second)
		if n := s.served.Load(); n != 80 {
			t.Errorf("%d of 80 reads were served", n)
		}
		wantNoGate(t, g, orders)
	})
}

// TestPitfall54BurstOfSlowReads: they are only slow, or nobody says anything. All go, no later than with the verdict, and
// whoever comes within the next seconds is not held up.
func TestPitfall54BurstOfSlowReads(t *testing.T) {
	for name, tt := range map[string]struct {
		answers bool
		within  time.Duration
	}{
		"slow":           {true, takesToJudge},
		"nobody answers": {false, verdictWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates(DefaultConfig())
				asked := counting(g, items)
				if !tt.answers {
					g.OnStall = func(dep.Name) { *asked++ }
				}
				s := &fakeServer{takes: 10 * time.Second}
				s.ask(t.Context(), g, 80, orders)
				<-time.After(g.cfg.Stall + tt.within - time.Millisecond)
				synctest.Wait()
				if n := s.at.Load(); n != 8 {
					t.Errorf("%d reads are at the server before the verdict", n)
				}
				<-time.After(time.Millisecond)
				synctest.Wait()
				s.ask(t.Context(), g, 80, orders)
				if n := s.at.Load(); n != 160 || *asked != 1 {
					t.Errorf("%d of 160 reads are at the server, OnStall was called %d times", n, *asked)
				}
				<-time.After(11 * time.Second)
				wantNothingInside(t, g)
			})
		})
	}
}

// TestBurstOfFastReads: they double in the time that a read takes, and nobody asks the servers why they wait.
func TestBurstOfFastReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, orders)
		s := &fakeServer{takes: time.Millisecond}
		for i, want := range []int64{8, 16, 32, 24} {
			if i == 0 {
				s.ask(t.Context(), g, 80, orders)
			}
			if n := s.at.Load(); n != want {
				t.Errorf("after %d ms %d reads are at the server, want %d", i, n, want)
			}
			<-time.After(time.Millisecond)
			synctest.Wait()
		}
		if n := s.served.Load(); n != 80 || *asked != 0 {
			t.Errorf("%d of 80 reads were served, and OnStall was called %d times", n, *asked)
		}
		wantNoGate(t, g, orders)
	})
}

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

// TestTrustWidens: what the servers have borne while slow reads were trusted counts afterwards.
func TestTrustWidens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		counting(g, items)
		all := enterMany(t.Context(), g, 80, orders)
		<-time.After(g.cfg.Stall + takesToJudge + trustFor)
		all[0].leave()
		next := enter(t.Context(), g, orders)
		want(t, "i", next)
		drain(t, append(all[1:], next))
	})
}

// TestFewReadsWidenNothing: a table may be read without a pause, one at a time, and a burst of its readers is one.
func TestFewReadsWidenNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		counting(g, orders)
		s := &fakeServer{takes: time.Millisecond}
		for range 100 {
			s.ask(t.Context(), g, 4, orders)
			<-time.After(2 * time.Millisecond)
		}
		s.ask(t.Context(), g, 80, orders)
		if n := s.at.Load(); n != 8 {
			t.Errorf("%d reads are at the server, want 8", n)
		}
		<-time.After(time.Second)
		wantNothingInside(t, g)
	})
}

// TestSteadyTrafficIsNotHeldUp: who has 40 reads at servers all the time never waits again, also if not every moment has
// as many.
func TestSteadyTrafficIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, orders)
		s := &fakeServer{takes: 10 * time.Millisecond}
		for range 6 { // until the window is wide enough
			s.ask(t.Context(), g, 40, orders)
			<-time.After(50 * time.Millisecond)
		}
		for i := range 200 {
			n := 40
			if i%3 > 0 {
				n = 10
			}
			s.ask(t.Context(), g, n, orders)
			if at := s.at.Load(); at != int64(n) {
				t.Fatalf("in round %d only %d of %d reads are at the server", i, at, n)
			}
			<-time.After(20 * time.Millisecond)
		}
		s.takes = 3 * time.Second // reads that are at servers need the window as well as those that come
		for range 3 {
			s.ask(t.Context(), g, 40, orders)
			if at := s.at.Load(); at != 40 {
				t.Fatalf("only %d of 40 slow reads are at the server", at)
			}
			<-time.After(s.takes)
			synctest.Wait()
		}
		if *asked != 0 {
			t.Errorf("OnStall was called %d times", *asked)
		}
	})
}

// TestWindowNarrows: what a table has borne once counts for a second after it was last needed.
func TestWindowNarrows(t *testing.T) {
	tests := map[string]struct {
		readers int // each tenth of a second, meanwhile
		lasts   time.Duration
		want    int64
	}{
		"nobody reads, not for long":   {0, unusedFor - 100*time.Millisecond, 60},
		"nobody reads":                 {0, unusedFor, 8},
		"few read":                     {4, unusedFor + 200*time.Millisecond, 8},
		"as many read as were at once": {60, 3 * unusedFor, 60},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates(DefaultConfig())
				counting(g, orders)
				s := &fakeServer{takes: time.Millisecond}
				for range 6 { // until the window is wide enough
					s.ask(t.Context(), g, 60, orders)
					<-time.After(20 * time.Millisecond)
				}
				for range tt.lasts / (100 * time.Millisecond) {
					s.ask(t.Context(), g, tt.readers, orders)
					<-time.After(100 * time.Millisecond)
				}
				s.ask(t.Context(), g, 60, orders)
				if n := s.at.Load(); n != tt.want {
					t.Errorf("%d reads are at the server, want %d", n, tt.want)
				}
				<-time.After(time.Second)
				wantNothingInside(t, g)
			})
		})
	}
}

// TestBurstGivesUp: whose client goes while it waits for the window holds nothing, and the gate goes with the last.
func TestBurstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		asked := counting(g, orders)
		in := enterMany(t.Context(), g, 8, orders)
		ctx, cancel := context.WithCancelCause(t.Context())
		goes := enterMany(ctx, g, 2, items, orders)
		wantGate(t, g, orders, PhaseBurst, 8, 8, 2)
		cancel(errGone)
		want(t, "ee", goes...)
		wantNoGate(t, g, orders)
		<-time.After(time.Minute)
		if *asked != 0 {
			t.Error("the table is suspected although nobody waits")
		}
		drain(t, in)
		wantNothingInside(t, g)
	})
}

// TestBurstMovesOn: who was let out of one table's queue and finds another's window full waits there, watched.
func TestBurstMovesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		asked := counting(g, orders)
		release := g.Hold(items)
		inItems := enterMany(t.Context(), g, 2, items)
		both := enter(t.Context(), g, items, orders)
		inOrders := enterMany(t.Context(), g, 8, orders)
		inItems[0].leave()
		synctest.Wait()
		wantGate(t, g, orders, PhaseBurst, 8, 8, 1)
		<-time.After(g.cfg.Stall + takesToJudge)
		synctest.Wait()
		wantGate(t, g, orders, PhasePileUp, 1, 8, 1)
		if *asked != 1 {
			t.Errorf("OnStall was called %d times", *asked)
		}
		g.Piled(orders, false)
		release()
		drain(t, append(inOrders, inItems[1], both))
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
