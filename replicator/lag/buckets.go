package lag

import (
	"math/bits"
	"time"
)

// Buckets are 1/32 of a power of two wide, so that a quantile is at most 3 % too large. The last one takes all from 2^40
// ns, a quarter of an hour, on.
const (
	subBits = 5
	buckets = (40 - subBits + 1) << subBits
)

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
