package querycache_test

import (
	"testing"

	"weir/proxy/querycache"
)

// tier remembers what it was told.
type tier struct {
	size, limit int64
	cleared     int
}

func (t *tier) Resize(size int64)    { t.size = size }
func (t *tier) SetLimit(limit int64) { t.limit = limit }
func (t *tier) Clear()               { t.cleared++ }

func newSettings(mariaDB bool) (*querycache.Settings, *tier) {
	kept := &tier{size: 1 << 20, limit: 1 << 20}
	initial := querycache.Initial{Type: querycache.On, Size: 1 << 20, Limit: 1 << 20, MariaDB: mariaDB}
	return querycache.New(initial, kept, func() querycache.Tally { return querycache.Tally{Hits: 7, Entries: 2, Tables: 1, Free: 100} }), kept
}

func whole(n uint64) querycache.Value { return querycache.Value{Number: n} }

func word(s string) querycache.Value { return querycache.Value{Kind: querycache.Text, Text: s} }

// TestValues is what servers make of values: MariaDB 10.11 was asked.
func TestValues(t *testing.T) {
	t.Parallel()
	negative := querycache.Value{Number: ^uint64(0), Negative: true, Text: "-1"}
	for _, c := range []struct {
		name   string
		value  querycache.Value
		code   int
		then   string
		warned []int
	}{
		{"query_cache_size", whole(204800), 0, "204800", nil},
		{"query_cache_size", whole(204801), 0, "204800", []int{1292}},
		{"query_cache_size", whole(41000), 0, "0", []int{1292, 1282}},
		{"query_cache_size", whole(40960), 0, "0", []int{1282}},
		{"query_cache_size", whole(100), 0, "0", []int{1292}},
		{"query_cache_size", negative, 0, "0", []int{1292}},
		{"query_cache_size", whole(0), 0, "0", nil},
		{"query_cache_size", whole(1 << 60), 0, "0", []int{1282}},
		{"query_cache_size", word("1M"), 1232, "1048576", nil},
		{"query_cache_size", querycache.Value{Kind: querycache.Null}, 1232, "1048576", nil},
		{"query_cache_size", querycache.Value{Kind: querycache.Other}, 1232, "1048576", nil},
		{"query_cache_size", querycache.Value{Kind: querycache.Default}, 0, "1048576", nil},
		{"query_cache_limit", whole(1025), 0, "1025", nil},
		{"query_cache_limit", negative, 0, "0", []int{1292}},
		{"query_cache_limit", whole(99999999999999), 0, "1073741824", []int{1292}},
		{"query_cache_min_res_unit", whole(513), 0, "512", []int{1292}},
		{"query_cache_min_res_unit", whole(100), 0, "512", []int{1292}},
		{"query_cache_min_res_unit", whole(0), 0, "512", nil},
		{"query_cache_min_res_unit", whole(99999999999), 0, "4294967288", []int{1292}},
		{"query_cache_type", whole(2), 0, "DEMAND", nil},
		{"query_cache_type", whole(3), 1231, "ON", nil},
		{"query_cache_type", negative, 1231, "ON", nil},
		{"query_cache_type", word("demand"), 0, "DEMAND", nil},
		{"query_cache_type", word("1"), 1231, "ON", nil},
		{"query_cache_type", word(""), 1231, "ON", nil},
		{"query_cache_type", word("observe"), 0, "OBSERVE", nil},
		{"query_cache_type", querycache.Value{Kind: querycache.Null}, 1231, "ON", nil},
		{"query_cache_type", querycache.Value{Kind: querycache.Other}, 1232, "ON", nil},
		{"query_cache_strip_comments", whole(1), 0, "ON", nil},
		{"query_cache_strip_comments", whole(2), 1231, "OFF", nil},
		{"query_cache_strip_comments", word("on"), 0, "ON", nil},
		{"query_cache_wlock_invalidate", word("ON"), 0, "ON", nil},
		{"query_cache_wlock_invalidate", querycache.Value{Kind: querycache.Other}, 1232, "OFF", nil},
		{"have_query_cache", whole(1), 1238, "YES", nil},
		{"query_cache_typ", whole(1), 1193, "", nil},
	} {
		s, _ := newSettings(true)
		own := s.Session()
		change, e := s.Check(c.name, true, c.value)
		var warned []int
		if e == nil {
			for _, w := range change(&own) {
				warned = append(warned, int(w.Code))
			}
		} else if int(e.Code) != c.code {
			t.Errorf("%s = %+v: %v, want %d", c.name, c.value, e, c.code)
		}
		if got := valueOf(s, c.name, nil); (e == nil) != (c.code == 0) || got != c.then || !equal(warned, c.warned) {
			t.Errorf("%s = %+v: error %v, value %s, warnings %v; want %d, %s, %v", c.name, c.value, e, got, warned, c.code, c.then, c.warned)
		}
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func valueOf(s *querycache.Settings, name string, of *querycache.Session) string {
	for _, row := range s.Variables(of) {
		if row.Name == name {
			return row.Value
		}
	}
	return ""
}

// TestScopes: sessions copy the global values when they begin, and cannot switch on what is off for all.
func TestScopes(t *testing.T) {
	t.Parallel()
	s, kept := newSettings(true)
	before, admin := s.Session(), s.Session()
	set := func(of *querycache.Session, name string, global bool, v querycache.Value) int {
		change, e := s.Check(name, global, v)
		if e != nil {
			return int(e.Code)
		}
		change(of)
		return 0
	}
	if got := set(&before, "query_cache_size", false, whole(1)); got != 1229 {
		t.Errorf("a session sets query_cache_size: %d", got)
	}
	if set(&admin, "query_cache_type", true, word("OFF")); s.Serving() || before.Type != querycache.On || admin.Type != querycache.Off {
		t.Errorf("after SET GLOBAL ... OFF: serving %v, an open session has %v, the one that said it %v", s.Serving(), before.Type, admin.Type)
	}
	if kept.cleared != 1 {
		t.Errorf("OFF has emptied the cache %d times", kept.cleared)
	}
	if after := s.Session(); after.Type != querycache.Off {
		t.Errorf("a new session has %v", after.Type)
	}
	for v, want := range map[string]int{"ON": 1925, "DEMAND": 1925, "OFF": 0} {
		if got := set(&before, "query_cache_type", false, word(v)); got != want {
			t.Errorf("a session sets %s while it is OFF for all: %d, want %d", v, got, want)
		}
	}
	set(&before, "query_cache_type", true, word("ON"))
	if set(&before, "query_cache_type", false, word("ON")); !s.Serving() || before.Type != querycache.On {
		t.Error("not ON again")
	}
	if set(&before, "query_cache_size", true, whole(0)); s.Serving() || kept.size != 0 {
		t.Errorf("size 0: serving %v, the tier has %d", s.Serving(), kept.size)
	}
	mysql, _ := newSettings(false)
	change, _ := mysql.Check("query_cache_type", true, word("OFF"))
	change(&before)
	if _, e := mysql.Check("query_cache_type", false, whole(1)); e == nil || e.Code != 1651 {
		t.Errorf("MySQL's error is %v", e)
	}
}

// TestFlushStatus: FLUSH STATUS sets back what counts, and not what is.
func TestFlushStatus(t *testing.T) {
	t.Parallel()
	s, _ := newSettings(true)
	s.CountNotCached()
	want := map[string]string{
		"Qcache_free_blocks": "1", "Qcache_free_memory": "100", "Qcache_hits": "7", "Qcache_inserts": "0",
		"Qcache_lowmem_prunes": "0", "Qcache_not_cached": "1", "Qcache_queries_in_cache": "2", "Qcache_total_blocks": "6",
	}
	check := func() {
		t.Helper()
		for _, row := range s.Status() {
			if want[row.Name] != row.Value {
				t.Errorf("%s is %s, want %s", row.Name, row.Value, want[row.Name])
			}
		}
	}
	check()
	s.FlushStatus()
	want["Qcache_hits"], want["Qcache_not_cached"] = "0", "0"
	check()
}
