package cache

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// entryOf returns an entry with a key and a result, which depends on nothing.
func entryOf(key, wire string) *Entry { return NewEntry([]byte(key), []byte(wire), nil, Mark{}) }

func entryOfSize(key string, wire int) *Entry {
	return NewEntry([]byte(key), make([]byte, wire), nil, Mark{})
}

// put stores e under the hash of its key, get looks it up.
func put(s *Store, e *Entry) bool        { return s.Put(Hash(e.Key()), e) }
func get(s *Store, key string) *Entry    { return s.Get(Hash([]byte(key)), []byte(key)) }
func holds(s *Store, key string) bool    { return get(s, key) != nil }
func sizeOf(e *Entry) int64              { return newItem(0, e).size }
func everything(*Entry) bool             { return true }
func nothing(*Entry) bool                { return false }
func goOn() bool                         { return true }
func keys(prefix string, n int) []string { return keysFrom(prefix, 0, n) }

func keysFrom(prefix string, from, n int) (all []string) {
	for i := from; i < from+n; i++ {
		all = append(all, fmt.Sprintf("%s %06d", prefix, i))
	}
	return all
}

func countHeld(s *Store, keys []string) (n int) {
	for _, k := range keys {
		if holds(s, k) {
			n++
		}
	}
	return n
}

func shardsOf(s *Store) []*shard { return slices.Collect(s.shards()) }

// checkStore compares what a store keeps of itself: queues, table, bytes, budget.
func checkStore(t *testing.T, s *Store) {
	t.Helper()
	for sh := range s.shards() {
		checkShard(t, sh)
	}
}

func checkShard(t *testing.T, s *shard) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	table, items := s.table.Load(), 0
	for name, q := range map[string]*queue{"small": &s.small, "main": &s.main, "aside": &s.aside} {
		var bytes int64
		var n int
		q.each(func(it *item) {
			items++
			n++
			bytes += it.size
			if it.queue != q || it.next.prev != it || it.prev.next != it {
				t.Errorf("%s: the links of %q are wrong", name, it.entry.Key())
			}
			if table.find(it.hash, it.entry.Key()) != it {
				t.Errorf("%s: the table does not find %q", name, it.entry.Key())
			}
		})
		if bytes != q.bytes || n != q.len {
			t.Errorf("%s: counts %d bytes in %d items, has %d in %d", name, q.bytes, q.len, bytes, n)
		}
	}
	if got := s.bytes(); got > s.budget {
		t.Errorf("%d bytes, budget %d", got, s.budget)
	}
	checkTable(t, table, items)
}

func checkTable(t *testing.T, table *table, items int) {
	t.Helper()
	live, taken := 0, 0
	for i := range table.slots {
		if it := table.slots[i].Load(); it != nil {
			taken++
			if it != deleted {
				live++
			}
		}
	}
	if live != items || table.live != live || table.taken != taken {
		t.Errorf("table: %d items and %d slots taken, counts %d and %d; the queues have %d items", live, taken, table.live, table.taken, items)
	}
	if taken >= len(table.slots) {
		t.Error("table: no slot is free, a search would not end")
	}
}

func TestStoreGet(t *testing.T) {
	s := NewStore(1<<20, 1<<10)
	e := NewEntry([]byte("key"), []byte("wire"), []Tag{tagA, tagB}, Mark{3, At(7, 1543)})
	if !put(s, e) {
		t.Fatal("Put refused")
	}
	got := get(s, "key")
	if got != e {
		t.Fatalf("Get = %v, want what was put", got)
	}
	if !bytes.Equal(got.Wire(), []byte("wire")) || !slices.Equal(got.Tags, []Tag{tagA, tagB}) || got.At != (Mark{3, At(7, 1543)}) {
		t.Errorf("got %q, %v, %v", got.Wire(), got.Tags, got.At)
	}
	for _, other := range []string{"", "ke", "key ", "Key", "yek"} {
		if holds(s, other) {
			t.Errorf("%q finds what was put under another key", other)
		}
	}
}

func TestEntryCopiesKeyAndWire(t *testing.T) {
	key, wire := []byte("key"), []byte("wire")
	e := NewEntry(key, wire, nil, Mark{})
	copy(key, "XXX")
	copy(wire, "YYYY")
	if string(e.Key()) != "key" || string(e.Wire()) != "wire" {
		t.Errorf("the entry is %q: %q", e.Key(), e.Wire())
	}
	if grown := append(e.Key(), "XXX"...); string(e.Wire()) != "wire" {
		t.Errorf("append to the key (%q) writes over the result: %q", grown, e.Wire())
	}
	for _, e := range []*Entry{entryOf("", "wire"), entryOf("key", ""), entryOf("", "")} {
		if len(e.Key())+len(e.Wire()) != len(e.data) {
			t.Errorf("%q: %q of %q", e.Key(), e.Wire(), e.data)
		}
	}
}

