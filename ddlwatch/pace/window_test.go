package pace

import (
	"testing"
	"testing/synctest"
	"time"
)

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
