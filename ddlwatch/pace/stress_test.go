package pace

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir/cache/dep"
)

// TestStressLimit: whatever happens to gates that stay up, the reads inside of one are never more than its limit, and in
// the end nothing is left over. Nobody waits for long enough to go through.
func TestStressLimit(t *testing.T) {
	const limit, readers, reads = 3, 24, 400
	cfg := DefaultConfig()
	cfg.Min, cfg.Limit, cfg.Max, cfg.Wait = 1, limit, limit, time.Hour
	g := newGates(cfg)
	tables := []dep.Name{dep.Fold("s", "a"), dep.Fold("s", "b"), dep.Fold("s", "c")}
	for _, n := range tables {
		g.Hold(n)
	}
	var inside [3]atomic.Int64
	read := func(r *rand.Rand) {
		i, j := r.IntN(3), r.IntN(3)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if r.IntN(4) == 0 {
			go cancel()
		}
		leave, err := g.Enter(ctx, []dep.Name{tables[i], tables[j]})
		if err != nil {
			return
		}
		for _, k := range slices.Compact([]int{i, j}) { // a read counts once at a table that it names twice
			if n := inside[k].Add(1); n > limit {
				t.Errorf("%d reads of %s are inside", n, tables[k])
			}
			runtime.Gosched()
		}
		for _, k := range slices.Compact([]int{i, j}) {
			inside[k].Add(-1)
		}
		leave()
	}
	ctx, stop := context.WithCancel(t.Context())
	var disturbing, reading sync.WaitGroup
	disturbing.Go(func() { disturb(ctx, g, tables) })
	for seed := range uint64(readers) {
		reading.Go(func() {
			r := rand.New(rand.NewPCG(seed, 56))
			for range reads {
				read(r)
			}
		})
	}
	reading.Wait()
	stop()
	disturbing.Wait()
	for _, n := range tables {
		if s, _ := stateOf(g, n); s.Inside != 0 || s.Waiting != 0 || s.Through != 0 {
			t.Errorf("left over: %+v", s)
		}
	}
}

// TestStressWindow: without a reason, and with verdicts that come and go, nobody is left behind: the reads that come back,
// or the watch, let everybody in.
func TestStressWindow(t *testing.T) {
	const readers, reads = 48, 200
	cfg := DefaultConfig()
	cfg.StallReads, cfg.Stall, cfg.Wait = 2, time.Millisecond, time.Hour
	g := newGates(cfg)
	var judging, reading sync.WaitGroup
	g.OnStall = func(n dep.Name) { judging.Go(func() { g.Verdict(n, false) }) }
	tables := []dep.Name{dep.Fold("s", "a"), dep.Fold("s", "b"), dep.Fold("s", "c")}
	for seed := range uint64(readers) {
		reading.Go(func() {
			r := rand.New(rand.NewPCG(seed, 54))
			for range reads {
				ctx, cancel := context.WithCancel(t.Context())
				if r.IntN(4) == 0 {
					go cancel()
				}
				if leave, err := g.Enter(ctx, []dep.Name{tables[r.IntN(3)], tables[r.IntN(3)]}); err == nil {
					runtime.Gosched()
					leave()
				}
				cancel()
			}
		})
	}
	reading.Wait()
	judging.Wait()
	wantNothingInside(t, g)
	if up := g.State(); len(up) > 0 {
		t.Errorf("gates are left up: %+v", up)
	}
}

// disturb changes limits and ends waits for nobody, until ctx ends.
func disturb(ctx context.Context, g *Gates, tables []dep.Name) {
	r := rand.New(rand.NewPCG(1, 54))
	for ctx.Err() == nil {
		n := tables[r.IntN(len(tables))]
		switch r.IntN(6) {
		case 0:
			g.Hold(n)()
		case 1:
			g.Piled(n, true)
		case 2:
			g.Piled(n, false)
		case 3:
			g.Refill(n)
		case 4:
			g.Pressure(Pressure(r.IntN(3)))
			g.tick()
		case 5:
			g.RefillAll()
			g.Verdict(n, false)
		}
	}
	for _, n := range tables {
		g.Piled(n, false)
	}
}
