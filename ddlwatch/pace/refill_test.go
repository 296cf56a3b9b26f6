package pace

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache/dep"
)

// TestTrajectory: the limit by ticks. A capital letter is a tick in which somebody waited.
func TestTrajectory(t *testing.T) {
	tests := []struct {
		name  string
		ticks string // r, p, c: relaxed, pressed, cold
		want  []int
	}{
		{"grows by two while somebody waits", "RRR", []int{10, 12, 14}},
		{"does not grow if nobody waits", "RrrR", []int{10, 10, 10, 12}},
		{"is halved at once, and not at each tick", "RRPPP", []int{10, 12, 6, 6, 6}},
		{"is halved again each second, down to Min", "PPPPPPPPPPPPPPPPPPPPPP",
			[]int{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
		{"grows by one after that", "PRRR", []int{4, 5, 6, 7}},
		{"is halved once for a cold pool, and stays", "CCCCCCCCCCCCC", slices.Repeat([]int{4}, 13)},
		{"grows when the cold pool warms up, and is halved when it is cold again", "CRRC", []int{4, 5, 6, 3}},
		{"stops at Max", "RRRRRRRRRRRRRRRRRRRRRRRRRRRRR", []int{10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36,
			38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 64}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := refill{limit: DefaultConfig().Limit}
			var got []int
			for _, tick := range tt.ticks {
				p, waited := pressureOf(tick)
				if r.step(DefaultConfig(), p, waited) {
					t.Fatalf("it is over after %d ticks", len(got))
				}
				got = append(got, r.limit)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the limit goes %v, want %v", got, tt.want)
			}
		})
	}
}

func pressureOf(tick rune) (p Pressure, waited bool) {
	switch tick {
	case 'p', 'P':
		p = Pressed
	case 'c', 'C':
		p = Cold
	}
	return p, tick < 'a'
}

// TestRefillEnds: when.
func TestRefillEnds(t *testing.T) {
	tests := []struct {
		name  string
		tick  rune
		start int
		want  int
	}{
		{"nobody has waited for a second", 'r', 8, quietTicks},
		{"nobody waits, under pressure", 'p', 8, quietTicks},
		{"at Max for half a minute", 'R', 62, topTicks},
		{"somebody waits for ever, under pressure", 'P', 8, longestTicks},
	}
	for _, tt := range tests {
		r := refill{limit: tt.start}
		p, waited := pressureOf(tt.tick)
		n := 1
		for ; !r.step(DefaultConfig(), p, waited); n++ {
			if n > longestTicks {
				t.Fatalf("%s: it never ends", tt.name)
			}
		}
		if n != tt.want {
			t.Errorf("%s: it ends after %d ticks, want %d", tt.name, n, tt.want)
		}
	}
}

// TestRefill is one from its start to its end, with 100 readers that take 50 ms each.
func TestRefill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		var done []State
		g.OnDone = func(n dep.Name, s State) {
			if n == orders {
				done = append(done, s)
			}
		}
		go g.Run(t.Context())
		g.Refill(orders)
		all := enterMany(t.Context(), g, 100, orders)
		wantGate(t, g, orders, PhaseRefill, 8, 8, 92)
		for _, r := range all {
			go func() { <-r.done; <-time.After(50 * time.Millisecond); r.leave() }()
		}
		<-time.After(10 * time.Second)
		wantNoGate(t, g, orders)
		if len(done) != 1 {
			t.Fatalf("OnDone was called %d times", len(done))
		}
		s := done[0]
		if s.Entered != 100 || s.Waited != 92 || s.Through != 0 || s.Inside != 0 || s.Peak <= 8 || s.Peak > 64 {
			t.Errorf("the refill was %+v", s)
		}
		if took := s.Ended.Sub(s.Since); took < time.Second || took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// TestRefillAgain: the limit begins anew, and the refill is one.
func TestRefillAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		done := 0
		g.OnDone = func(dep.Name, State) { done++ }
		g.Refill(orders)
		in := enterMany(t.Context(), g, 8, orders)
		g.tick()
		g.tick()
		wantGate(t, g, orders, PhaseRefill, 6, 6, 2)
		g.Refill(orders)
		wantGate(t, g, orders, PhaseRefill, 2, 6, 2)
		g.Pressure(Pressed)
		g.tick()
		g.Refill(orders)
		wantGate(t, g, orders, PhaseRefill, 1, 6, 2)
		go g.Run(t.Context())
		for _, r := range in {
			go func() { <-r.done; r.leave() }()
		}
		<-time.After(5 * time.Second)
		if done != 1 {
			t.Errorf("OnDone was called %d times", done)
		}
	})
}

// TestRefillHeld: while a DDL runs elsewhere, on a replica perhaps, the refill does not go on, nor does it end.
func TestRefillHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		go g.Run(t.Context())
		release := g.Hold(orders)
		g.Refill(orders)
		all := enterMany(t.Context(), g, 10, orders)
		<-time.After(3*time.Second - tick/2) // not at a tick
		wantGate(t, g, orders, PhaseDDL, 2, 2, 8)
		release()
		wantGate(t, g, orders, PhaseRefill, 2, 2, 8)
		<-time.After(tick)
		synctest.Wait()
		wantGate(t, g, orders, PhaseRefill, 4, 4, 6)
		drain(t, all)
	})
}

// TestRefillAll: each table that is read within ten seconds gets a refill, once.
func TestRefillAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		go g.Run(t.Context())
		g.RefillAll()
		wantNoGate(t, g, orders)
		all := enterMany(t.Context(), g, 3, orders)
		want(t, "iiw", all...)
		drain(t, all)
		<-time.After(5 * time.Second)
		wantNoGate(t, g, orders)
		drain(t, enterMany(t.Context(), g, 3, orders))
		wantNoGate(t, g, orders)

		other := enterMany(t.Context(), g, 3, items)
		want(t, "iiw", other...)
		drain(t, other)
		<-time.After(6 * time.Second)
		late := enterMany(t.Context(), g, 3, dep.Fold("shop", "seldom"))
		want(t, "iii", late...)
		drain(t, late)

		g.RefillAll()
		again := enterMany(t.Context(), g, 3, orders)
		want(t, "iiw", again...)
		drain(t, again)
	})
}
