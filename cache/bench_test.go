package cache

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"
)

const benchBound = time.Hour

// benchCache holds n entries with keys of 120 bytes, results of wire bytes and three tags, all servable.
func benchCache(tb testing.TB, n, wire int) *Cache {
	tb.Helper()
	l := NewLedger(DefaultHistory)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 4 << 30, Limit: 1 << 20, MaxAge: time.Hour}, l, nil)
	for i := range n {
		if why := c.Put(benchEntry(benchKey(i), wire), benchBound); why != Stored {
			tb.Fatal(why)
		}
	}
	return c
}

func benchKey(i int) []byte {
	key := make([]byte, 120)
	binary.LittleEndian.PutUint64(key[60:], uint64(i))
	return key
}

var benchTags = []Tag{1 << 40, 1 << 50, 1 << 60}

func benchEntry(key []byte, wire int) *Entry {
	return NewEntry(key, make([]byte, wire), benchTags, Mark{Epoch: 1})
}

// TestHitAllocatesNothing guards the hot path, and what a miss does before it is one.
func TestHitAllocatesNothing(t *testing.T) {
	c := benchCache(t, 100, 100)
	hit, miss := benchKey(7), benchKey(-1)
	if c.Get(hit, benchBound) == nil || c.Get(miss, benchBound) != nil {
		t.Fatal("no hit, or no miss")
	}
	for name, key := range map[string][]byte{"hit": hit, "miss": miss} {
		if n := testing.AllocsPerRun(1000, func() { c.Get(key, benchBound) }); n != 0 {
			t.Errorf("a %s allocates %v times", name, n)
		}
	}
	tags := []Tag{1, 2, 3, 4, 5}
	if n := testing.AllocsPerRun(1000, func() { c.Ledger().Record(c.Ledger().Head()+1, tags) }); n != 0 {
		t.Errorf("Record allocates %v times", n)
	}
}

// TestPutAllocates: three allocations for an entry (its bytes, the entry, its item), whatever its size, and one more for
// the list of its cells if there are many.
func TestPutAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector, growing a slice allocates once more")
	}
	c := benchCache(t, 1, 0)
	for _, tt := range []struct {
		size, tags int
		want       float64
	}{{0, 3, 3}, {100, 3, 3}, {100000, 3, 3}, {100, fewCells, 3}, {100, fewCells + 1, 4}} {
		wire, key, tags := make([]byte, tt.size), benchKey(1), make([]Tag, tt.tags)
		put := func() { c.Put(NewEntry(key, wire, tags, Mark{Epoch: 1}), benchBound) }
		for range 100 { // the table gets to its size
			put()
		}
		if n := testing.AllocsPerRun(20, put); n != tt.want {
			t.Errorf("%d bytes, %d tags: %v allocations, want %v", tt.size, tt.tags, n, tt.want)
		}
	}
}

func BenchmarkHit(b *testing.B) {
	c := benchCache(b, 1000, 1000)
	key := benchKey(7)
	b.ReportAllocs()
	for b.Loop() {
		if c.Get(key, benchBound) == nil {
			b.Fatal("a miss")
		}
	}
}

// BenchmarkHitParallel has every core ask for the same key.
func BenchmarkHitParallel(b *testing.B) {
	c := benchCache(b, 1000, 1000)
	key := benchKey(7)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if c.Get(key, benchBound) == nil {
				b.Error("a miss")
			}
		}
	})
}

// BenchmarkHitSpread asks for a hundred thousand keys in turn, of which few are in the processor's caches.
func BenchmarkHitSpread(b *testing.B) {
	const n = 100000
	c := benchCache(b, n, 100)
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = benchKey(i * 7919 % n)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if c.Get(keys[i%n], benchBound) == nil {
			b.Fatal("a miss")
		}
	}
}

func BenchmarkMiss(b *testing.B) {
	c := benchCache(b, 1000, 1000)
	key := benchKey(-1)
	b.ReportAllocs()
	for b.Loop() {
		if c.Get(key, benchBound) != nil {
			b.Fatal("a hit")
		}
	}
}

