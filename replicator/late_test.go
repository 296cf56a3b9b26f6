package replicator

import (
	"slices"
	"testing"

	"weir/cache"
)

func TestPitfall3LateCommits(t *testing.T) {
	var l lateCommits
	l.restart()
	l.add(7, cache.At(1, 100))
	l.add(8, cache.At(1, 200))
	l.add(7, cache.At(1, 300)) // connection 7 has ended the one at 100
	cases := []struct {
		after, upTo, first cache.Seq
		threads            []uint32
	}{
		{0, cache.At(1, 150), 0, nil},
		{0, cache.At(1, 250), cache.At(1, 200), []uint32{8}},
		{0, cache.At(1, 300), cache.At(1, 200), []uint32{7, 8}},
		{cache.At(1, 200), cache.At(1, 400), cache.At(1, 300), []uint32{7}},
		{cache.At(1, 300), cache.At(1, 400), 0, nil},
	}
	for _, c := range cases {
		first, threads := l.between(c.after, c.upTo)
		slices.Sort(threads)
		if first != c.first || !slices.Equal(threads, c.threads) {
			t.Errorf("between %s and %s: %s %v, want %s %v", c.after, c.upTo, first, threads, c.first, c.threads)
		}
	}
	if got := list([]uint32{3, 17}); got != "3, 17" {
		t.Errorf("the list is %q", got)
	}
}