// TestStoreComparesKeys: keys of one hash are all found, each its own, and none is found for another.
func TestStoreComparesKeys(t *testing.T) {
	for _, hash := range []uint64{0, 1, 42, 1<<64 - 1} {
		s := NewStore(1<<20, 1<<10)
		want := map[string]*Entry{}
		for _, k := range keys("key", 200) {
			want[k] = entryOf(k, "result of "+k)
			if !s.Put(hash, want[k]) {
				t.Fatal("Put refused")
			}
		}
		for k, e := range want {
			if got := s.Get(hash, []byte(k)); got != e {
				t.Errorf("hash %d: %q finds %v", hash, k, got)
			}
		}
		if got := s.Get(hash, []byte("another key")); got != nil {
			t.Errorf("hash %d: a key that was not put finds %q", hash, got.Key())
		}
		checkStore(t, s)
	}
}

func TestStoreReplaces(t *testing.T) {
	s := NewStore(1<<20, 1<<10)
	for _, wire := range []int{10, 900, 0, 10} {
		e := entryOfSize("key", wire)
		if !put(s, e) || get(s, "key") != e {
			t.Fatalf("%d bytes: not stored", wire)
		}
		if st := s.Stats(); st.Entries != 1 || st.Bytes != sizeOf(e) || st.Evictions != 0 {
			t.Errorf("%d bytes: %+v, want one entry of %d bytes", wire, st, sizeOf(e))
		}
	}
	checkStore(t, s)
}

func TestStoreRemove(t *testing.T) {
	s := NewStore(1<<20, 1<<10)
	old, e := entryOf("key", "old"), entryOf("key", "new")
	put(s, old)
	put(s, e)
	put(s, entryOf("other", ""))
	s.Remove(Hash([]byte("key")), old)
	if get(s, "key") != e {
		t.Error("Remove of an entry that had been replaced took its successor")
	}
	s.Remove(Hash([]byte("key")), e)
	s.Remove(Hash([]byte("key")), e)
	s.Remove(Hash([]byte("never")), entryOf("never", ""))
	if holds(s, "key") || !holds(s, "other") {
		t.Error("Remove did not take just its entry")
	}
	if st := s.Stats(); st.Entries != 1 || st.Evictions != 0 {
		t.Errorf("%+v, want one entry and no eviction", st)
	}
	checkStore(t, s)
}

func TestStoreTooLarge(t *testing.T) {
	const budget = 10000
	room := budget - int(sizeOf(entryOfSize("key", 0))) // roughly
	tests := []struct {
		name string
		wire int
		want bool
	}{
		{"small", 100, true},
		{"over a tenth of the budget", 2000, true},
		{"nearly the budget", room * 8 / 10, true},
		{"the budget without overhead", budget, false},
		{"twice the budget", 2 * budget, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(budget, 100)
			for _, k := range keys("before", 30) {
				put(s, entryOf(k, "x"))
			}
			before, e := s.Stats(), entryOfSize("key", tt.wire)
			if got := put(s, e); got != tt.want {
				t.Errorf("Put = %v, want %v", got, tt.want)
			}
			if got := get(s, "key"); (got == e) != tt.want {
				t.Errorf("Put returned %v, and Get finds %v", tt.want, got)
			}
			if !tt.want && s.Stats() != before {
				t.Errorf("a refused Put changed %+v to %+v", before, s.Stats())
			}
			checkStore(t, s)
		})
	}
}

// TestStoreTooLargeKeepsThePredecessor: what is refused takes nothing out.
func TestStoreTooLargeKeepsThePredecessor(t *testing.T) {
	s := NewStore(10000, 100)
	old := entryOf("key", "old")
	put(s, old)
	if put(s, entryOfSize("key", 20000)) || get(s, "key") != old {
		t.Error("a refused Put took out what its key had")
	}
}

// TestStorePutIsFound: Put evicts others, never what it has just stored.
func TestStorePutIsFound(t *testing.T) {
	for _, wire := range []int{0, 100, 1000, 3000, 9000} {
		s := NewStore(16000, 100)
		for i, k := range keys("key", 300) {
			if !put(s, entryOfSize(k, wire)) || !holds(s, k) {
				t.Fatalf("results of %d bytes: number %d is gone after Put", wire, i)
			}
			put(s, entryOf("small "+k, ""))
			get(s, "small "+k)
			checkStore(t, s)
		}
		for _, k := range keysFrom("key", 280, 20) { // again: from the ghost queue, and as replacements
			if !put(s, entryOfSize(k, wire+1)) || !holds(s, k) {
				t.Fatalf("results of %d bytes: %q is gone after it was put again", wire, k)
			}
			checkStore(t, s)
		}
	}
}

