package cache

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestConfigValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *Config)
		want   string // in the error; empty if there is none
	}{
		{"defaults", func(*Config) {}, ""},
		{"nothing stored", func(c *Config) { c.Size = 0 }, ""},
		{"no result stored", func(c *Config) { c.Limit = 0 }, ""},
		{"no bound of age", func(c *Config) { c.MaxAge = 0 }, ""},
		{"limit is the size", func(c *Config) { c.Size, c.Limit = 1<<20, 1<<20 }, ""},
		{"largest limit", func(c *Config) { c.Size, c.Limit = 1<<40, 1<<30 }, ""},
		{"negative size", func(c *Config) { c.Size = -1 }, "query_cache_size"},
		{"negative limit", func(c *Config) { c.Limit = -1 }, "query_cache_limit"},
		{"negative age", func(c *Config) { c.MaxAge = -1 }, "max_age"},
		{"limit over the size", func(c *Config) { c.Size, c.Limit = 1<<20, 1<<20+1 }, "larger than query_cache_size (1048576 bytes)"},
		{"limit too large", func(c *Config) { c.Size, c.Limit = 1<<40, 1<<30+1 }, "1GiB"},
		{"smallest history", func(c *Config) { c.History = 1 << 10 }, ""},
		{"largest history", func(c *Config) { c.History = 1 << 30 }, ""},
		{"history too small", func(c *Config) { c.History = 1<<10 - 1 }, "1024 to 1073741824"},
		{"history too large", func(c *Config) { c.History = 1<<30 + 1 }, "1024 to 1073741824"},
		{"limit too large for a cache that stores nothing", func(c *Config) { c.Size, c.Limit = 0, 1<<30+1 }, "1GiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := DefaultConfig()
			tt.change(&cfg)
			err := cfg.Validate()
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

const (
	cacheBound = time.Second
	cacheAge   = time.Minute
)

// inBubble runs f on a cache whose ledger is in its second epoch, with the floor at 1/50, A touched at 1/80, and
// everything up to 1/90 recorded, which is complete as of now. Time stands still until the test sleeps.
func inBubble(t *testing.T, f func(t *testing.T, c *Cache, reg *prometheus.Registry)) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		l.Restart(0)
		epoch := l.Restart(At(1, 50))
		l.Record(At(1, 80), []Tag{tagA})
		l.Advance(At(1, 90))
		l.SetComplete(epoch, 0)
		reg := prometheus.NewRegistry()
		f(t, New(Config{Size: 1 << 20, Limit: 1000, MaxAge: cacheAge}, l, reg), reg)
	})
}

func cacheEntry(key string, wire int, at Mark, tags ...Tag) *Entry {
	return NewEntry([]byte(key), make([]byte, wire), tags, at)
}

// age lets time go by and has the stream keep up with it.
func age(c *Cache, d time.Duration) {
	time.Sleep(d) // of the bubble's clock
	c.Ledger().SetComplete(c.Ledger().Epoch(), c.Ledger().Now())
}

