package digest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"weir/cache/dep"
)

func named(i int) Named {
	return Named{ID: uint64(i + 1), Schema: "shop", Text: fmt.Sprintf("SELECT %d", i), Tables: []dep.Name{dep.Fold("shop", "t")}}
}

func find(t *testing.T, table *Table, digest string) Stats {
	t.Helper()
	for _, s := range table.All() {
		if s.Digest == digest {
			return s
		}
	}
	t.Fatalf("there is no digest %s", digest)
	return Stats{}
}

func TestCounts(t *testing.T) {
	table := New()
	now := time.Unix(100, 0)
	table.now = func() time.Time { return now }
	l := table.Of(named(7))
	table.Miss(l)
	table.Miss(l)
	table.Stored(l, 100)
	table.Refused(l, "warnings")
	table.Joined(l)
	table.NotCached(l, "session")
	table.Answered(l, 10*time.Millisecond)
	table.Answered(l, 30*time.Millisecond)
	table.Changed(l)
	table.WouldHit(l)
	table.WouldStore(l, 50)
	for i := range 5 {
		table.Hit(l, uint32(i))
	}
	s := find(t, table, "0000000000000008")
	if s.Schema != "shop" || s.Text != "SELECT 7" || s.Tables[0] != "shop.t" || !s.Last.Equal(now) {
		t.Errorf("it is %+v", s)
	}
	if s.Calls != 9 || s.Hits != 5 || s.Misses != 2 || s.Joined != 1 || s.Stores != 1 || s.Bytes != 100 || s.Changed != 1 || s.WouldHits != 1 || s.WouldBytes != 50 {
		t.Errorf("it has %+v", s)
	}
	if s.Refused["warnings"] != 1 || s.NotCached["session"] != 1 {
		t.Errorf("its reasons are %v and %v", s.Refused, s.NotCached)
	}
	if s.BackendSeconds != .04 || s.SavedSeconds < .1199 || s.SavedSeconds > .1201 {
		t.Errorf("servers took %v s, and %v s were saved", s.BackendSeconds, s.SavedSeconds)
	}
	if sums := table.Tables(); len(sums) != 1 || sums[0].Table != "shop.t" || sums[0].Reads != 9 || sums[0].Hits != 5 || sums[0].NotCached != 1 {
		t.Errorf("by table: %+v", sums)
	}
}

// Labels of a digest that has lost its row count for the others, and not for the digest that has the row now.
func TestRowsChangeHands(t *testing.T) {
	table := New()
	labels := make([]Label, MaxDigests)
	for i := range labels {
		labels[i] = table.Of(named(i))
		table.Miss(labels[i])
		if i > 0 { // which makes it worth keeping
			table.Hit(labels[i], 0)
		}
	}
	table.Hit(labels[0], 0)
	next := table.Of(named(MaxDigests))
	table.Miss(next)
	if n := len(table.All()); n > MaxDigests+1 {
		t.Errorf("there are %d rows", n)
	}
	lost := -1
	for i := range labels {
		if labels[i].row() == next.row() {
			lost = i
		}
	}
	table.Hit(labels[lost], 1)
	table.Miss(labels[lost])
	if s := find(t, table, hex(named(MaxDigests).ID)); s.Hits != 0 || s.Misses != 1 {
		t.Errorf("the new digest has %d hits and %d misses", s.Hits, s.Misses)
	}
	if s := find(t, table, OthersDigest); s.Hits != 2 || s.Misses != 2 || s.Calls != 4 {
		t.Errorf("the others have %+v", s)
	}
	if n := table.Hits(); n != MaxDigests+1 {
		t.Errorf("there were %d hits", n)
	}
}

// What is asked for again keeps its row, however many come that are asked for once.
func TestAScanTakesNoRowsAway(t *testing.T) {
	table := New()
	const kept = 100
	for i := range kept {
		l := table.Of(named(i))
		table.Miss(l)
		table.Hit(l, 0)
	}
	for i := range 10 * MaxDigests {
		if i%500 == 0 {
			for k := range kept {
				table.Hit(table.Of(named(k)), 0)
			}
		}
		table.Miss(table.Of(named(kept + i)))
	}
	for i := range kept {
		if s := find(t, table, hex(named(i).ID)); s.Hits < 20 {
			t.Fatalf("digest %d has %d hits", i, s.Hits)
		}
	}
}

// However rows change hands meanwhile, no call is lost.
func TestNoCallIsLost(t *testing.T) {
	table := New()
	var all sync.WaitGroup
	const workers, rounds = 8, 4000
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				l := table.Of(named(w*rounds + i))
				table.Miss(l)
				table.Hit(l, uint32(w))
			}
		})
	}
	all.Wait()
	var hits, misses uint64
	for _, s := range table.All() {
		hits, misses = hits+s.Hits, misses+s.Misses
	}
	if want := uint64(workers * rounds); hits != want || misses != want || table.Hits() != want {
		t.Errorf("%d hits and %d misses are shown, of %d each; and %d hits in all", hits, misses, want, table.Hits())
	}
}

func TestTop(t *testing.T) {
	table := New()
	for i := range 5 {
		for range i {
			table.Miss(table.Of(named(i)))
		}
	}
	table.Miss(Others)
	top := table.Top(3, func(s Stats) float64 { return float64(s.Misses) })
	if len(top) != 3 || top[0].Text != "SELECT 4" || top[2].Text != "SELECT 2" {
		t.Errorf("the top is %+v", top)
	}
}

func TestHistogram(t *testing.T) {
	for d := 20 * time.Microsecond; d < time.Minute; d = d*11/10 + 1 {
		var h histogram
		h.observe(d)
		if got := h.quantile(.99); got < d || float64(got) > 1.2*float64(d) {
			t.Fatalf("%s is shown as %s", d, got)
		}
	}
	var h histogram
	for i := range 100 {
		h.observe(time.Duration(i+1) * time.Millisecond)
	}
	if p50, p99 := h.quantile(.5), h.quantile(.99); p50 < 50*time.Millisecond || p50 > 60*time.Millisecond || p99 < 99*time.Millisecond || p99 > 119*time.Millisecond {
		t.Errorf("p50 is %s, p99 is %s", p50, p99)
	}
}

func BenchmarkOf(b *testing.B) {
	table, n := New(), named(1)
	for b.Loop() {
		table.Miss(table.Of(n))
	}
}

func BenchmarkAll(b *testing.B) {
	table := New()
	for i := range MaxDigests {
		table.Miss(table.Of(named(i)))
	}
	for b.Loop() {
		table.All()
	}
}

func BenchmarkNewDigests(b *testing.B) {
	table, i := New(), 0
	for b.Loop() {
		i++
		table.Miss(table.Of(named(i)))
	}
}

// A text may name thousands of tables that there are not, and there are two thousand digests.
func TestTablesAreBounded(t *testing.T) {
	table, n := New(), named(1)
	for i := range 5000 {
		n.Tables = append(n.Tables, dep.Fold("shop", fmt.Sprintf("t%d", i)))
	}
	table.Miss(table.Of(n))
	if got := len(find(t, table, hex(n.ID)).Tables); got != maxTables {
		t.Errorf("the digest has %d tables", got)
	}
}
