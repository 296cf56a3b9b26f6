package cache

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// yieldStep is what a Yield is told: so many results are ended at a moment, stored at the moment stored, of which so many
// were used.
type yieldStep struct {
	at, stored  time.Duration
	ended, used int
	paused      time.Duration // until when it is paused afterwards; 0 if it is not
}

func TestYield(t *testing.T) {
	const s, m = time.Second, time.Minute
	tests := []struct {
		name   string
		steps  []yieldStep
		pauses uint64
	}{
		{"nothing is ended", nil, 0},
		{"too few to tell", []yieldStep{{1 * s, 0, 255, 0, 0}}, 0},
		{"none is used", []yieldStep{{1 * s, 0, 256, 0, 11 * s}}, 1},
		{"just too few are used", []yieldStep{{1 * s, 0, 256, 5, 11 * s}}, 1},
		{"just enough are used", []yieldStep{{1 * s, 0, 256, 6, 0}}, 0},
		{"all are used", []yieldStep{{1 * s, 0, 1000, 1000, 0}}, 0},
		{"in two parts", []yieldStep{{1 * s, 0, 200, 5, 0}, {2 * s, 0, 56, 0, 12 * s}}, 1},
		{"a window that pays is forgotten", []yieldStep{{1 * s, 0, 256, 256, 0}, {2 * s, 0, 256, 0, 12 * s}}, 1},
		{"what was stored before the pause or within tells nothing of the time after it", []yieldStep{
			{1 * s, 0, 256, 0, 11 * s}, {12 * s, 0, 1000, 0, 0}, {13 * s, 11*s - 1, 1000, 0, 0}, {14 * s, 11 * s, 255, 0, 0},
		}, 1},
		{"it is tried again, and does not pay", []yieldStep{
			{1 * s, 0, 256, 0, 11 * s}, {12 * s, 11 * s, 256, 0, 32 * s}, {33 * s, 32 * s, 256, 0, 73 * s},
		}, 3},
		{"up to five minutes", []yieldStep{
			{0, 0, 256, 0, 10 * s}, {1 * m, 50 * s, 256, 0, 80 * s}, {2 * m, 2 * m, 256, 0, 160 * s}, {3 * m, 3 * m, 256, 0, 260 * s},
			{5 * m, 5 * m, 256, 0, 460 * s}, {8 * m, 8 * m, 256, 0, 13 * m}, {14 * m, 14 * m, 256, 0, 19 * m},
		}, 7},
		{"it is tried again, pays, and later does not", []yieldStep{
			{1 * s, 0, 256, 0, 11 * s}, {12 * s, 11 * s, 256, 0, 32 * s}, {40 * s, 33 * s, 256, 100, 0}, {50 * s, 41 * s, 256, 0, 60 * s},
		}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			y, pauses, firsts := &Yield{table: "app.t", grain: "row"}, uint64(0), 0
			want := YieldStats{Table: "app.t", Grain: "row", Pauses: tt.pauses}
			for i, step := range tt.steps {
				for n := range step.ended {
					hits := uint32(0)
					if n < step.used {
						hits = 3
					}
					paused, first := y.end(step.at, step.stored, hits)
					if paused {
						pauses++
					}
					if first {
						firsts++
					}
				}
				if got := y.Stats(step.at).Left; got != max(step.paused-step.at, 0) {
					t.Errorf("step %d: %v are left of the pause, want %v", i, got, step.paused-step.at)
				}
				until := max(step.at, step.paused)
				if y.Paused(until) || step.paused > 0 && !(y.Paused(step.at) && y.Paused(until-1)) {
					t.Errorf("step %d: it is not paused from %v until just before %v", i, step.at, until)
				}
				want.Ended += uint64(step.ended)
				want.Used += uint64(step.used)
				want.Hits += 3 * uint64(step.used)
			}
			if pauses != tt.pauses || firsts != min(int(tt.pauses), 1) {
				t.Errorf("%d pauses are reported, of which %d as the first, want %d", pauses, firsts, tt.pauses)
			}
			if got := y.Stats(time.Hour); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestNoYield(t *testing.T) {
	var y *Yield
	if paused, first := y.end(0, 0, 0); paused || first || y.Paused(0) {
		t.Error("a Yield that is not there is paused")
	}
}

// yieldCache runs f on a cache in a bubble, with a way to read and to write. Both have the ledger's clock move on.
func yieldCache(t *testing.T, f func(t *testing.T, y *yielding)) {
	inBubble(t, func(t *testing.T, c *Cache, reg *prometheus.Registry) {
		f(t, &yielding{cache: c, reg: reg, seq: At(1, 100)})
	})
}

type yielding struct {
	cache *Cache
	reg   *prometheus.Registry
	seq   Seq
}

func (y *yielding) write(tags ...Tag) {
	y.seq++
	y.cache.Ledger().Record(y.seq, tags)
}

// read asks for a key, and stores the result on a miss.
func (y *yielding) read(key string, tags []Tag, shares ...Share) (hit bool, why Refusal) {
	if y.cache.Get([]byte(key), cacheBound) != nil {
		return true, Stored
	}
	e := cacheEntry(key, 10, Mark{2, max(y.seq, At(1, 90))}, tags...)
	e.Anchors, e.Shares = 1, shares
	return false, y.cache.Put(e, cacheBound)
}

func (y *yielding) share(table string, tags int) Share {
	return Share{Yield: y.cache.Yield(table, "row"), Tags: tags}
}

func (y *yielding) stats(table string) YieldStats {
	for _, st := range y.cache.Yields() {
		if st.Table == table {
			return st
		}
	}
	return YieldStats{}
}

const yieldAnchor, yieldA, yieldB = Tag(0), Tag(1 << 62), Tag(1 << 63)

// TestAdaptive: a table that is written before each read is given up, and comes back when it is read more than written.
func TestAdaptive(t *testing.T) {
	yieldCache(t, func(t *testing.T, y *yielding) {
		read := func(key string) (bool, Refusal) {
			return y.read(key, []Tag{yieldAnchor, yieldA}, y.share("app.t", 1))
		}
		for i := range yieldWindow {
			if hit, why := read("key"); hit || why != Stored {
				t.Fatalf("read %d: a hit: %v, %q", i, hit, why)
			}
			y.write(yieldA)
		}
		if y.stats("app.t").Ended != yieldWindow-1 {
			t.Errorf("%+v: the last one is not yet noticed", y.stats("app.t"))
		}
		y.cache.sweep(t.Context())
		want := YieldStats{Table: "app.t", Grain: "row", Stores: yieldWindow, Ended: yieldWindow, Pauses: 1, Left: shortestPause}
		want.Left -= sweepPause // between two shards, of the bubble's clock
		if got := y.stats("app.t"); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		for range 10 {
			if _, why := read("key"); why != RefusedNotPaying {
				t.Errorf("in the pause it is %q", why)
			}
			y.write(yieldA)
		}
		if _, why := y.read("other", []Tag{yieldAnchor, yieldA}, y.share("app.u", 1)); why != Stored {
			t.Errorf("a result of another table is %q", why)
		}
		if got := gauge(t, y.reg, "weir_cache_paused"); got != 1 {
			t.Errorf("weir_cache_paused is %v in the pause", got)
		}
		age(y.cache, shortestPause)
		if got := gauge(t, y.reg, "weir_cache_paused"); got != 0 {
			t.Errorf("weir_cache_paused is %v after the pause", got)
		}
		for range yieldWindow {
			if _, why := read("key"); why != Stored {
				t.Fatalf("after the pause it is %q", why)
			}
			if hit, _ := read("key"); !hit {
				t.Fatal("after the pause there is no hit")
			}
			y.write(yieldA)
		}
		if got := y.stats("app.t"); got.Pauses != 1 || got.Left != 0 || got.Used != yieldWindow-1 {
			t.Errorf("it pays, and %+v", got)
		}
	})
}

// TestPauseIsGentle: what is asked for again before a change is stored in the pause, too.
func TestPauseIsGentle(t *testing.T) {
	yieldCache(t, func(t *testing.T, y *yielding) {
		share := y.share("app.t", 1)
		share.Yield.resume.Store(int64(time.Hour))
		steps := []struct {
			what  string
			write Tag
			key   string
			hit   bool
			why   Refusal
		}{
			{"for the first time", yieldB, "key", false, RefusedNotPaying},
			{"again, after a change", yieldA, "key", false, RefusedNotPaying},
			{"again, after a change elsewhere", yieldB, "key", false, Stored},
			{"once more", yieldB, "key", true, Stored},
			{"another for the first time", yieldB, "other", false, RefusedNotPaying},
			{"the first, after a change", yieldA, "key", false, RefusedNotPaying},
		}
		for _, s := range steps {
			y.write(s.write)
			if hit, why := y.read(s.key, []Tag{yieldAnchor, yieldA}, share); hit != s.hit || why != s.why {
				t.Errorf("%s: a hit: %v, %q; want %v, %q", s.what, hit, why, s.hit, s.why)
			}
		}
	})
}

// TestAgain: what was refused in another epoch, or under another key of the same place, proves nothing.
func TestAgain(t *testing.T) {
	var a again
	at := func(epoch uint64, seq Seq) Mark { return Mark{epoch, seq} }
	for i, s := range []struct {
		hash     uint64
		at, need Mark
		want     bool
	}{
		{7, at(1, 90), at(1, 80), false},
		{7, at(1, 95), at(1, 90), true},
		{7, at(1, 95), at(1, 91), false},
		{7, at(1, 96), at(1, 95), true},
		{7, at(2, 10), at(2, 5), false},
		{7 + againSize, at(2, 10), at(2, 5), false},
		{7, at(2, 10), at(2, 5), false},
		{8, at(2, 10), at(2, 5), false},
		{7, at(2, 10), at(2, 10), true},
	} {
		if got := a.asked(s.hash, s.at, s.need); got != s.want {
			t.Errorf("step %d: %v, want %v", i, got, s.want)
		}
	}
}

// TestEnded: which ends count, and for which table.
func TestEnded(t *testing.T) {
	type counts struct{ t, u uint64 }
	both := func(y *yielding) []Share { return []Share{y.share("app.t", 1), y.share("app.u", 1)} }
	one := func(y *yielding) []Share { return []Share{y.share("app.t", 2)} }
	tests := []struct {
		name   string
		shares func(y *yielding) []Share
		do     func(y *yielding)
		want   counts
	}{
		{"the first table changes", both, func(y *yielding) { y.write(yieldA) }, counts{1, 0}},
		{"the second table changes", both, func(y *yielding) { y.write(yieldB) }, counts{0, 1}},
		{"both change", both, func(y *yielding) { y.write(yieldA, yieldB) }, counts{1, 1}},
		{"an anchor of several tables is touched", both, func(y *yielding) { y.write(yieldAnchor) }, counts{0, 0}},
		{"an anchor of the only table is touched", one, func(y *yielding) { y.write(yieldAnchor) }, counts{1, 0}},
		{"the only table changes", one, func(y *yielding) { y.write(yieldB) }, counts{1, 0}},
		{"nothing changes", both, func(*yielding) {}, counts{}},
		{"too old", both, func(y *yielding) { age(y.cache, cacheAge+1) }, counts{}},
		{"the stream begins anew", one, func(y *yielding) { y.cache.Ledger().Restart(0) }, counts{}},
		{"evicted for room, after a change", one, func(y *yielding) { y.write(yieldA); y.cache.store.Resize(0) }, counts{}},
		{"cleared, after a change", one, func(y *yielding) { y.write(yieldA); y.cache.Clear() }, counts{}},
		{"more tags than there are", func(y *yielding) []Share {
			return []Share{y.share("app.t", 5), y.share("app.u", 5)}
		}, func(y *yielding) { y.write(yieldB) }, counts{1, 0}},
		{"a table that is not watched", func(y *yielding) []Share {
			return []Share{{Tags: 1}, y.share("app.u", 1)}
		}, func(y *yielding) { y.write(yieldA, yieldB) }, counts{0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			yieldCache(t, func(t *testing.T, y *yielding) {
				if _, why := y.read("key", []Tag{yieldAnchor, yieldA, yieldB}, tt.shares(y)...); why != Stored {
					t.Fatal(why)
				}
				tt.do(y)
				y.cache.sweep(t.Context())
				if got := (counts{y.stats("app.t").Ended, y.stats("app.u").Ended}); got != tt.want {
					t.Errorf("ended: %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

// TestHitsAtLeast: an entry counts as used once it was served, not when its key was asked for in vain; what it served is
// not its successor's; and the rounds of the eviction do not count it down.
func TestHitsAtLeast(t *testing.T) {
	yieldCache(t, func(t *testing.T, y *yielding) {
		read := func(table string) (bool, Refusal) {
			return y.read(table, []Tag{yieldAnchor, yieldA}, y.share(table, 1))
		}
		for table, reads := range map[string]int{"never": 1, "once": 2, "often": 100} {
			for range reads {
				if _, why := read(table); why != Stored {
					t.Fatal(why)
				}
			}
		}
		shardsOf(y.cache.store)[0].main.each(func(it *item) { it.setRounds(0) })
		y.write(yieldA)
		for range 5 {
			y.cache.Get([]byte("never"), cacheBound)
		}
		for range 2 { // the successors are used by nobody
			for _, table := range []string{"never", "once", "often"} {
				if hit, _ := read(table); hit {
					t.Error("a hit after the change")
				}
			}
			y.write(yieldA)
		}
		for table, want := range map[string]YieldStats{
			"never": {Used: 0, Hits: 0},
			"once":  {Used: 1, Hits: 1},
			"often": {Used: 1, Hits: 3},
		} {
			if got := y.stats(table); got.Ended != 2 || got.Used != want.Used || got.Hits != want.Hits {
				t.Errorf("%+v, want 2 ended, %d used, at least %d hits", got, want.Used, want.Hits)
			}
		}
		if ended, unused := testutil.ToFloat64(y.cache.metrics.ended), testutil.ToFloat64(y.cache.metrics.unused); ended != 6 || unused != 4 {
			t.Errorf("%v ended, %v of them unused, want 6 and 4", ended, unused)
		}
	})
}

func TestItemUses(t *testing.T) {
	it := &item{entry: new(Entry)}
	for range 5 {
		it.used()
	}
	if it.rounds() != maxRounds || it.hits() != 0 {
		t.Errorf("asked for five times: %d rounds, %d hits", it.rounds(), it.hits())
	}
	for range 5 {
		it.hit()
	}
	if it.rounds() != maxRounds || it.hits() != 1 {
		t.Errorf("and served five times: %d rounds, %d hits", it.rounds(), it.hits())
	}
	it.setRounds(0)
	it.hit()
	if it.rounds() != 1 || it.hits() != 2 {
		t.Errorf("and once after its rounds: %d rounds, %d hits", it.rounds(), it.hits())
	}
	next := &item{entry: new(Entry)}
	next.inherit(it)
	if next.rounds() != 1 || next.hits() != 0 {
		t.Errorf("its successor has %d rounds, %d hits", next.rounds(), next.hits())
	}
	it.uses.Store(maxHits * aHit)
	it.hit()
	if it.hits() != maxHits {
		t.Errorf("at the maximum a hit makes it %d", it.hits())
	}
}

func TestYieldsAreBounded(t *testing.T) {
	l := NewLedger(2)
	c := New(DefaultConfig(), l, nil)
	first := c.Yield("app.t0", "row")
	for i := range maxYields + 10 {
		if y := c.Yield(fmt.Sprintf("app.t%d", i), "row"); (y != nil) != (i < maxYields) {
			t.Fatalf("table %d: %v", i, y)
		}
	}
	if got := len(c.Yields()); got != maxYields {
		t.Errorf("%d yields, want %d", got, maxYields)
	}
	if c.Yield("app.t0", "row") != first || c.Yield("app.t0", "table") != nil {
		t.Error("a yield that is there is not found, or one is made beyond the bound")
	}
	for i := range maxPausedSeries + 10 {
		c.yields.wasPaused(c.Yield(fmt.Sprintf("app.t%d", i), "row"))
	}
	if got := len(c.yields.everPaused()); got != maxPausedSeries {
		t.Errorf("%d series, want %d", got, maxPausedSeries)
	}
}

func TestYieldsAreSorted(t *testing.T) {
	c := New(DefaultConfig(), NewLedger(2), nil)
	for _, name := range []string{"b row", "a table", "c row", "a row"} {
		table, grain, _ := strings.Cut(name, " ")
		c.Yield(table, grain)
	}
	var got []string
	for _, st := range c.Yields() {
		got = append(got, st.Table+" "+st.Grain)
	}
	if want := []string{"a row", "a table", "b row", "c row"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestYieldIsOne: many ask at once, and all get the same.
func TestYieldIsOne(t *testing.T) {
	c := New(DefaultConfig(), NewLedger(2), nil)
	var wg sync.WaitGroup
	got := make([]*Yield, 8)
	for i := range got {
		wg.Go(func() { got[i] = c.Yield("app.t", "row") })
	}
	wg.Wait()
	if got[0] == nil || slices.ContainsFunc(got, func(y *Yield) bool { return y != got[0] }) {
		t.Errorf("%v are not one", got)
	}
	if n := testing.AllocsPerRun(100, func() { c.Yield("app.t", "row") }); n != 0 {
		t.Errorf("to find a yield allocates %v times", n)
	}
}