func TestCacheGet(t *testing.T) {
	tests := []struct {
		name string
		then func(c *Cache)
		want bool
	}{
		{"at once", func(*Cache) {}, true},
		{"another tag is touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagC}) }, true},
		{"its tag is touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB, tagC}) }, false},
		{"the stream is silent as long as it may be", func(*Cache) { time.Sleep(cacheBound) }, true},
		{"the stream is silent for too long", func(*Cache) { time.Sleep(cacheBound + 1) }, false},
		{"the stream is silent, and comes back", func(c *Cache) { time.Sleep(time.Second); age(c, time.Second) }, true},
		{"the stream has lost its place", func(c *Cache) { c.Ledger().Restart(At(1, 60)) }, false},
		{"the stream begins anew", func(c *Cache) { c.Ledger().Restart(At(1, 60)); age(c, 0) }, false},
		{"everything is cleared", func(c *Cache) { c.Clear() }, false},
		{"as old as it may be", func(c *Cache) { age(c, cacheAge) }, true},
		{"older than it may be", func(c *Cache) { age(c, cacheAge+1) }, false},
		{"put again since", func(c *Cache) {
			age(c, cacheAge)
			c.Put(cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA, tagB), cacheBound)
			age(c, cacheAge)
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				if why := c.Put(cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA, tagB), cacheBound); why != Stored {
					t.Fatalf("Put: %s", why)
				}
				tt.then(c)
				e := c.Get([]byte("key"), cacheBound)
				if (e != nil) != tt.want {
					t.Errorf("hit: %v, want %v", e != nil, tt.want)
				}
				if e != nil && (string(e.Key()) != "key" || len(e.Wire()) != 100) {
					t.Errorf("hit on %q with %d bytes", e.Key(), len(e.Wire()))
				}
				if c.Get([]byte("another key"), cacheBound) != nil {
					t.Error("a hit on a key that was not put")
				}
			})
		})
	}
}

func TestCacheNoBoundOfAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		c := New(Config{Size: 1 << 20, Limit: 1000}, l, nil)
		l.SetComplete(l.Restart(0), 0)
		c.Put(cacheEntry("key", 1, Mark{Epoch: 1}), cacheBound)
		age(c, 10*365*24*time.Hour)
		if c.Get([]byte("key"), cacheBound) == nil {
			t.Error("an entry of ten years is not served, although nothing bounds its age")
		}
	})
}

// TestCachePutRefuses: what could not be served is not stored either, and the reason is counted.
func TestCachePutRefuses(t *testing.T) {
	right := Mark{2, At(1, 90)}
	tests := []struct {
		name string
		do   func(c *Cache)
		e    *Entry
		want Refusal
	}{
		{"right", nil, cacheEntry("key", 100, right, tagA), Stored},
		{"exactly at the last change", nil, cacheEntry("key", 100, Mark{2, At(1, 80)}, tagA, tagB), Stored},
		{"exactly at the floor", nil, cacheEntry("key", 100, Mark{2, At(1, 50)}, tagB), Stored},
		{"as large as may be", nil, cacheEntry("key", 1000, right, tagA), Stored},
		{"before the last change", nil, cacheEntry("key", 100, Mark{2, At(1, 79)}, tagB, tagA), RefusedBehind},
		{"before the floor", nil, cacheEntry("key", 100, Mark{2, At(1, 49)}, tagB), RefusedBehind},
		{"of another epoch", nil, cacheEntry("key", 100, Mark{1, At(1, 90)}, tagA), RefusedUnproved},
		{"of no epoch", nil, cacheEntry("key", 100, Mark{}, tagA), RefusedUnproved},
		{"too large", nil, cacheEntry("key", 1001, right, tagA), RefusedTooLarge},
		{"its key is too large for the store", nil, cacheEntry(strings.Repeat("k", 1<<20), 1, right, tagA), RefusedTooLarge},
		{"the stream is silent", func(*Cache) { time.Sleep(cacheBound + 1) }, cacheEntry("key", 100, right, tagA), RefusedNoStream},
		{"a restart", func(c *Cache) { c.Ledger().Restart(0) }, cacheEntry("key", 100, right, tagA), RefusedNoStream},
		{"a restart, and current again", func(c *Cache) { c.Ledger().Restart(0); age(c, 1) }, cacheEntry("key", 100, right, tagA), RefusedUnproved},
		{"a change since", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagA}) }, cacheEntry("key", 100, right, tagA), RefusedBehind},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				if tt.do != nil {
					tt.do(c)
				}
				if got := c.Put(tt.e, cacheBound); got != tt.want {
					t.Errorf("Put: %q, want %q", got, tt.want)
				}
				stored := tt.want == Stored
				if got := c.Get(tt.e.Key(), cacheBound); (got == tt.e) != stored {
					t.Errorf("Get finds %v", got)
				}
				if got := c.Stats().Entries; (got == 1) != stored {
					t.Errorf("%d entries are stored", got)
				}
				if got := testutil.ToFloat64(c.metrics.stores); (got == 1) != stored {
					t.Errorf("weir_cache_stores_total is %v", got)
				}
				if stored {
					return
				}
				if got := testutil.ToFloat64(c.metrics.refused.WithLabelValues(string(tt.want))); got != 1 {
					t.Errorf("weir_cache_stores_refused_total{reason=%q} is %v, want 1", tt.want, got)
				}
			})
		})
	}
}

