package replicator

import (
	"testing"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

var someSource = identity.Identity{Flavor: gtid.MySQL, ID: "a"}

// historyAt is a history whose ledger knows from one place to another.
func historyAt(floor, head cache.Seq) *History {
	l := cache.NewLedger(1 << 4)
	h := &History{ledger: l}
	h.restart(l.Restart(floor), someSource, floor-1)
	l.Advance(head)
	return h
}

func wantPlace(t *testing.T, h *History, when string, at cache.Seq, want bool) cache.Place {
	t.Helper()
	p, ok := h.Place(cache.Mark{Epoch: h.ledger.Epoch(), Seq: at})
	if ok != want {
		t.Errorf("%s: %s has a place: %v, want %v", when, at, ok, want)
	}
	return p
}

func wantMark(t *testing.T, h *History, when string, p cache.Place, want bool) {
	t.Helper()
	m, ok := h.Mark(p)
	if ok != want {
		t.Errorf("%s: %+v is a mark here: %v, want %v", when, p, ok, want)
	}
	if ok && (m.Epoch != h.ledger.Epoch() || m.Seq != p.Seq) {
		t.Errorf("%s: %+v became %+v", when, p, m)
	}
}

func TestPlacesGoThereAndBack(t *testing.T) {
	h := historyAt(cache.At(7, 100), cache.At(9, 500))
	h.open(7, 1000, 0)
	h.open(8, 1010, cache.At(7, 900))
	h.open(9, 1020, cache.At(8, 800))
	h.settle(h.ledger.Epoch(), 2000, 9)
	in := func(file uint32, pos uint64, begun uint32) cache.Place {
		return cache.Place{Source: "mysql/a", Begun: begun, Seq: cache.At(file, pos)}
	}
	for _, c := range []struct {
		name string
		at   cache.Place
		want bool
	}{
		{"the floor", in(7, 100, 1000), true},
		{"before the floor", in(7, 99, 1000), false},
		{"the end of a file", in(7, 900, 1000), true},
		{"past the end of a file, as a source has lost it", in(7, 901, 1000), false},
		{"the head", in(9, 500, 1020), true},
		{"past the head", in(9, 501, 1020), false},
		{"another file of the number", in(8, 200, 1009), false},
		{"a file that is not there", in(10, 200, 1020), false},
		{"another source", cache.Place{Source: "mysql/b", Begun: 1000, Seq: cache.At(7, 200)}, false},
		{"no source", cache.Place{Begun: 1000, Seq: cache.At(7, 200)}, false},
		{"rounded down", in(8, 1<<32-1, 1010), false},
	} {
		wantMark(t, h, c.name, c.at, c.want)
	}
	if p := wantPlace(t, h, "a mark in a file before the last", cache.At(7, 500), true); p.Begun != 1000 || p.Source != "mysql/a" {
		t.Errorf("the place is %+v", p)
	}
	wantPlace(t, h, "a file from before the epoch", cache.At(6, 500), false)
	wantPlace(t, h, "rounded up", cache.After(8, 1<<33), false)
	wantPlace(t, h, "rounded down", cache.At(8, 1<<33), false)
	if _, ok := h.Place(cache.Mark{Epoch: h.ledger.Epoch() + 1, Seq: cache.At(8, 500)}); ok {
		t.Error("a mark of another epoch has a place")
	}
}

// The steps of the comment on History: neither side takes part before its file is settled.
func TestPitfall14FilesThatWereBegunInOneSecond(t *testing.T) {
	first := historyAt(cache.At(1, 4), cache.At(1, 300))
	first.open(1, 1200, 0)
	first.settle(first.ledger.Epoch(), 1200, 1) // the clock is where it was
	wantPlace(t, first, "1. in the second in which the file was begun", cache.At(1, 300), false)
	p := cache.Place{Source: "mysql/a", Begun: 1200, Seq: cache.At(1, 300)} // as if it had one
	second := historyAt(cache.At(1, 4), cache.At(1, 400))
	second.open(1, 1200, 0)
	wantMark(t, second, "3. before the second file is settled", p, false)
	second.settle(second.ledger.Epoch(), 1201, 1)
	wantMark(t, second, "a file that is settled", p, true) // that is why step 1 must not be taken
	first.settle(first.ledger.Epoch()+1, 1201, 1)
	wantPlace(t, first, "the clock of another epoch", cache.At(1, 300), false)
	first.settle(first.ledger.Epoch(), 1201, 0)
	wantPlace(t, first, "the clock before the file was there", cache.At(1, 300), false)
	first.settle(first.ledger.Epoch(), 1201, 1)
	wantPlace(t, first, "a second later", cache.At(1, 300), true)
	if first.unsettled() {
		t.Error("all files are settled, and the clock is still asked for")
	}
}

// A restart of the ledger comes first, and that of the history after it.
func TestNothingIsAPlaceAcrossARestart(t *testing.T) {
	h := historyAt(cache.At(1, 4), cache.At(1, 300))
	h.open(1, 1000, 0)
	h.settle(h.ledger.Epoch(), 2000, 1)
	p := wantPlace(t, h, "before", cache.At(1, 200), true)
	wantMark(t, h, "before", p, true)
	epoch := h.ledger.Restart(cache.At(1, 4))
	h.ledger.Advance(cache.At(1, 300))
	wantMark(t, h, "between", p, false)
	wantPlace(t, h, "between", cache.At(1, 200), false)
	h.restart(epoch, someSource, cache.At(1, 3))
	wantMark(t, h, "before a file is opened", p, false)
	h.open(1, 1000, 0)
	h.open(1, 1000, 0) // the stream was cut
	h.settle(epoch, 2000, 1)
	wantMark(t, h, "afterwards", p, true)
}

func TestHistoryForgetsTheOldestFiles(t *testing.T) {
	h := historyAt(cache.At(1, 4), cache.At(maxFiles+10, 300))
	for n := uint32(1); n <= maxFiles+10; n++ {
		h.open(n, 1000, cache.At(n-1, 500))
	}
	h.settle(h.ledger.Epoch(), 2000, maxFiles+10)
	wantPlace(t, h, "the oldest", cache.At(10, 100), false)
	wantPlace(t, h, "the oldest that is remembered", cache.At(11, 100), true)
	wantPlace(t, h, "the last", cache.At(maxFiles+10, 100), true)
}

func TestSourceIsKnownBeforeAnyFile(t *testing.T) {
	var h History
	if h.Source() != "" {
		t.Errorf("before anybody was met the source is %q", h.Source())
	}
	h.meet(someSource)
	if h.Source() != "mysql/a" {
		t.Errorf("the source is %q", h.Source())
	}
}

// The steps of the comment on History: an epoch that begins from now does not know what led to its floor.
func TestPitfall15TheFloorOfAServerThatHides(t *testing.T) {
	l := cache.NewLedger(1 << 4)
	h := &History{ledger: l}
	h.restart(l.Restart(cache.At(7, 900)), someSource, placesAfter(cache.At(7, 900), false))
	l.Advance(cache.At(7, 950))
	h.open(7, 1000, 0)
	h.settle(l.Epoch(), 2000, 7)
	p := cache.Place{Source: "mysql/a", Begun: 1000, Seq: cache.At(7, 900)}
	wantMark(t, h, "4. the floor", p, false)
	p.Seq++
	wantMark(t, h, "after it", p, true)
	if h.Passed(cache.At(7, 900)) || !h.Passed(cache.At(7, 901)) {
		t.Error("a checkpoint at the floor says that it can be relied on, or one after it does not")
	}
}
