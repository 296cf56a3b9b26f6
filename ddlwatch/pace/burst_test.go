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
