package cache

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestServedIsSampledEvenly: of clients that ask for the same things in turn, however many these are, each thing is noted
// about as often, one in 64.
func TestServedIsSampledEvenly(t *testing.T) {
	c := New(DefaultConfig(), NewLedger(2), nil)
	for _, period := range []int{1, 2, 3, 21, 34, 55, 64, 89, 128, 144, 233, 256, 1000} {
		entries := make([]*Entry, period)
		for i := range entries {
			entries[i] = new(Entry)
		}
		const each = 200 * sampledHits
		for n := range uint64(period * each) {
			c.Served(entries[n%uint64(period)], n)
		}
		for i, e := range entries {
			if got := heatAt(e.heat.word.Load(), tickOf(c.ledger.Now())); got < each*0.8 || got > each*1.2 {
				t.Errorf("%d things in turn: number %d was asked for %d times, counts %v", period, i, each, got)
			}
		}
	}
}

// askFor has the entry of a key asked for at an even rate for some time of the bubble's clock, each hit noted.
func askFor(c *Cache, e *Entry, perSecond float64, d time.Duration) {
	const step = time.Second / 4
	for range d / step {
		age(c, step)
		e.heat.add(tickOf(c.ledger.Now()), perSecond*step.Seconds())
	}
}

func rateOf(c *Cache, key string) float64 {
	it := c.store.find(Hash([]byte(key)), []byte(key))
	return it.rate(tickOf(c.ledger.Now()))
}

// TestRate: the estimate is right for an even rate, however long that has been, follows when it changes, and passes to
// the entry that takes the place.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		c := New(Config{Size: 1 << 20, Limit: 1000}, l, nil)
		l.Restart(0)
		put := func() *Entry {
			l.SetComplete(1, l.Now())
			e := cacheEntry("it", 10, Mark{Epoch: 1}, tagA)
			if why := c.Put(e, time.Hour); why != Stored {
				t.Fatal(why)
			}
			return e
		}
		expect := func(when string, want, tolerance float64) {
			t.Helper()
			if got := rateOf(c, "it"); math.Abs(got-want) > tolerance*want+1e-3 {
				t.Errorf("%s: %v per second, want %v", when, got, want)
			}
		}
		e := put()
		expect("new", 0, 0)
		for _, d := range []time.Duration{leastAge, time.Minute, 10 * time.Minute} {
			askFor(c, e, 100, d)
			expect("100 per second", 100, 0.05)
		}
		e = put()
		expect("replaced", 100, 0.05)
		age(c, heatHalf)
		expect("a minute of silence", 50, 0.05)
		askFor(c, e, 10, heatHalf)
		expect("a minute of 10 per second", 30, 0.05)
		age(c, time.Hour)
		expect("an hour of silence", 0, 0)
		c.Clear()
		e = put()
		askFor(c, e, 40, leastAge/2)
		expect("back for a short while", 20, 0.1)
	})
}

// TestRateOfFewHits: what was asked for so seldom that no sample has met it comes after what was, and before what was not
// asked for.
func TestRateOfFewHits(t *testing.T) {
	p := newProtecting(t)
	p.put([]string{"never", "few", "many"}, tagA)
	for range 3 {
		p.cache.Get([]byte("few"), time.Hour)
	}
	many := p.cache.Get([]byte("many"), time.Hour)
	p.cache.Served(many, 0)
	if never, few, many := rateOf(p.cache, "never"), rateOf(p.cache, "few"), rateOf(p.cache, "many"); never != 0 || few <= 0 || many <= few {
		t.Errorf("rates %v, %v, %v", never, few, many)
	}
}

func keysOf(hot []Hot) (all []string) {
	for _, h := range hot {
		all = append(all, string(h.Entry.Key()))
	}
	return all
}

// TestHottest: those that depend on the tag, servable or not, by rate, and no more than asked for.
func TestHottest(t *testing.T) {
	p := newProtecting(t)
	all := keys("table", 300)
	p.put(all, tagA, tagB)
	p.put(keys("other", 300), tagC)
	now := tickOf(p.cache.ledger.Now())
	p.cache.Each(func(e *Entry) {
		if i := slices.Index(all, string(e.Key())); i != 299 {
			e.heat.add(now, float64(1+(i+300)*7919%300)) // others, too
		}
	})
	want := slices.Clone(all[:299])
	slices.SortFunc(want, func(a, b string) int { return cmpFloat(rateOf(p.cache, b), rateOf(p.cache, a)) })
	p.cache.Ledger().Record(10, []Tag{tagA})
	for _, n := range []int{1, 2, 10, 150, 299, 300, 5000} {
		hot := p.cache.Hottest(tagA, n)
		if got := keysOf(hot); !slices.Equal(got, want[:min(n, 299)]) {
			t.Errorf("the %d hottest are %d, %.3q ..., want %.3q ...", n, len(got), got, want)
		}
		if cap(hot) > max(4*n, 8) {
			t.Errorf("the %d hottest take room for %d", n, cap(hot))
		}
	}
	for tag, n := range map[Tag]int{tagD: 10, tagA: 0, tagB: -1} {
		if got := p.cache.Hottest(tag, n); len(got) != 0 {
			t.Errorf("Hottest(%x, %d) = %d entries", tag, n, len(got))
		}
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestHottestHasNoKeyTwice: an entry is replaced while others are looked at, and both were met.
func TestHottestHasNoKeyTwice(t *testing.T) {
	h := hottest{n: 3}
	add := func(key string, rate float64) { h.add(Hot{cacheEntry(key, 0, Mark{}), rate}) }
	add("a", 5)
	add("b", 4)
	add("a", 5.5)
	add("c", 1)
	add("c", 1)
	add("d", 2)
	h.cut()
	if got := keysOf(h.top); !slices.Equal(got, []string{"a", "b", "d"}) || h.top[0].Rate != 5.5 {
		t.Errorf("the hottest are %v", h.top)
	}
}
