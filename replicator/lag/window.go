package lag

import (
	"math"
	"sync"
	"time"
)

// Window collects durations until somebody takes them. Its zero value is empty. Any number of goroutines may use it; each
// duration is in one summary, so whoever shares a window with another taker sees a part of it.
type Window struct {
	mu     sync.Mutex
	counts [Buckets]uint32
	n      uint64
	max    time.Duration
}

// Summary is what came since the one before: how many, and quantiles that are at most 3 % too large. All is 0 if nothing
// came.
type Summary struct {
	N             uint64
	P50, P99, Max time.Duration
}

// Observe adds a duration; one below 0, which clocks that differ can make, counts as 0.
func (w *Window) Observe(d time.Duration) {
	d = max(d, 0)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[BucketOf(d)]++
	w.n++
	w.max = max(w.max, d)
}

// Take returns what came since the last Take, and begins anew.
func (w *Window) Take() Summary {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Summary{N: w.n, P50: w.quantile(.5), P99: w.quantile(.99), Max: w.max}
	if w.n > 0 {
		w.counts, w.n, w.max = [Buckets]uint32{}, 0, 0
	}
	return s
}

// quantile is the least duration that at least the share q does not exceed, rounded up to its bucket's end, but not over
// the longest that came. The lock is held.
func (w *Window) quantile(q float64) time.Duration {
	if w.n == 0 {
		return 0
	}
	rank := max(1, uint64(math.Ceil(q*float64(w.n))))
	for i, n := range w.counts {
		if uint64(n) >= rank {
			return min(EndOf(i), w.max)
		}
		rank -= uint64(n)
	}
	return w.max
}
