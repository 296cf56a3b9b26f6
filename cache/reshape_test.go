package cache

import (
	"fmt"
	"testing"
)

// fillWith puts n entries of a kibibyte into a store.
func fillWith(s *Store, n int) {
	for _, k := range keys("key", n) {
		put(s, entryOfSize(k, 1<<10))
	}
}

// TestResizedIsAsGoodAsNew: whatever size and limit a store was made with, once they are changed it has as many shards, and
// holds as much, as one that was made with them.
func TestResizedIsAsGoodAsNew(t *testing.T) {
	const size, limit, many = 32 << 20, 1 << 20, 40000
	fresh := NewStore(size, limit)
	fillWith(fresh, many)
	want := fresh.Stats().Entries
	for _, from := range []struct{ size, limit int64 }{{0, limit}, {1 << 20, limit}, {16 << 20, 16 << 20}, {4 << 30, limit}, {size, 0}, {1 << 40, 64}} {
		t.Run(fmt.Sprintf("from %d bytes, results of %d", from.size, from.limit), func(t *testing.T) {
			s := NewStore(from.size, from.limit)
			fillWith(s, many/10)
			s.Resize(size)
			s.setLimit(limit)
			if got := len(shardsOf(s)); got != shardCount(size, limit) {
				t.Errorf("%d shards, want %d", got, shardCount(size, limit))
			}
			if !put(s, entryOfSize("as large as may be", limit)) {
				t.Error("what is as large as it may be does not fit")
			}
			fillWith(s, many)
			st := s.Stats()
			if st.Bytes > size || st.Budget != size || st.Free != size-st.Bytes {
				t.Errorf("the budget does not hold: %+v", st)
			}
			if st.Entries < want*98/100 {
				t.Errorf("holds %d entries, a new one %d", st.Entries, want)
			}
			checkStore(t, s)
		})
	}
}

// TestResizeKeepsWhatIsThere: while there is room, shards are split and joined and nothing is lost, neither entries nor what
// is known of evicted keys.
func TestResizeKeepsWhatIsThere(t *testing.T) {
	s := NewStore(16<<20, 1<<20)
	all := keys("key", 5000)
	for _, k := range all {
		put(s, entryOfSize(k, 1<<10))
	}
	ghostly := uint64(77)<<56 | 123456
	s.shard(ghostly).ghost.add(ghostly)
	for _, limit := range []int64{1 << 10, 64 << 20, 1 << 20, 0} {
		for _, size := range []int64{4 << 30, 16 << 20, 1 << 30} {
			s.setLimit(limit)
			s.Resize(size)
			if n, st := countHeld(s, all), s.Stats(); n != len(all) || st.Entries != int64(n) || st.Inserts != uint64(n) || st.Evictions != 0 {
				t.Fatalf("%d bytes, results of %d: %d are found: %+v", size, limit, n, st)
			}
			checkStore(t, s)
		}
	}
	if !s.shard(ghostly).ghost.has(ghostly) {
		t.Error("a key that was evicted a while ago is forgotten")
	}
}

// TestResizeCountsCells: cells go as entries go, so that a store that was full stays full. Were they taken for what they need
// before, nothing would be left.
func TestResizeCountsCells(t *testing.T) {
	l := NewLedger(1 << 10)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 8 << 20, Limit: 1 << 10}, l, nil)
	for i := range 20000 {
		tags := []Tag{1}
		for k := range 6 {
			tags = append(tags, Tag(7*i+k)<<32)
		}
		c.Put(NewEntry(fmt.Append(nil, i), nil, tags, Mark{Epoch: 1}), benchBound)
	}
	if cells := l.cells.bytes.Load(); cells < 2<<20 {
		t.Fatalf("only %d bytes of cells", cells)
	}
	for _, size := range []int64{4 << 20, 1 << 20, 100 << 10} {
		c.Resize(size)
		if st := c.Stats(); st.Bytes > size || st.Bytes < size*8/10 {
			t.Errorf("after Resize to %d: %+v", size, st)
		}
		checkStore(t, c.store)
		checkCells(t, &l.cells, usersOf(c.store))
	}
	c.Resize(0)
	if st := c.Stats(); st != (Stats{Inserts: st.Inserts, Evictions: st.Inserts}) || slotsOf(c.store) != minTable {
		t.Errorf("something is left: %+v, %d slots", st, slotsOf(c.store))
	}
	if why := c.Put(cacheEntry("key", 1, Mark{Epoch: 1}, 5), benchBound); why != RefusedTooLarge {
		t.Errorf("with no budget Put says %q", why)
	}
}

// TestSetLimit: it counts for each fill from then on, and what is stored stays.
func TestSetLimit(t *testing.T) {
	l := NewLedger(1 << 10)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 64 << 20, Limit: 100}, l, nil)
	for _, step := range []struct {
		limit int64
		wire  int
		want  Refusal
	}{{100, 100, Stored}, {100, 101, RefusedTooLarge}, {4 << 20, 4 << 20, Stored}, {0, 1, RefusedTooLarge}, {-5, 1, RefusedTooLarge}, {1, 1, Stored}} {
		c.SetLimit(step.limit)
		if got := c.Put(cacheEntry(fmt.Sprint(step), step.wire, Mark{Epoch: 1}, tagA), benchBound); got != step.want || c.Limit() != max(step.limit, 0) {
			t.Errorf("%+v: %q, the limit is %d", step, got, c.Limit())
		}
	}
	if st := c.Stats(); st.Entries != 3 {
		t.Errorf("%+v, want three entries", st)
	}
}

// TestResizeAgainstUse: what is asked for as fast as the eviction looks is evicted all the same.
func TestResizeAgainstUse(t *testing.T) {
	s := NewStore(8<<20, 1<<10)
	fillWith(s, 5*evictStep)
	for it := range s.all() {
		it.setRounds(maxRounds)
	}
	sh := s.shard(0)
	steps, patience := 0, sh.patience()
	for ; !sh.approach(0, patience > 0); patience -= evictStep {
		for it := range s.all() {
			it.setRounds(maxRounds)
		}
		if steps++; steps > 1000 {
			t.Fatalf("%d bytes are left after %d steps", s.Stats().Bytes, steps)
		}
	}
}
