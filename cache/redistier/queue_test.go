package redistier

import (
	"context"
	"testing"

	"weir/cache"
)

func offered(wire string) offer { return offer{entry: entry("k", wire, cache.Mark{}), read: 1} }

// The queue takes no more than its bounds, and what is being written counts.
func TestQueueBounds(t *testing.T) {
	one := offered("wire").size()
	q := newQueue(3, 2*one)
	for range 2 {
		if !q.push(offered("wire")) {
			t.Fatal("two do not fit")
		}
	}
	if q.push(offered("wire")) {
		t.Error("more bytes than the bound")
	}
	batch := q.take(t.Context(), 1, 1<<20)
	if len(batch) != 1 || q.push(offered("wire")) {
		t.Error("what is being written does not count")
	}
	q.done(batch)
	if !q.push(offered("wire")) || q.size() != 2*one {
		t.Errorf("there is room for one, and %d bytes are taken", q.size())
	}
	few := newQueue(1, 1<<20)
	if !few.push(offered("")) || few.push(offered("")) {
		t.Error("the bound of entries does not hold")
	}
}

// take takes the oldest first, by entries and by bytes, and at least one.
func TestQueueTake(t *testing.T) {
	q := newQueue(10, 1<<20)
	for _, wire := range []string{"a", "b", "c", "d"} {
		q.push(offered(wire))
	}
	for _, c := range []struct {
		entries int
		bytes   int64
		want    string
	}{{2, 1 << 20, "ab"}, {10, 1, "c"}, {10, 1 << 20, "d"}} {
		got := ""
		batch := q.take(t.Context(), c.entries, c.bytes)
		for _, o := range batch {
			got += string(o.entry.Wire())
		}
		if got != c.want {
			t.Errorf("took %q, want %q", got, c.want)
		}
		q.done(batch)
	}
	select {
	case <-q.drained():
	default:
		t.Error("all is done, and it is not drained")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if batch := q.take(ctx, 1, 1); batch != nil {
		t.Errorf("took %v from nothing", batch)
	}
}
