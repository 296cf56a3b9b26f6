package dep

import (
	"math"
	"slices"
	"testing"

	"weir/cache"
)

func TestBuckets(t *testing.T) {
	run := func(level uint8, from uint64, n int) (all []Bucket) {
		for i := range n {
			all = append(all, Bucket{level, from + uint64(i)})
		}
		return all
	}
	tests := []struct {
		name      string
		low, high uint64
		want      []Bucket // nil: none
	}{
		{"one position", 5, 5, run(0, 0, 1)},
		{"the first bucket", 0, 63, run(0, 0, 1)},
		{"over an edge", 63, 64, run(0, 0, 2)},
		{"exactly 16 buckets", 0, 16*64 - 1, run(0, 0, 16)},
		{"16 buckets from their middle", 64 + 63, 16*64 + 63, run(0, 1, 16)},
		{"17 buckets, so wider ones", 0, 16 * 64, run(1, 0, 1)},
		{"17 buckets by two positions", 63, 16 * 64, run(1, 0, 1)},
		{"16 wide buckets", 4096, 17*4096 - 1, run(1, 1, 16)},
		{"17 wide buckets", 4096, 17 * 4096, run(2, 0, 1)},
		{"16 of the widest", 0, 16<<18 - 1, run(2, 0, 16)},
		{"17 of the widest", 0, 16 << 18, nil},
		{"everything", 0, math.MaxUint64, nil},
		{"the last position", math.MaxUint64, math.MaxUint64, run(0, math.MaxUint64>>6, 1)},
		{"up to the last position", math.MaxUint64 - 1023, math.MaxUint64, run(0, math.MaxUint64>>6-15, 16)},
		{"the other way round", 6, 5, nil},
		{"the other way round at the ends", math.MaxUint64, 0, nil},
	}
	for _, tt := range tests {
		got, ok := Buckets(tt.low, tt.high)
		if ok != (tt.want != nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v, expected %v", tt.name, got, ok, tt.want)
		}
	}
}

// TestBucketsHoldTheirRange: a position is in the range exactly if one of its three buckets is among the range's, but for the
// ends, where a bucket holds more.
func TestBucketsHoldTheirRange(t *testing.T) {
	for _, r := range [][2]uint64{{0, 0}, {100, 199}, {60, 70}, {5000, 9000}, {1 << 20, 1<<20 + 1<<21}, {math.MaxUint64 - 5000, math.MaxUint64}} {
		buckets, ok := Buckets(r[0], r[1])
		if !ok {
			t.Fatalf("%d to %d has no buckets", r[0], r[1])
		}
		for _, at := range []uint64{r[0], r[1], r[0] + (r[1]-r[0])/2, r[0] + (r[1]-r[0])/3} {
			if !holds(buckets, at) {
				t.Errorf("%d is not in the buckets of %d to %d", at, r[0], r[1])
			}
		}
		width := uint64(1) << shift(buckets[0].Level)
		if below := r[0] - width; r[0] >= width && holds(buckets, below) {
			t.Errorf("%d is in the buckets of %d to %d", below, r[0], r[1])
		}
		if above := r[1] + width; above > r[1] && holds(buckets, above) {
			t.Errorf("%d is in the buckets of %d to %d", above, r[0], r[1])
		}
	}
}

func holds(buckets []Bucket, position uint64) bool {
	for level := range uint8(Levels) {
		if slices.Contains(buckets, BucketOf(position, level)) {
			return true
		}
	}
	return false
}

// TestRowKeysAreDistinct: by table, by column, by value, by level, and a row's tag is none of a bucket.
func TestRowKeysAreDistinct(t *testing.T) {
	id, other := Fold("shop", "orders").RowKey("id"), Fold("shop", "orders").RowKey("customer_id")
	elsewhere := Fold("shop", "items").RowKey("id")
	seen := map[cache.Tag]bool{}
	for _, k := range []RowKey{id, other, elsewhere} {
		for _, v := range []string{"", "\x00", "a", "\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x00\x00\x00\x00"} {
			seen[k.Row([]byte(v))] = true
		}
		for level := range uint8(Levels) {
			seen[k.Bucket(Bucket{level, 0})] = true
			seen[k.Bucket(Bucket{level, 1})] = true
		}
	}
	if want := 3 * (5 + 2*Levels); len(seen) != want {
		t.Errorf("%d tags, expected %d", len(seen), want)
	}
}
