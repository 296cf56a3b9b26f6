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

// TestCacheSharesTemplates: of texts that differ in their literals one is parsed, and each gets its own values.
func TestCacheSharesTemplates(t *testing.T) {
	c := NewCache(Limits{})
	env := onWorld()
	env.UTF8 = true
	for i, tt := range []struct{ sql, slots string }{
		{"SELECT * FROM v WHERE id = 5 AND b IN ('x', 'y') AND c = ?", `5 "x" "y" ?1`},
		{"SELECT * FROM v WHERE id = 6 AND b IN ('', 'it''s') AND c = ?", `6 "" "it's" ?1`},
		{"SELECT * FROM v WHERE id = 5 AND b IN ('x', 'z') AND c = ?", `5 "x" "z" ?1`},
		{"SELECT * FROM v WHERE id = 5 AND b IN ('x', 'y') AND c = ?", `5 "x" "y" ?1`},
	} {
		st := c.Analyze(tt.sql, env)
		if got := describe(st) + " " + describeSlots(st.Slots); got != "cache db.v db.t "+tt.slots {
			t.Errorf("%d: %s: got %s, want %s", i, tt.sql, got, tt.slots)
		}
	}
	if st := c.Stats(); st.Misses != 1 || st.TemplateHits != 2 || st.Hits != 1 || st.Entries != 4 {
		t.Errorf("got %+v, want one miss, two hits of the template and one of the text; three texts and a template", st)
	}
}

// TestCacheKeepsFormsApart: a literal of another form may mean another thing.
func TestCacheKeepsFormsApart(t *testing.T) {
	c := NewCache(Limits{})
	for _, literal := range []string{"5", "-5", "5.0", "'5'", "0x5", "x'05'", "5e0", "NULL", "?", "b", "5 + 5"} {
		c.Analyze("SELECT * FROM t WHERE a = "+literal, onWorld())
	}
	if st := c.Stats(); st.TemplateHits != 0 || st.Misses != 11 {
		t.Errorf("got %+v, want 11 misses", st)
	}
}

// TestCacheKey changes everything that an analysis depends on, one at a time.
func TestCacheKey(t *testing.T) {
	c := NewCache(Limits{})
	envs := map[string]func(*Env){
		"utf8":    func(e *Env) { e.UTF8 = true },
		"schema":  func(e *Env) { e.Schema = "other" },
		"mode":    func(e *Env) { e.SQLMode = "ORACLE" },
		"charset": func(e *Env) { e.Charset = "swe7" },
		"flavor":  func(e *Env) { e.Flavor = MySQL },
		"version": func(e *Env) { e.Version = 804 },
		"catalog": func(e *Env) { e.Catalog, e.CatalogVersion = schema{}, 2 },
	}
	a := NewAnalyzer()
	for _, sql := range []string{"SELECT ANY_VALUE(id) FROM v", "SELECT ANY_VALUE(id) FROM v WHERE 'é' = 5", "SELECT ANY_VALUE(id) FROM v WHERE 'é' = 6"} {
		before := c.Stats()
		c.Analyze(sql, onWorld())
		for name, change := range envs {
			env := onWorld()
			change(&env)
			if got, want := c.Analyze(sql, env), a.Analyze(sql, env); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
		if st := c.Stats(); st.Hits != 0 || st.Misses+st.TemplateHits != before.Misses+before.TemplateHits+uint64(len(envs))+1 {
			t.Errorf("got %+v, want no hit of a text", st)
		}
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

// BenchmarkMiss is what a statement costs that is not answered from the cache of results: its text is known, or one
// that differs in the literals, or none.
func BenchmarkMiss(b *testing.B) {
	texts := make([]string, 1<<16)
	for i := range texts {
		texts[i] = fmt.Sprintf("SELECT id, name FROM users WHERE id = %d AND status IN ('new', 'paid') LIMIT 1", i)
	}
	env := onWorld()
	b.Run("text", func(b *testing.B) {
		c := NewCache(Limits{})
		b.ReportAllocs()
		for b.Loop() {
			c.Analyze(texts[0], env)
		}
	})
	b.Run("template", func(b *testing.B) {
		c, i := NewCache(Limits{}), 0
		b.ReportAllocs()
		for b.Loop() {
			c.Analyze(texts[i%len(texts)], env)
			i++
		}
	})
	b.Run("parsed", func(b *testing.B) {
		a, i := NewAnalyzer(), 0
		b.ReportAllocs()
		for b.Loop() {
			a.Analyze(texts[i%len(texts)], env)
			i++
		}
	})
}

func BenchmarkInsert(b *testing.B) {
	a := NewAnalyzer()
	b.ReportAllocs()
	for b.Loop() {
		a.Analyze("INSERT INTO orders (user_id, status) VALUES (42, 'new'), (43, 'paid')", onWorld())
	}
}
