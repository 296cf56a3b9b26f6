package demo

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Buckets are 1/32 of a power of two wide, so that a quantile is at most 3 % too large. The last one takes all from
// 2^40 ns, a quarter of an hour, on.
const (
	subBits = 5
	buckets = (40 - subBits + 1) << subBits
)

// histogram of durations. Any number of goroutines may add to it.
type histogram [buckets]atomic.Uint64

func (h *histogram) add(d time.Duration) { h[bucketOf(d)].Add(1) }

func (h *histogram) counts() (c counts) {
	for i := range h {
		c[i] = h[i].Load()
	}
	return c
}

// counts is a histogram at one moment.
type counts [buckets]uint64

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
			return endOf(i)
		}
		rank -= v
	}
	return endOf(buckets - 1)
}

// bucketOf: durations below 32 ns have buckets of their own; above, the five bits after the first one count.
func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 1<<subBits {
		return int(n)
	}
	shift := bits.Len64(n) - 1 - subBits
	return min(shift<<subBits+int(n>>shift), buckets-1)
}

// endOf is the largest duration of a bucket.
func endOf(bucket int) time.Duration {
	if bucket < 1<<subBits {
		return time.Duration(bucket)
	}
	shift := bucket>>subBits - 1
	return time.Duration((bucket-shift<<subBits+1)<<shift - 1)
}
