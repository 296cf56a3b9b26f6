package pace

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
	"weir/cache/dep"
)

// fakeServer answers each read after some time, and none of a table whose metadata lock is wanted.
type fakeServer struct {
	takes  time.Duration
	free   chan struct{} // closed when the lock is free; nil if it always is
	at     atomic.Int64
	most   atomic.Int64 // reads at one time
	served atomic.Int64
}

func (s *fakeServer) read() {
	now := s.at.Add(1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	if s.free != nil {
		<-s.free
	}
	<-time.After(s.takes)
	s.at.Add(-1)
	s.served.Add(1)
}

// ask sends readers through the gates to the server, and returns when none can go on. Who is not let in is missing among
// the served.
func (s *fakeServer) ask(ctx context.Context, g *Gates, n int, names ...dep.Name) {
	for range n {
		go func() {
			leave, err := g.Enter(ctx, names)
			if err != nil {
				return
			}
			defer leave()
			s.read()
		}()
	}
	synctest.Wait()
}

// TestPitfall54MetadataLockPileUp: a transaction has read the table and is idle, an ALTER waits for it, and 200 misses
// come. Whether the ALTER was seen, or must be found out by the reads that do not come back: no more than eight are at
// the server, other tables are not held up, nobody gives up waiting, and the end of it is no herd.
func TestPitfall54MetadataLockPileUp(t *testing.T) {
	tests := map[string]func(t *testing.T, g *Gates, s *fakeServer) (over func()){
		"seen": func(t *testing.T, g *Gates, s *fakeServer) func() {
			release := g.Hold(orders)
			s.ask(t.Context(), g, 50, orders)
			g.Piled(orders, true)
			s.ask(t.Context(), g, 150, orders)
			return func() { g.Piled(orders, false); release() }
		},
		"found out": func(t *testing.T, g *Gates, s *fakeServer) func() {
			g.OnStall = judge(g, orders)
			s.ask(t.Context(), g, 8, orders)
			<-time.After(g.cfg.Stall)
			s.ask(t.Context(), g, 192, orders)
			return func() { g.Piled(orders, false) }
		},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGates(DefaultConfig())
				go g.Run(t.Context())
				locked := &fakeServer{takes: 10 * time.Millisecond, free: make(chan struct{})}
				over := begin(t, g, locked)
				<-time.After(time.Minute)
				wantGate(t, g, orders, PhasePileUp, 2, 8, 192)

				other := &fakeServer{takes: time.Second}
				other.ask(t.Context(), g, 200, items)
				<-time.After(g.cfg.Stall + takesToJudge)
				synctest.Wait()
				if n := other.at.Load(); n != 200 {
					t.Errorf("%d of 200 reads of another table are at the server", n)
				}
				close(locked.free)
				<-time.After(time.Second)
				over()
				<-time.After(2 * time.Second)
				if n, most := locked.served.Load(), locked.most.Load(); n != 200 || most > 64 {
					t.Errorf("%d of 200 reads were served, at most %d at a time", n, most)
				}
				<-time.After(2 * time.Second)
				wantNoGate(t, g, orders)
			})
		})
	}
}

// TestPileUpRestartsWaits: after a pile-up that was longer than a reader waits, nobody goes through at once.
func TestPileUpRestartsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Piled(orders, true)
		all := enterMany(t.Context(), g, 20, orders)
		<-time.After(time.Minute - time.Second)
		g.Piled(orders, false)
		wantGate(t, g, orders, PhaseRefill, 2, 2, 18)
		<-time.After(g.cfg.Wait - time.Millisecond)
		wantGate(t, g, orders, PhaseRefill, 2, 2, 18)
		<-time.After(time.Millisecond)
		drain(t, all)
	})
}

// TestPitfall56Herd: all results of a table become unservable, and 256 readers want 50 statements. As in the proxy, who
// misses joins whoever reads the same, and only the one who reads comes to the gate. Each statement is read once, and
// no more are at the server than may be.
func TestPitfall56Herd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(DefaultConfig())
		ledger := cache.NewLedger(4)
		results := cache.New(cache.DefaultConfig(), ledger, nil)
		need := ledger.Need(dep.Tags([]dep.Name{orders}))
		s := &fakeServer{takes: 100 * time.Millisecond}
		miss := func(key []byte) {
			flight, lead := results.Join(key, need)
			if !lead {
				flight.Wait(t.Context(), need)
				return
			}
			leave, err := g.Enter(t.Context(), []dep.Name{orders})
			if err != nil {
				return // it is missing among the served
			}
			s.read()
			leave()
			results.Land(flight, nil)
		}
		g.Refill(orders) // no tick: the limit stays
		for i := range 256 {
			go miss(fmt.Appendf(nil, "SELECT * FROM orders WHERE id = %d", i%50))
		}
		synctest.Wait()
		wantGate(t, g, orders, PhaseRefill, 8, 8, 42)
		<-time.After(time.Second)
		if n, most := s.served.Load(), s.most.Load(); n != 50 || most != 8 {
			t.Errorf("%d reads for 50 statements, at most %d at a time, want 8", n, most)
		}
	})
}
