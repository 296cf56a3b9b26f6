package redistier

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a Redis of which each pipeline takes so long, or the rest of its budget. Its values are the names.
type scripted struct {
	takes time.Duration

	mu      sync.Mutex
	running int
	most    int
	batches [][]string
}

func (s *scripted) fetch(ctx context.Context, names []string) []reply {
	s.mu.Lock()
	s.batches = append(s.batches, names)
	s.running++
	s.most = max(s.most, s.running)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.running--; s.mu.Unlock() }()
	replies := make([]reply, len(names))
	select {
	case <-time.After(s.takes):
		for i, n := range names {
			replies[i].value = []byte(n)
		}
	case <-ctx.Done():
		for i := range replies {
			replies[i].err = ctx.Err()
		}
	}
	return replies
}

const budget = 5 * time.Millisecond

func ask(b *batcher, name string) reply {
	return b.ask(context.Background(), name, time.Now().Add(budget))
}

// Who comes while four pipelines are under way goes with the next one, all together, and everybody gets what is its own.
func TestBatchTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{takes: time.Millisecond}
		b := &batcher{fetch: s.fetch}
		var all sync.WaitGroup
		for i := range 4 + 30 {
			all.Go(func() {
				name := string(rune('A' + i))
				if r := ask(b, name); r.err != nil || string(r.value) != name {
					t.Errorf("%s got %q, %v", name, r.value, r.err)
				}
			})
		}
		all.Wait()
		if len(s.batches) != 5 || len(s.batches[4]) != 30 || s.most != maxPipelines {
			t.Errorf("there were %d pipelines, %d at a time: %v", len(s.batches), s.most, s.batches)
		}
		wantIdle(t, b)
	})
}

// wantIdle: nobody is under way, so that everybody who comes may ask at once.
func wantIdle(t *testing.T, b *batcher) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != 0 || len(b.waiting) != 0 {
		t.Errorf("%d places are taken and %d wait, after everybody has gone", b.running, len(b.waiting))
	}
}

// A batch has a bound: the rest goes with the one after.
func TestBatchBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{takes: time.Millisecond}
		b := &batcher{fetch: s.fetch}
		var all sync.WaitGroup
		for range 4 + maxBatch + 10 {
			all.Go(func() { ask(b, "x") })
		}
		all.Wait()
		for _, batch := range s.batches {
			if len(batch) > maxBatch {
				t.Errorf("a pipeline has %d lookups", len(batch))
			}
		}
		wantIdle(t, b)
	})
}

// TestPitfall50EverybodyLeavesInTime: Redis says nothing any more. Everybody has gone when the budget has ended, whether it
// asked itself or waited, and afterwards all is as before.
func TestPitfall50EverybodyLeavesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{takes: time.Hour}
		b := &batcher{fetch: s.fetch}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				start := time.Now()
				if r := ask(b, "x"); !late(r.err) {
					t.Errorf("it got %+v", r)
				}
				if took := time.Since(start); took > budget {
					t.Errorf("it took %v", took)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		wantIdle(t, b)
		s.takes = time.Millisecond
		if r := ask(b, "y"); string(r.value) != "y" {
			t.Errorf("afterwards: %+v", r)
		}
	})
}

// TestBatchLeaderLeaves replays the interleaving at batcher: the one that was chosen leaves before it looks, and those of its
// batch are asked for all the same.
func TestBatchLeaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{takes: time.Millisecond}
		b := &batcher{fetch: s.fetch, running: maxPipelines}
		got := make(chan reply, 1)
		go func() { got <- ask(b, "stays") }()
		synctest.Wait()
		chosen := &lookup{name: "leaves", deadline: time.Now()}
		if b.begin(chosen) {
			t.Fatal("it need not wait")
		}
		b.handOn(nil) // step 1
		if r := b.leave(chosen); !errors.Is(r.err, errLate) {
			t.Errorf("the one that left got %+v", r)
		}
		if r := <-got; string(r.value) != "stays" {
			t.Errorf("the one that stayed got %+v", r)
		}
		for range maxPipelines - 1 {
			b.handOn(nil)
		}
		wantIdle(t, b)
	})
}

// A client that hangs up does not take others with it, whose lookups it has in hand.
func TestBatchClientGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{takes: time.Millisecond}
		b := &batcher{fetch: s.fetch}
		ctx, cancel := context.WithCancel(t.Context())
		go b.ask(ctx, "x", time.Now().Add(budget))
		synctest.Wait()
		cancel()
		if r := ask(b, "y"); string(r.value) != "y" {
			t.Errorf("the other one got %+v", r)
		}
		synctest.Wait()
		wantIdle(t, b)
	})
}
