package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHistorySize(t *testing.T) {
	for tags, want := range map[int]int{-1: 1, 0: 1, 1: 1, ways: 1, ways + 1: 2, 1000: 67, DefaultHistory: 69906} {
		h := newHistory(tags)
		if got := len(h.buckets); got != want {
			t.Errorf("a history of %d tags has %d buckets, want %d", tags, got, want)
		}
		if h.bucket(0) != &h.buckets[0] || h.bucket(^Tag(0)) != &h.buckets[want-1] {
			t.Errorf("%d tags: the smallest and the largest tag are not in the first and the last bucket", tags)
		}
	}
}

// TestHistoryOfBucket: tags of one bucket are touched, and others are asked for.
func TestHistoryOfBucket(t *testing.T) {
	type touched struct {
		tag Tag
		seq Seq
	}
	full := func(more ...touched) []touched { // tags 1 to 15 are touched at 101 to 115
		var all []touched
		for i := range ways {
			all = append(all, touched{Tag(i + 1), Seq(i + 101)})
		}
		return append(all, more...)
	}
	tests := []struct {
		name    string
		touched []touched
		want    map[Tag]Seq
	}{
		{"nothing", nil, map[Tag]Seq{0: 0, 1: 0, 2: 0}},
		{"one", []touched{{2, 7}}, map[Tag]Seq{0: 0, 1: 0, 2: 7}},
		{"the tag zero", []touched{{0, 7}}, map[Tag]Seq{0: 7, 2: 0}},
		{"one again", []touched{{2, 7}, {2, 9}}, map[Tag]Seq{2: 9, 3: 0}},
		{"one again, recorded late", []touched{{2, 7}, {2, 5}}, map[Tag]Seq{2: 7, 3: 0}},
		{"at zero", []touched{{2, 0}}, map[Tag]Seq{2: 0, 3: 0}},
		{"as many as there is room for", full(), map[Tag]Seq{1: 101, 2: 102, 15: 115, 99: 0}},
		{"one more", full(touched{16, 116}), map[Tag]Seq{1: 101, 2: 102, 16: 116, 99: 101}},
		{"two more, after one was touched again", full(touched{1, 116}, touched{16, 117}, touched{17, 118}),
			map[Tag]Seq{1: 116, 2: 103, 3: 103, 4: 104, 16: 117, 17: 118, 99: 103}},
		{"one comes back", full(touched{16, 116}, touched{1, 117}), map[Tag]Seq{1: 117, 2: 102, 3: 103, 99: 102}},
		{"one more, recorded late", full(touched{16, 50}), map[Tag]Seq{1: 101, 16: 50, 99: 50}},
		{"one more, recorded later than all", full(touched{16, 50}, touched{17, 40}), map[Tag]Seq{1: 101, 17: 50, 99: 50}},
		{"one more, at what the first was", full(touched{16, 101}), map[Tag]Seq{1: 101, 16: 101, 99: 101}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory(ways)
			for _, to := range tt.touched {
				h.touch(to.tag, to.seq)
			}
			for tag, want := range tt.want {
				if got := h.last(tag); got != want {
					t.Errorf("tag %d looks touched at %d, want %d", tag, got, want)
				}
			}
			h.clear()
			if h.buckets[0] != (bucket{}) {
				t.Error("clear has left something")
			}
		})
	}
}

// TestHistoryAgainstModel compares with an exact history. A tag may look newer than it is, but never newer than the tag
// that is the last to have no way; if there is room for all, nothing looks newer.
func TestHistoryAgainstModel(t *testing.T) {
	const tags = 200
	for _, room := range []int{1, 64, 100, 4000} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, uint64(room)))
			h, exact := newHistory(room), map[Tag]Seq{}
			some := func() Tag { return Tag(r.IntN(tags/2)*2) << 56 >> r.IntN(2) } // the others are never touched
			for seq := Seq(50); seq <= 3000; seq++ {
				tag, at := some(), seq-Seq(r.IntN(3)/2*r.IntN(50)) // some are recorded late
				h.touch(tag, at)
				exact[tag] = max(exact[tag], at)
				if seq%1000 == 0 {
					compare(t, &h, exact)
				}
			}
			newer := 0
			for i := range Tag(tags) {
				if h.last(i<<56) > exact[i<<56] {
					newer++
				}
			}
			if (newer > 0) != (room <= tags/2) {
				t.Errorf("room for %d: %d of %d tags look newer than they are", room, newer, tags)
			}
		}
	}
}

// compare asks for each tag that was touched, and for the neighbour of each.
func compare(t *testing.T, h *history, exact map[Tag]Seq) {
	t.Helper()
	byBucket := map[*bucket][]Seq{}
	for tag, seq := range exact {
		b := h.bucket(tag)
		byBucket[b] = append(byBucket[b], seq)
	}
	for tag := range exact {
		all := byBucket[h.bucket(tag)]
		slices.Sort(all)
		for _, tag := range []Tag{tag, tag + 3} {
			if got := h.last(tag); got < exact[tag] {
				t.Fatalf("tag %x looks touched at %d, was touched at %d", tag, got, exact[tag])
			} else if got > exact[tag] && (len(all) <= ways || got > all[len(all)-ways]) {
				t.Fatalf("tag %x looks touched at %d, was touched at %d; %d tags of its bucket were touched: %v", tag, got, exact[tag], len(all), all)
			}
		}
	}
}
