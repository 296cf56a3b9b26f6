package statement

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
)

func TestCacheKeepsReads(t *testing.T) {
	c := NewCache(Limits{})
	first := c.Analyze("SELECT * FROM v", onWorld())
	again := c.Analyze("SELECT * FROM v", onWorld())
	if !reflect.DeepEqual(first, again) || describe(again) != "cache db.v db.t" {
		t.Errorf("got %s, then %s", describe(first), describe(again))
	}
	c.Analyze("DELETE FROM t", onWorld())
	if st := c.Stats(); st.Hits != 1 || st.Misses != 1 || st.Entries != 1 || st.Bytes == 0 {
		t.Errorf("got %+v, want one hit, one miss, one entry", st)
	}
}

// TestCacheKey changes everything that an analysis depends on, one at a time.
func TestCacheKey(t *testing.T) {
	c := NewCache(Limits{})
	envs := map[string]func(*Env){
		"schema":  func(e *Env) { e.Schema = "other" },
		"mode":    func(e *Env) { e.SQLMode = "ORACLE" },
		"charset": func(e *Env) { e.Charset = "swe7" },
		"flavor":  func(e *Env) { e.Flavor = MySQL },
		"version": func(e *Env) { e.Version = 804 },
		"catalog": func(e *Env) { e.Catalog, e.CatalogVersion = schema{}, 2 },
	}
	a := NewAnalyzer()
	const sql = "SELECT ANY_VALUE(id) FROM v"
	c.Analyze(sql, onWorld())
	for name, change := range envs {
		env := onWorld()
		change(&env)
		if got, want := describe(c.Analyze(sql, env)), describe(a.Analyze(sql, env)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if st := c.Stats(); st.Hits != 0 || st.Entries != len(envs)+1 {
		t.Errorf("got %+v, want no hit and %d entries", st, len(envs)+1)
	}
}

func TestCacheIsBounded(t *testing.T) {
	for _, limits := range []Limits{{Entries: 64}, {Bytes: 64 << 10}} {
		c := NewCache(limits)
		for i := range 2000 {
			c.Analyze(fmt.Sprintf("SELECT %d FROM t", i), onWorld())
		}
		st := c.Stats()
		if limits.Entries > 0 && st.Entries > limits.Entries || limits.Bytes > 0 && st.Bytes > limits.Bytes || st.Entries == 0 {
			t.Errorf("limits %+v: holds %+v", limits, st)
		}
	}
}

// TestCacheKeepsWhatIsUsed asks for one text between many new ones.
func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := NewCache(Limits{Entries: 320})
	for i := range 1000 {
		c.Analyze("SELECT * FROM u", onWorld())
		c.Analyze(fmt.Sprintf("SELECT %d FROM t", i), onWorld())
	}
	if st := c.Stats(); st.Hits != 999 {
		t.Errorf("got %d hits, want 999", st.Hits)
	}
}

// TestConcurrency shares a cache and its parsers. It is for the race detector.
func TestConcurrency(t *testing.T) {
	c := NewCache(Limits{Entries: 64})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, ex := range reads {
				if got := describe(c.Analyze(ex.sql, onWorld())); got != ex.want {
					t.Errorf("%s\n got  %s\n want %s", ex.sql, got, ex.want)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAnalyze(b *testing.B) {
	const sql = "SELECT o.id, o.created_at, u.name, COUNT(*) AS n FROM orders o JOIN users u ON u.id = o.user_id " +
		"WHERE o.user_id = 42 AND o.status IN ('new', 'paid') GROUP BY o.id ORDER BY o.created_at DESC LIMIT 20"
	a := NewAnalyzer()
	b.ReportAllocs()
	for b.Loop() {
		if st := a.Analyze(sql, onWorld()); !st.Cacheable {
			b.Fatal(describe(st))
		}
	}
}

func BenchmarkCachedAnalyze(b *testing.B) {
	c, env := NewCache(Limits{}), onWorld()
	b.ReportAllocs()
	for b.Loop() {
		c.Analyze("SELECT id, name FROM users WHERE id = 42", env)
	}
}

func BenchmarkInsert(b *testing.B) {
	a := NewAnalyzer()
	b.ReportAllocs()
	for b.Loop() {
		a.Analyze("INSERT INTO orders (user_id, status) VALUES (42, 'new'), (43, 'paid')", onWorld())
	}
}
