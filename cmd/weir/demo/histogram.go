package demo

import (
	"sync/atomic"
	"time"

	"weir/replicator/lag"
)

// histogram of durations. Any number of goroutines may add to it.
type histogram [lag.Buckets]atomic.Uint64

func (h *histogram) add(d time.Duration) { h[lag.BucketOf(d)].Add(1) }

func (h *histogram) counts() (c counts) {
	for i := range h {
		c[i] = h[i].Load()
	}
	return c
}

// counts is a histogram at one moment.
type counts [lag.Buckets]uint64

// minus returns what was added since an earlier moment.
func (c counts) minus(before counts) counts {
	for i := range c {
		c[i] -= before[i]
	}
	return c
}

func (c *counts) total() (n uint64) {
	for _, v := range c {
		n += v
	}
	return n
}

// quantile returns the least duration that at least the share q of all does not exceed, rounded up to its bucket's end;
// 0 if there are none.
func (c *counts) quantile(q float64) time.Duration {
	total := c.total()
	if total == 0 {
		return 0
	}
	rank := max(1, uint64(q*float64(total)+.999999))
	for i, v := range c {
		if v >= rank {
			return lag.EndOf(i)
		}
		rank -= v
	}
	return lag.EndOf(lag.Buckets - 1)
}
