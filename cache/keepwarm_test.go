package cache

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

type keptWarm struct {
	key string
	at  Mark
	age time.Duration
}

type keeper struct {
	kept []keptWarm
	// meanwhile, if not nil, is called with each.
	meanwhile func()
}

func (k *keeper) OfferAs(e *Entry, at Mark, age time.Duration) {
	k.kept = append(k.kept, keptWarm{string(e.Key()), at, age})
	if k.meanwhile != nil {
		k.meanwhile()
	}
}

// warmCache has results that were asked for: a more often than b, and so on.
func warmCache(t *testing.T, c *Cache, tags ...Tag) {
	t.Helper()
	for i, tag := range tags {
		key := string(rune('a' + i))
		if why := c.Put(cacheEntry(key, 100, Mark{2, At(1, 90)}, tag), cacheBound); why != Stored {
			t.Fatal(why)
		}
		for range 3 {
			c.Get([]byte(key), cacheBound)
		}
		c.Get([]byte(key), cacheBound).heat.add(tickOf(c.ledger.Now()), float64(1000*(len(tags)-i)))
	}
}

func TestSpill(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		warmCache(t, c, tagA, tagB, tagA, tagD)
		private := cacheEntry("private", 100, Mark{2, At(1, 90)}, tagA)
		private.Private = true
		c.Put(private, cacheBound)
		c.Get(private.Key(), cacheBound)
		c.Put(cacheEntry("never asked for", 100, Mark{2, At(1, 90)}, tagA), cacheBound)
		c.Ledger().Record(At(1, 95), []Tag{tagB})
		age(c, time.Second)
		now := Mark{2, At(1, 95)}
		want := []keptWarm{{"a", now, time.Second}, {"c", now, time.Second}, {"d", now, time.Second}}
		for _, tt := range []struct {
			w Warmth
			n int
		}{
			{Warmth{Entries: 100, Bytes: 1 << 20}, 3},
			{Warmth{Entries: 3, Bytes: 1 << 20}, 2}, // of which one has changed
			{Warmth{Entries: 100, Bytes: 202}, 2},
			{Warmth{Entries: 0, Bytes: 1 << 20}, 0},
			{Warmth{Entries: 100, Bytes: 0}, 0},
		} {
			k := &keeper{}
			if n := c.Spill(t.Context(), tt.w, k); n != tt.n || !slices.Equal(k.kept, want[:tt.n]) {
				t.Errorf("%+v: %d, %v", tt.w, n, k.kept)
			}
		}
		if n := testutil.ToFloat64(c.metrics.spilled); n != 7 {
			t.Errorf("%v are counted", n)
		}
	})
}

// The mark comes first: a change that comes while entries are looked at is not in it.
func TestSpillMeetsAChange(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		warmCache(t, c, tagA, tagB, tagD)
		k := &keeper{}
		k.meanwhile = func() {
			if len(k.kept) == 1 {
				c.Ledger().Record(At(1, 95), []Tag{tagB})
			}
		}
		c.Spill(t.Context(), DefaultWarmth(), k)
		if want := []keptWarm{{"a", Mark{2, At(1, 90)}, 0}, {"c", Mark{2, At(1, 90)}, 0}}; !slices.Equal(k.kept, want) {
			t.Errorf("%v", k.kept)
		}
	})
}

// Between the mark and the look at the entries something may happen.
func TestSpillAfterTheMark(t *testing.T) {
	tests := []struct {
		name  string
		since func(c *Cache)
		want  []keptWarm
	}{
		{"nothing", func(*Cache) {}, []keptWarm{{"a", Mark{2, At(1, 90)}, 0}}},
		{"a change", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagA}) }, nil},
		{"a newer result, which may hold more than the mark", func(c *Cache) {
			c.Ledger().Record(At(1, 95), []Tag{tagA})
			c.Put(cacheEntry("a", 100, Mark{2, At(1, 95)}, tagA), cacheBound)
		}, []keptWarm{{"a", Mark{2, At(1, 95)}, 0}}},
		{"a restart", func(c *Cache) { c.Ledger().Restart(0); age(c, 0) }, nil},
		{"a restart, and a result of the new epoch", func(c *Cache) {
			c.Ledger().Restart(0)
			age(c, 0)
			c.Put(cacheEntry("a", 100, c.Ledger().Mark(), tagA), cacheBound)
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				warmCache(t, c, tagA)
				m := c.Ledger().Mark()
				tt.since(c)
				k := &keeper{}
				if c.spillAsOf(m, DefaultWarmth(), k); !slices.Equal(k.kept, tt.want) {
					t.Errorf("got %v, want %v", k.kept, tt.want)
				}
			})
		})
	}
}

// KeepWarm does it again and again, and not when it ends.
func TestKeepWarm(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		warmCache(t, c, tagA)
		k := &keeper{}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.KeepWarm(ctx, Warmth{Every: time.Second, Entries: 10, Bytes: 1 << 20}, k)
		}()
		for range 7 {
			age(c, 500*time.Millisecond)
		}
		cancel()
		<-ended
		var want []keptWarm
		for _, at := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
			want = append(want, keptWarm{"a", Mark{2, At(1, 90)}, at})
		}
		for i := range k.kept {
			k.kept[i].age = k.kept[i].age.Round(100 * time.Millisecond) // it looks only now and then
		}
		if !slices.Equal(k.kept, want) {
			t.Errorf("got %v, want %v", k.kept, want)
		}
	})
}

// A place that is lost shows only after the mark was taken: what was handed over before would be as of the mark.
func TestSpillWaitsForTheProof(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(c *Cache)
		want int
	}{
		{"complete as of a later moment", func(c *Cache) { age(c, 0) }, 1},
		{"the place is lost", func(c *Cache) { c.Ledger().Restart(0); age(c, 0) }, 0},
		{"nobody tells", func(*Cache) {}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				warmCache(t, c, tagA)
				<-time.After(time.Millisecond) // complete as of a moment before the mark
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				time.AfterFunc(500*time.Millisecond, func() { tt.then(c) })
				if n := c.Spill(ctx, DefaultWarmth(), &keeper{}); n != tt.want {
					t.Errorf("%d are handed over, want %d", n, tt.want)
				}
			})
		})
	}
}

func TestWarmthValidate(t *testing.T) {
	if err := DefaultWarmth().Validate(); err != nil {
		t.Error(err)
	}
	for _, w := range []Warmth{{}, {Every: -1}, {Every: 1, Entries: -1}, {Every: 1, Bytes: -1}} {
		if w.Validate() == nil {
			t.Errorf("%+v is taken", w)
		}
	}
}