// TestCacheMetrics pins names, help and values of what a scrape sees.
func TestCacheMetrics(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, reg *prometheus.Registry) {
		right := Mark{2, At(1, 90)}
		for _, key := range []string{"a", "b", "c"} {
			c.Put(cacheEntry(key, 100, right, tagB), cacheBound)
		}
		c.Put(cacheEntry("d", 100, right, tagD), cacheBound)
		c.Put(cacheEntry("e", 1001, right), cacheBound)
		c.Put(cacheEntry("f", 100, Mark{2, At(1, 10)}), cacheBound)
		c.Put(cacheEntry("g", 100, Mark{}), cacheBound)
		for range 2 {
			c.Refuse(RefusedWarnings)
			c.Joined()
		}
		c.Refuse(RefusedError)
		c.Refuse(RefusedOtherRows)
		c.Ledger().Record(At(1, 95), []Tag{tagB})
		c.sweep(t.Context())
		time.Sleep(cacheBound + 1)
		c.Put(cacheEntry("h", 100, right), cacheBound)
		want := `
# HELP weir_cache_entries Entries in tier 1, servable or not yet reclaimed.
# TYPE weir_cache_entries gauge
weir_cache_entries 1
# HELP weir_cache_aside_bytes Bytes of the entries that eviction has passed over and set aside, because what they depend on is protected.
# TYPE weir_cache_aside_bytes gauge
weir_cache_aside_bytes 0
# HELP weir_cache_budget_bytes Budget of tier 1 in bytes (query_cache_size).
# TYPE weir_cache_budget_bytes gauge
weir_cache_budget_bytes 1.048576e+06
# HELP weir_cache_evictions_total Entries evicted from tier 1 to keep its budget.
# TYPE weir_cache_evictions_total counter
weir_cache_evictions_total 0
# HELP weir_cache_joined_total Misses that were answered by an identical read already under way.
# TYPE weir_cache_joined_total counter
weir_cache_joined_total 2
# HELP weir_cache_stores_refused_total Results of cacheable statements that were not stored, by reason.
# TYPE weir_cache_stores_refused_total counter
weir_cache_stores_refused_total{reason="not_current"} 1
weir_cache_stores_refused_total{reason="not_paying"} 0
weir_cache_stores_refused_total{reason="own_write"} 0
weir_cache_stores_refused_total{reason="several_results"} 1
weir_cache_stores_refused_total{reason="snapshot_behind"} 1
weir_cache_stores_refused_total{reason="error"} 1
weir_cache_stores_refused_total{reason="too_large"} 1
weir_cache_stores_refused_total{reason="unproved"} 1
weir_cache_stores_refused_total{reason="warnings"} 2
# HELP weir_cache_stores_total Results stored in tier 1.
# TYPE weir_cache_stores_total counter
weir_cache_stores_total 4
# HELP weir_cache_swept_total Entries that had become unservable and whose memory was reclaimed by the sweep.
# TYPE weir_cache_swept_total counter
weir_cache_swept_total 3
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "weir_cache_entries", "weir_cache_aside_bytes", "weir_cache_budget_bytes",
			"weir_cache_evictions_total", "weir_cache_joined_total", "weir_cache_stores_refused_total",
			"weir_cache_stores_total", "weir_cache_swept_total"); err != nil {
			t.Error(err)
		}
		if got := gauge(t, reg, "weir_cache_bytes"); got != float64(c.Stats().Bytes) || got == 0 {
			t.Errorf("weir_cache_bytes is %v, want %d", got, c.Stats().Bytes)
		}
		problems, err := testutil.GatherAndLint(reg)
		if err != nil || len(problems) > 0 {
			t.Errorf("lint: %v, %v", problems, err)
		}
	})
}

func gauge(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// TestSweep: what may become servable again stays.
func TestSweep(t *testing.T) {
	tests := []struct {
		name string
		then func(c *Cache)
		want int64 // entries left of three, of which one depends on A, one on B, one on C
	}{
		{"nothing happens", func(*Cache) {}, 3},
		{"the stream is silent", func(*Cache) { time.Sleep(10 * cacheBound) }, 3},
		{"one is touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB}) }, 2},
		{"two are touched", func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagC, tagA}) }, 1},
		{"the stream begins anew", func(c *Cache) { c.Ledger().Restart(0) }, 0},
		{"they are as old as may be", func(c *Cache) { age(c, cacheAge) }, 3},
		{"they are too old", func(c *Cache) { age(c, cacheAge+1) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				for key, tag := range map[string]Tag{"a": tagA, "b": tagB, "c": tagC} {
					c.Put(cacheEntry(key, 100, Mark{2, At(1, 90)}, tag), cacheBound)
				}
				tt.then(c)
				c.sweep(t.Context())
				if got := c.Stats().Entries; got != tt.want {
					t.Errorf("%d entries are left, want %d", got, tt.want)
				}
				if got := testutil.ToFloat64(c.metrics.swept); got != float64(3-tt.want) {
					t.Errorf("weir_cache_swept_total is %v, want %d", got, 3-tt.want)
				}
			})
		})
	}
}

// TestSweepKeepsWhatIsNotCurrent: once the stream is back, the entry is served as before.
func TestSweepKeepsWhatIsNotCurrent(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		e := cacheEntry("key", 100, Mark{2, At(1, 90)}, tagA)
		c.Put(e, cacheBound)
		time.Sleep(cacheBound + 1)
		c.sweep(t.Context())
		if c.Get(e.Key(), cacheBound) != nil {
			t.Error("served, although the stream is silent")
		}
		age(c, 0)
		if c.Get(e.Key(), cacheBound) != e {
			t.Error("not served, although the stream is back")
		}
	})
}

// TestRun: the sweep comes by itself, and Run ends with its context.
func TestRun(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			c.Run(ctx)
			close(ended)
		}()
		for i, key := range []string{"a", "b"} {
			c.Put(cacheEntry(key, 100, Mark{2, At(1, uint64(100+i))}, tagB), time.Hour)
			c.Ledger().Record(At(1, uint64(101+i)), []Tag{tagB})
			time.Sleep(sweepEvery - time.Second)
			if got := c.Stats().Entries; i == 0 && got != 1 {
				t.Errorf("%d entries before the sweep, want 1", got)
			}
			time.Sleep(time.Second + sweepPause)
			synctest.Wait()
			if got := c.Stats().Entries; got != 0 {
				t.Errorf("%d entries after the sweep", got)
			}
		}
		cancel()
		<-ended
	})
}

func TestSweepStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		c := New(Config{Size: 64 << 20, Limit: 1000}, l, nil)
		l.SetComplete(l.Restart(0), 0)
		for _, k := range keys("key", 100) {
			c.Put(cacheEntry(k, 10, Mark{Epoch: 1}), time.Hour)
		}
		l.Restart(0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		c.sweep(ctx)
		if d := time.Since(began); d > sweepPause {
			t.Errorf("the sweep went on for %v after its context had ended", d)
		}
		if got := c.Stats().Entries; got == 0 {
			t.Error("the sweep went through all shards after its context had ended")
		}
	})
}
