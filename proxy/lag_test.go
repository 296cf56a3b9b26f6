package proxy

import (
	"testing"
	"time"

	"weir/cache"
)

func TestLag(t *testing.T) {
	var h heads
	for i, head := range []cache.Seq{100, 100, 150, 200, 200} { // at 1 s, 2 s, ...
		h.note(cache.Mark{Epoch: 3, Seq: head}, time.Duration(i+1)*time.Second)
	}
	for _, c := range []struct {
		name string
		at   cache.Mark
		want time.Duration
		ok   bool
	}{
		{"it has all", cache.Mark{Epoch: 3, Seq: 200}, 0, true},
		{"it has more than was looked at", cache.Mark{Epoch: 3, Seq: 300}, 0, true},
		{"it lacks the last", cache.Mark{Epoch: 3, Seq: 199}, 2 * time.Second, true},
		{"it lacks two", cache.Mark{Epoch: 3, Seq: 149}, 3 * time.Second, true},
		{"it lacks what was there at the first look", cache.Mark{Epoch: 3, Seq: 99}, 5 * time.Second, true},
		{"it has nothing", cache.Mark{Epoch: 3}, 5 * time.Second, true},
		{"it is compared with another epoch", cache.Mark{Epoch: 2, Seq: 200}, 0, false},
	} {
		if got, ok := h.lag(c.at, 6*time.Second); got != c.want || ok != c.ok {
			t.Errorf("%s: got %s, %v, want %s, %v", c.name, got, ok, c.want, c.ok)
		}
	}
	h.note(cache.Mark{Epoch: 4, Seq: 50}, 7*time.Second)
	if got, ok := h.lag(cache.Mark{Epoch: 4, Seq: 49}, 9*time.Second); got != 2*time.Second || !ok {
		t.Errorf("in a new epoch: got %s, %v", got, ok)
	}
}

// A backend that never comes back costs no more memory, and its lag is never shown larger than it is.
func TestLagIsBounded(t *testing.T) {
	var h heads
	const looks = 10 * maxHeads
	for i := range looks {
		h.note(cache.Mark{Epoch: 1, Seq: cache.Seq(i + 1)}, time.Duration(i))
		if len(h.seen) > maxHeads {
			t.Fatalf("%d looks are remembered", len(h.seen))
		}
	}
	if got, _ := h.lag(cache.Mark{Epoch: 1}, looks); got != looks {
		t.Errorf("what it has lacked from the beginning is %d old, want %d", got, looks)
	}
	for at := range cache.Seq(looks) {
		if got, _ := h.lag(cache.Mark{Epoch: 1, Seq: at}, looks); got > looks-time.Duration(at) {
			t.Fatalf("the lag at %d is %d", at, got)
		}
	}
}
