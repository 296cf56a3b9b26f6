package lag

import (
	"testing"
	"time"
)

// TestBuckets: every duration is in a bucket that ends at most 1/32 above it, and buckets are in order.
func TestBuckets(t *testing.T) {
	last := -1
	for d := time.Duration(1); d < 1<<40; d += d/50 + 1 {
		b := BucketOf(d)
		if b < last {
			t.Fatalf("%d ns is in bucket %d, something shorter in bucket %d", d, b, last)
		}
		last = b
		if end := EndOf(b); end < d || end > d+d/32 {
			t.Fatalf("%d ns is in bucket %d, which ends at %d ns", d, b, end)
		}
		if b > 0 && EndOf(b-1) >= d {
			t.Fatalf("%d ns is in bucket %d, but the one before ends at %d ns", d, b, EndOf(b-1))
		}
	}
	if last != Buckets-1 {
		t.Fatalf("the longest is in bucket %d, want %d", last, Buckets-1)
	}
}
