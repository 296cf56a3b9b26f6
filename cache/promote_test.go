package cache

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// silence lets time go by in which the stream says nothing.
func silence(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // of the bubble's clock
}

func promotions(c *Cache, outcome string) float64 {
	return testutil.ToFloat64(c.metrics.promotions.WithLabelValues(outcome))
}

// What is promoted is served if the rule and max_age say so, and stored if there is room.
func TestPromote(t *testing.T) {
	right := Mark{2, At(1, 90)}
	tests := []struct {
		name    string
		do      func(c *Cache)
		e       *Entry
		age     time.Duration
		outcome string
		served  bool
	}{
		{"right", nil, cacheEntry("key", 100, right, tagA), 0, "stored", true},
		{"exactly at the last change", nil, cacheEntry("key", 100, Mark{2, At(1, 80)}, tagA, tagB), 0, "stored", true},
		{"as old as may be", nil, cacheEntry("key", 100, right, tagA), cacheAge, "stored", true},
		{"from the future, by another's clock", nil, cacheEntry("key", 100, right, tagA), -cacheAge, "stored", true},
		{"too large to be kept", nil, cacheEntry("key", 1001, right, tagA), 0, "served", true},
		{"too large for the store", nil, cacheEntry(strings.Repeat("k", 1<<20), 1, right, tagA), 0, "served", true},
		{"too old", nil, cacheEntry("key", 100, right, tagA), cacheAge + 1, "too_old", false},
		{"before the last change", nil, cacheEntry("key", 100, Mark{2, At(1, 79)}, tagA), 0, "changed", false},
		{"before the floor", nil, cacheEntry("key", 100, Mark{2, At(1, 49)}, tagB), 0, "changed", false},
		{"of another epoch", nil, cacheEntry("key", 100, Mark{1, At(1, 90)}, tagA), 0, "unproved", false},
		{"the stream is silent", func(*Cache) { silence(cacheBound + 1) }, cacheEntry("key", 100, right, tagA), 0, "not_current", false},
		{"a restart", func(c *Cache) { c.Ledger().Restart(0); age(c, 1) }, cacheEntry("key", 100, right, tagA), 0, "unproved", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				if tt.do != nil {
					tt.do(c)
				}
				if got := c.Promote(tt.e, tt.age, cacheBound); got != tt.served {
					t.Errorf("servable: %v", got)
				}
				stored := tt.outcome == "stored"
				if got := c.Get(tt.e.Key(), cacheBound) == tt.e; got != stored {
					t.Errorf("stored: %v", got)
				}
				if promotions(c, tt.outcome) != 1 || testutil.ToFloat64(c.metrics.stores) != 0 {
					t.Error("it is not counted, or as a result that was read")
				}
				if c.Clear(); c.ledger.cells.bytes.Load() > cellShards*minCellTable*placeSize {
					t.Errorf("cells of %d bytes are left", c.ledger.cells.bytes.Load())
				}
			})
		})
	}
}

// A change ends what was promoted, and max_age counts from when it was read.
func TestPromotedEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		right := Mark{2, At(1, 90)}
		c.Promote(cacheEntry("a", 100, right, tagA), 0, cacheBound)
		c.Promote(cacheEntry("b", 100, right, tagB), cacheAge-time.Second, cacheBound)
		c.Ledger().Record(At(1, 95), []Tag{tagA})
		if c.Get([]byte("a"), cacheBound) != nil {
			t.Error("served after a change")
		}
		if age(c, time.Second); c.Get([]byte("b"), cacheBound) == nil {
			t.Error("not served, although it is not too old")
		}
		if age(c, 1); c.Get([]byte("b"), cacheBound) != nil {
			t.Error("served, although it is too old")
		}
	})
}

// The age is told by another's clock. A transaction is served only once the ledger is complete as of a moment at which the
// result had been read for certain: when it was promoted.
func TestPromotedInsideATransaction(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		age(c, time.Second)
		silence(time.Millisecond)
		e := cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA)
		e.Versioned = true
		c.Promote(e, 30*time.Second, cacheBound)
		s := Snapshot{Holds: Mark{2, At(1, 90)}, Read: map[Tag]time.Duration{tagA: 0}}
		if c.GetAt(e.Key(), s) != nil {
			t.Error("served, although the ledger is complete only as of a moment before it was here")
		}
		if age(c, 0); c.GetAt(e.Key(), s) == nil {
			t.Error("not served")
		}
	})
}

// A table whose results are refused for a while has those served that are found elsewhere, and what becomes of these is not
// held against it, nor for it.
func TestPromotedAndYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(1 << 10)
		l.SetComplete(l.Restart(At(1, 50)), 0)
		l.Advance(At(1, 90))
		c := New(Config{Size: 1 << 20, Limit: 1000}, l, nil)
		y := c.Yield("t", "table")
		shared := func(key string) *Entry {
			e := cacheEntry(key, 10, l.Mark(), tagA)
			e.Shares = []Share{{Yield: y, Tags: 1}}
			return e
		}
		for i := range 2 * yieldWindow {
			if !c.Promote(shared("key"), 0, time.Hour) {
				t.Fatal("not served")
			}
			l.Record(At(1, 91+uint64(i)), []Tag{tagA})
		}
		if got := y.Stats(l.Now()); got != (YieldStats{Table: "t", Grain: "table", Kept: 1}) {
			t.Errorf("the yield has heard of promotions: %+v", got)
		}
		y.resume.Store(int64(l.Now() + time.Minute))
		if !c.Promote(shared("other"), 0, time.Hour) || c.Get([]byte("other"), time.Hour) != nil {
			t.Error("not served, or stored although results of the table are refused")
		}
		if !c.Promote(shared("other"), 0, time.Hour) || c.Get([]byte("other"), time.Hour) == nil {
			t.Error("not stored, although it was asked for again")
		}
	})
}
