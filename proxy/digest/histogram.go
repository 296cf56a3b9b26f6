package digest

import (
	"math"
	"time"
)

// A histogram counts durations in buckets of which each is a factor of 2^(1/4), 1.19, wider than the one before: from 16 µs
// to somewhat over a minute.
type histogram struct {
	counts [perOctave * octaves]uint32
	n      uint64
}

const (
	perOctave = 4
	octaves   = 22
	smallest  = 16 * time.Microsecond
)

func bucketOf(d time.Duration) int {
	if d <= smallest {
		return 0
	}
	b := int(math.Ceil(perOctave * math.Log2(float64(d)/float64(smallest))))
	return min(b, perOctave*octaves-1)
}

// upper is the longest duration of a bucket.
func upper(bucket int) time.Duration {
	return time.Duration(float64(smallest) * math.Exp2(float64(bucket)/perOctave))
}

func (h *histogram) observe(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
}

func (h *histogram) merge(from *histogram) {
	for i, n := range from.counts {
		h.counts[i] += n
	}
	h.n += from.n
}

// quantile returns a duration that the given part of all did not exceed; 0 if there was none.
func (h *histogram) quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := max(uint64(math.Ceil(q*float64(h.n))), 1)
	for i, n := range h.counts {
		if rank <= uint64(n) {
			return upper(i)
		}
		rank -= uint64(n)
	}
	return upper(len(h.counts) - 1)
}