// BenchmarkPut fills a store that is full: each entry pushes out another. Some of what is there is protected, or was until
// it began.
func BenchmarkPut(b *testing.B) {
	for _, protected := range []string{"none", "half", "all", "half, until now"} {
		b.Run("protected="+protected, func(b *testing.B) { benchmarkPut(b, protected) })
	}
}

func benchmarkPut(b *testing.B, protected string) {
	c := benchCache(b, 0, 0)
	c.store.Resize(64 << 20)
	wire := make([]byte, 1000)
	put := func(i int, tag Tag) {
		tags := append([]Tag{tag}, benchTags...)
		if why := c.Put(NewEntry(benchKey(i), wire, tags, Mark{Epoch: 1}), benchBound); why != Stored {
			b.Fatal(why)
		}
	}
	release := func() {}
	if protected != "none" {
		release = c.Protect(tagA)
	}
	for i := range 25000 { // half of the budget
		put(-i, tagA)
	}
	tag := tagB
	if protected == "all" {
		tag = tagA
	}
	for i := range 50000 {
		put(-25000-i, tag)
	}
	if protected == "half, until now" {
		release()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		put(i, tag)
	}
}

// BenchmarkSweepHold tells how long a sweep of a million entries holds a shard's lock at most, in the usual number of
// shards and in one, if nothing or everything is to go.
func BenchmarkSweepHold(b *testing.B) {
	for _, limit := range []int64{1 << 20, 64 << 20} {
		for _, ended := range []bool{false, true} {
			b.Run(fmt.Sprintf("limit=%dMiB, ended=%v", limit>>20, ended), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(float64(longestHold(b, limit, ended)), "longest-hold-ns")
				}
			})
		}
	}
}

func longestHold(b *testing.B, limit int64, ended bool) (longest time.Duration) {
	l := NewLedger(DefaultHistory)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 768 << 20, Limit: limit, MaxAge: time.Hour}, l, nil)
	for i := range 1000000 {
		tags := []Tag{rowEverything, rowSchema, rowAnchor, rowTag(i)}
		c.Put(NewEntry(rowKey(nil, i), make([]byte, 50), tags, Mark{Epoch: 1}), benchBound)
	}
	if ended {
		l.Record(1, []Tag{rowAnchor})
	}
	held := func(f func()) {
		began := time.Now()
		f()
		longest = max(longest, time.Since(began))
	}
	for s := range c.store.shards() {
		for items := range s.walk() {
			items = slices.DeleteFunc(items, func(it *item) bool { return c.worthKeeping(it.entry) })
			held(func() { c.store.takeOut(items) })
		}
		held(s.compact)
	}
	if left := c.Stats().Entries; ended == (left > 0) {
		b.Fatalf("%d entries are left", left)
	}
	return longest
}

// BenchmarkRecord is a row change: the table, and the row before and after. The rows are ones that some result depends
// on, or others, in no order. It must not matter how many entries are cached, but for what the processor's caches hold.
func BenchmarkRecord(b *testing.B) {
	for _, n := range []int{1000, 100000, 1000000} {
		for name, first := range map[string]int{"cached": 0, "not cached": n} {
			b.Run(fmt.Sprintf("entries=%d, rows %s", n, name), func(b *testing.B) {
				l, seq := rowCache(b, n, DefaultHistory).Ledger(), Seq(0)
				b.ReportAllocs()
				for b.Loop() {
					seq++
					row := first + int(seq*7919)%n
					l.Record(seq, []Tag{rowTable, rowTag(row), rowTag(row + 1)})
				}
			})
		}
	}
}

// BenchmarkFresh is the rule alone, by the number of tags.
func BenchmarkFresh(b *testing.B) {
	for _, n := range []int{1, 3, 17, 100} {
		b.Run(fmt.Sprintf("tags=%d", n), func(b *testing.B) {
			l := NewLedger(DefaultHistory)
			l.SetComplete(l.Restart(0), 0)
			tags := make([]Tag, n)
			for i := range tags {
				tags[i] = Tag(i) * 0x9e3779b97f4a7c15
			}
			e := NewEntry(nil, nil, tags, Mark{Epoch: 1})
			for b.Loop() {
				if !l.Fresh(e, 0, benchBound) {
					b.Fatal("not servable")
				}
			}
		})
	}
}
