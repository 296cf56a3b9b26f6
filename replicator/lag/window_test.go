package lag

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	var w Window
	if got := w.Take(); got != (Summary{}) {
		t.Errorf("an empty window has %+v", got)
	}
	for i := range 100 {
		w.Observe(time.Duration(i+1) * time.Millisecond)
	}
	w.Observe(-time.Second)
	got := w.Take()
	if got.N != 101 || got.Max != 100*time.Millisecond {
		t.Errorf("the window has %+v, want 101 of up to 100ms", got)
	}
	if again := w.Take(); again != (Summary{}) {
		t.Errorf("what was taken is still there: %+v", again)
	}
}

// TestWindowQuantiles: whatever comes, a quantile is not under the true one, and at most 1/32 over it.
func TestWindowQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var w Window
		all := make([]int64, 1+random.IntN(300))
		for i := range all {
			all[i] = random.Int64N(1 << random.IntN(37))
			w.Observe(time.Duration(all[i]))
		}
		slices.Sort(all)
		got := w.Take()
		for _, c := range []struct {
			got     time.Duration
			percent int
		}{{got.P50, 50}, {got.P99, 99}} {
			want := time.Duration(all[max((len(all)*c.percent+99)/100, 1)-1])
			if c.got < want || c.got > want+want/32 {
				t.Fatalf("p%d is %v, want %v to %v", c.percent, c.got, want, want+want/32)
			}
		}
	}
}

// TestWindowTogether: nothing is lost or counted twice between those who add and one who takes.
func TestWindowTogether(t *testing.T) {
	const writers, each = 4, 1000
	var w Window
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				w.Observe(time.Microsecond)
			}
		})
	}
	var n uint64
	for range 100 {
		n += w.Take().N
	}
	all.Wait()
	if n += w.Take().N; n != writers*each {
		t.Errorf("%d were taken of %d", n, writers*each)
	}
}
