package cache

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestInspect(t *testing.T) {
	at := Mark{2, At(1, 90)}
	tests := []struct {
		name string
		then func(c *Cache)
		want Inspection // what matters of it
	}{
		{"at once", func(*Cache) {}, Inspection{Stored: true, Servable: true}},
		{"another tag is touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagC}) }, Inspection{Stored: true, Servable: true}},
		{"a tag is touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB, tagC}) },
			Inspection{Stored: true, Why: WhyChanged, Tag: tagB, Changed: At(1, 95)}},
		{"both are touched at once", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB, tagA}) },
			Inspection{Stored: true, Why: WhyChanged, Tag: tagA, Changed: At(1, 95)}},
		{"both are touched, the second one last", func(c *Cache) {
			c.Ledger().Record(At(1, 95), []Tag{tagA})
			c.Ledger().Record(At(1, 96), []Tag{tagB})
		}, Inspection{Stored: true, Why: WhyChanged, Tag: tagB, Changed: At(1, 96)}},
		{"it is touched and the stream is silent", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagA}); time.Sleep(cacheBound + 1) },
			Inspection{Stored: true, Why: WhyChanged, Tag: tagA, Changed: At(1, 95), Age: cacheBound + 1}},
		{"the stream is silent", func(*Cache) { time.Sleep(cacheBound + 1) }, Inspection{Stored: true, Why: WhyNotCurrent, Age: cacheBound + 1}},
		{"too old", func(c *Cache) { age(c, cacheAge+1) }, Inspection{Stored: true, Why: WhyTooOld, Age: cacheAge + 1}},
		{"the place is lost", func(c *Cache) { c.Ledger().Restart(At(1, 60)) }, Inspection{Stored: true, Why: WhyOtherEpoch}},
		{"the stream begins anew, with as large a Seq", func(c *Cache) {
			c.Ledger().Restart(At(1, 60))
			c.Ledger().Record(At(1, 95), []Tag{tagA})
			age(c, 0)
		}, Inspection{Stored: true, Why: WhyOtherEpoch}},
		{"cleared", func(c *Cache) { c.Clear() }, Inspection{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				c.Put(cacheEntry("key", 100, at, tagA, tagB), cacheBound)
				size := c.store.find(Hash([]byte("key")), []byte("key")).size
				tt.then(c)
				if tt.want.Stored {
					tt.want.AsOf, tt.want.Bytes = at, size
				}
				if got := c.Inspect([]byte("key"), cacheBound); got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
				if c.Servable([]byte("key"), cacheBound) != tt.want.Servable {
					t.Error("the rule says something else")
				}
				if got := c.Inspect([]byte("another"), cacheBound); got != (Inspection{}) {
					t.Errorf("of what was never stored: %+v", got)
				}
			})
		})
	}
}

// TestInspectChangesNothing: neither rounds, nor hits, nor heat; nor a counter.
func TestInspectChangesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, reg *prometheus.Registry) {
		c.Put(cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA), cacheBound)
		for n := range uint64(200) {
			c.Served(c.Get([]byte("key"), cacheBound), n)
		}
		it := c.store.find(Hash([]byte("key")), []byte("key"))
		it.setRounds(1)
		uses, heat, counted := it.uses.Load(), it.entry.heat.word.Load(), figuresOf(t, reg)
		first := c.Inspect([]byte("key"), cacheBound)
		if first.Hits == 0 || first.Rate == 0 {
			t.Errorf("it has been served, and is inspected as %+v", first)
		}
		for range 100 {
			if c.Inspect([]byte("key"), cacheBound) != first {
				t.Error("it is inspected, and stands otherwise")
			}
			c.EachInspected(func([]byte, Inspection) {})
		}
		if it.uses.Load() != uses || it.entry.heat.word.Load() != heat || figuresOf(t, reg) != counted {
			t.Error("an Inspect leaves a trace")
		}
	})
}

func figuresOf(t *testing.T, reg *prometheus.Registry) (s string) {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		s += f.String() + "\n"
	}
	return s
}

// TestInspectMeetsDrop replays the race of [Cache.inspect]: what a dead cell says is not when something changed.
func TestInspectMeetsDrop(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		c.Put(cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA), cacheBound)
		it := c.store.find(Hash([]byte("key")), []byte("key")) // 1
		c.Clear()                                              // 2
		if got := c.inspect(it, cacheBound); got != (Inspection{}) {
			t.Errorf("of an entry that has left the store: %+v", got)
		}
	})
}

// TestEachInspected: all entries and no ghosts, and how current the stream is does not matter.
func TestEachInspected(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		at := Mark{2, At(1, 90)}
		c.Put(cacheEntry("stays", 1, at, tagA), cacheBound)
		c.Put(cacheEntry("changes", 1, at, tagB), cacheBound)
		c.Put(NewGhost([]byte("ghost"), 1, []Tag{tagA}, at), cacheBound)
		c.Ledger().Record(At(1, 95), []Tag{tagB})
		time.Sleep(time.Hour / 120)
		got := map[string]string{}
		c.EachInspected(func(key []byte, i Inspection) { got[string(key)] = i.Why })
		if len(got) != 2 || got["stays"] != "" || got["changes"] != WhyChanged {
			t.Errorf("%v", got)
		}
	})
}