func TestStoreResize(t *testing.T) {
	s := NewStore(64<<20, 1<<10)
	all := keys("key", 4000)
	for _, k := range all {
		put(s, entryOfSize(k, 1000))
	}
	full := s.Stats()
	if full.Entries != 4000 || full.Evictions != 0 {
		t.Fatalf("%+v, want 4000 entries", full)
	}
	for _, size := range []int64{full.Bytes / 2, full.Bytes / 4, 1 << 20, 0} {
		s.Resize(size)
		st := s.Stats()
		if st.Bytes > size || st.Budget > size || st.Entries != int64(countHeld(s, all)) || st.Entries+int64(st.Evictions) != 4000 {
			t.Errorf("resized to %d: %+v, %d keys are found", size, st, countHeld(s, all))
		}
		if st.Bytes < size*3/4 {
			t.Errorf("resized to %d: only %d bytes are left", size, st.Bytes)
		}
		checkStore(t, s)
	}
	if put(s, entryOf("key", "x")) {
		t.Error("a store of no size has stored something")
	}
	s.Resize(-64 << 20)
	if st := s.Stats(); st.Budget != 0 || put(s, entryOf("key", "x")) {
		t.Errorf("a negative size is not taken for none: %+v", st)
	}
	s.Resize(64 << 20)
	for _, k := range all {
		put(s, entryOfSize(k, 1000))
	}
	if got := countHeld(s, all); got != 4000 {
		t.Errorf("resized to 64 MiB again: %d of 4000 keys are found", got)
	}
	checkStore(t, s)
}

func TestStoreClear(t *testing.T) {
	s := NewStore(64<<20, 1<<10)
	all := keys("key", 3000)
	for range 2 {
		for _, k := range all {
			put(s, entryOf(k, "x"))
		}
		s.Clear()
		if st := s.Stats(); st.Entries != 0 || st.Bytes != 0 || countHeld(s, all) != 0 || st.Budget != 64<<20 {
			t.Errorf("after Clear: %+v, %d keys are found", st, countHeld(s, all))
		}
		checkStore(t, s)
	}
}

func TestStoreSweep(t *testing.T) {
	s := NewStore(64<<20, 1<<10)
	stay, gone := keys("stay", 500), keys("go", 5000)
	for _, k := range slices.Concat(stay, gone) {
		put(s, entryOf(k, "x"))
	}
	slots := slotsOf(s)
	keep := func(e *Entry) bool { return bytes.HasPrefix(e.Key(), []byte("stay")) }
	if got := s.Sweep(keep, goOn); got != 5000 {
		t.Errorf("Sweep = %d, want 5000", got)
	}
	if got := s.Sweep(keep, goOn); got != 0 {
		t.Errorf("the second Sweep = %d, want 0", got)
	}
	if st := s.Stats(); countHeld(s, stay) != 500 || countHeld(s, gone) != 0 || st.Entries != 500 || st.Evictions != 0 {
		t.Errorf("after Sweep %d of 500 are found, and %d that should be gone: %+v", countHeld(s, stay), countHeld(s, gone), st)
	}
	if got := slotsOf(s); got >= slots {
		t.Errorf("the tables have %d slots after Sweep, %d before", got, slots)
	}
	checkStore(t, s)
}

func TestStoreSweepStops(t *testing.T) {
	s := NewStore(64<<20, 1<<10)
	for _, k := range keys("key", 1000) {
		put(s, entryOf(k, "x"))
	}
	shards, pauses := len(shardsOf(s)), 0
	if shards < 4 {
		t.Fatalf("%d shards", shards)
	}
	gone := s.Sweep(nothing, func() bool { pauses++; return pauses < 2 })
	if pauses != 2 || gone == 0 || gone == 1000 || s.Stats().Entries != int64(1000-gone) {
		t.Errorf("%d pauses, %d entries gone of two shards in %d: %+v", pauses, gone, shards, s.Stats())
	}
	if got := s.Sweep(everything, goOn); got != 0 {
		t.Errorf("a Sweep that keeps all took %d", got)
	}
}

func slotsOf(s *Store) (n int) {
	for sh := range s.shards() {
		n += len(sh.table.Load().slots)
	}
	return n
}

func TestShardCount(t *testing.T) {
	tests := []struct {
		size, limit int64
		want        int
	}{
		{0, 0, 1},
		{0, 1 << 20, 1},
		{1 << 20, 1 << 20, 1},
		{15 << 20, 1 << 10, 1},
		{16 << 20, 1 << 10, 2},
		{256 << 20, 1 << 20, 32},
		{256 << 20, 32 << 20, 1},
		{1 << 40, 1 << 20, 256},
		{1 << 40, 1 << 30, 128},
	}
	for _, tt := range tests {
		if got := shardCount(tt.size, tt.limit); got != tt.want {
			t.Errorf("shardCount(%d, %d) = %d, want %d", tt.size, tt.limit, got, tt.want)
		}
		s := NewStore(tt.size, tt.limit)
		if s.shard(0) != shardsOf(s)[0] || s.shard(1<<64-1) != shardsOf(s)[len(shardsOf(s))-1] {
			t.Errorf("%d shards: the smallest and the largest hash are not in the first and the last", len(shardsOf(s)))
		}
	}
}
