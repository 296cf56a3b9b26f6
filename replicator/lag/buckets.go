package lag

import (
	"math/bits"
	"time"
)

// Buckets is how many there are. Each is 1/32 of a power of two wide, so that a quantile is at most 3 % too large. The last
// one takes all from 2^40 ns, a quarter of an hour, on.
const Buckets = (40 - subBits + 1) << subBits

const subBits = 5

// BucketOf is the bucket of a duration. Those below 32 ns have buckets of their own; above, the five bits after the first one count.
func BucketOf(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 1<<subBits {
		return int(n)
	}
	shift := bits.Len64(n) - 1 - subBits
	return min(shift<<subBits+int(n>>shift), Buckets-1)
}

// EndOf is the longest duration of a bucket.
func EndOf(bucket int) time.Duration {
	if bucket < 1<<subBits {
		return time.Duration(bucket)
	}
	shift := bucket>>subBits - 1
	return time.Duration((bucket-shift<<subBits+1)<<shift - 1)
}
