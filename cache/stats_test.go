package cache

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestStatsOfTables: which tables entries in memory read, whichever way these have come and gone.
func TestStatsOfTables(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		put := func(key, table string, promote bool) {
			e := cacheEntry(key, 10, Mark{2, At(1, 90)}, tagA)
			e.Shares = []Share{{Yield: c.Yield(table, "row")}, {Yield: c.Yield("app.both", "table")}, {}}
			if promote {
				c.Promote(e, 0, cacheBound)
			} else {
				c.Put(e, cacheBound)
			}
		}
		expect := func(tables int64, inserts uint64, kept map[string]int64) {
			t.Helper()
			if st := c.Stats(); st.Tables != tables || st.Inserts != inserts || st.Free != st.Budget-st.Bytes {
				t.Errorf("%+v, want %d tables and %d inserts", st, tables, inserts)
			}
			for _, y := range c.Yields() {
				if y.Kept != kept[y.Table] {
					t.Errorf("%s: %d entries, want %d", y.Table, y.Kept, kept[y.Table])
				}
			}
		}
		expect(0, 0, nil)
		put("1", "app.a", false)
		put("2", "app.b", true)
		put("1", "app.a", false) // in place of the first
		expect(3, 3, map[string]int64{"app.a": 1, "app.b": 1, "app.both": 2})
		c.Resize(4 << 30)
		c.Resize(1 << 20)
		expect(3, 3, map[string]int64{"app.a": 1, "app.b": 1, "app.both": 2})
		c.Clear()
		expect(0, 3, nil)
		put("3", "app.a", false)
		c.Ledger().Record(At(1, 95), []Tag{tagA})
		c.Tidy()
		expect(0, 4, nil)
	})
}

// TestTidy: what cannot be served goes, at once, and all else stays.
func TestTidy(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		for i := range 200 {
			c.Put(cacheEntry(fmt.Sprint("stays ", i), 10, Mark{2, At(1, 90)}, tagA), cacheBound)
			c.Put(cacheEntry(fmt.Sprint("changes ", i), 10, Mark{2, At(1, 90)}, tagB), cacheBound)
		}
		c.Ledger().Record(At(1, 95), []Tag{tagB})
		c.Tidy()
		if st := c.Stats(); st.Entries != 200 {
			t.Errorf("%+v, want the 200 that stay", st)
		}
		age(c, 0)
		if c.Get([]byte("stays 7"), cacheBound) == nil {
			t.Error("what stays is not served")
		}
	})
}
