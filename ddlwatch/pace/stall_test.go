package pace

import (
	"testing"
	"testing/synctest"
	"time"

	"weir/cache/dep"
)

// stalling has as many reads at servers as make a suspicion, and none has come back for long enough.
func stalling(t *testing.T) (g *Gates, asked *int, in []*reader) {
	g, asked = newGates(DefaultConfig()), new(int)
	g.OnStall = func(n dep.Name) {
		if n != orders {
			t.Errorf("%s is suspected", n)
		}
		*asked++
	}
	in = enterMany(t.Context(), g, g.cfg.StallReads, orders)
	<-time.After(g.cfg.Stall)
	return g, asked, in
}

func TestStallSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, asked, in := stalling(t)
		held := enterMany(t.Context(), g, 3, orders)
		want(t, "www", held...)
		wantGate(t, g, orders, PhaseStalled, 0, 8, 3)
		g.Verdict(orders, false)
		want(t, "iii", held...)
		wantNoGate(t, g, orders)

		// For a while nobody is held up, although the reads still do not come back.
		<-time.After(trustFor - time.Millisecond)
		more := enter(t.Context(), g, orders)
		want(t, "i", more)
		<-time.After(time.Millisecond)
		again := enter(t.Context(), g, orders)
		want(t, "w", again)
		if *asked != 2 {
			t.Errorf("OnStall was called %d times, want 2", *asked)
		}
		drain(t, append(append(in, held...), more, again))
	})
}

// TestStallPiled: the verdict is that they pile up. Who waits has no deadline, until it is said that it is over.
func TestStallPiled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _, in := stalling(t)
		held := enter(t.Context(), g, orders)
		g.Verdict(orders, true)
		<-time.After(time.Minute)
		want(t, "w", held)
		wantGate(t, g, orders, PhasePileUp, 2, 8, 1)
		g.Piled(orders, false)
		drain(t, append(in, held))
	})
}

// TestStallNobodyAnswers: nothing is said in time.
func TestStallNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, asked, in := stalling(t)
		began := time.Now()
		held := enter(t.Context(), g, orders)
		<-held.done
		if waited := time.Since(began); waited != verdictWait {
			t.Errorf("it was held up for %s", waited)
		}
		next := enter(t.Context(), g, orders)
		want(t, "i", next)
		if *asked != 1 {
			t.Errorf("OnStall was called %d times", *asked)
		}

		g.Verdict(orders, false) // too late, and no news
		wantNoGate(t, g, orders)
		g.Verdict(orders, true) // too late, but true
		wantGate(t, g, orders, PhasePileUp, 2, 10, 0)
		drain(t, append(in, held, next))
	})
}

// TestNoStall: what makes no suspicion.
func TestNoStall(t *testing.T) {
	tests := map[string]func(t *testing.T, g *Gates, in []*reader) []*reader{
		"one has come back": func(t *testing.T, g *Gates, in []*reader) []*reader {
			in[0].leave()
			return append(in[1:], enter(t.Context(), g, orders))
		},
		"too few": func(t *testing.T, g *Gates, in []*reader) []*reader {
			in[0].leave()
			<-time.After(time.Hour)
			return in[1:]
		},
		"a DDL is known": func(t *testing.T, g *Gates, in []*reader) []*reader {
			time.AfterFunc(time.Second, g.Hold(orders))
			return in
		},
	}
	for name, then := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, asked, in := stalling(t)
				in = then(t, g, in)
				in = append(in, enter(t.Context(), g, orders))
				<-time.After(g.cfg.Stall)
				synctest.Wait()
				if *asked != 0 {
					t.Error("the table is suspected")
				}
				drain(t, in)
			})
		})
	}
}
