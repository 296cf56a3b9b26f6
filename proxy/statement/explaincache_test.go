package statement

import "testing"

func TestReadExplainCache(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want ExplainCache
		ok   bool
	}{
		{"EXPLAIN CACHE SELECT 1", ExplainCache{Text: "SELECT 1"}, true},
		{" explain /* x */ cache\n select 1 ; ", ExplainCache{Text: "select 1 ; "}, true},
		{"EXPLAIN CACHE /* weir: nocache */ SELECT 1", ExplainCache{Text: "/* weir: nocache */ SELECT 1"}, true},
		{"/* from a form */ EXPLAIN CACHE SELECT 1", ExplainCache{Text: "SELECT 1"}, true},
		{"DESC CACHE (SELECT 1)", ExplainCache{Text: "(SELECT 1)"}, true},
		{"EXPLAIN CACHE FORMAT=JSON SELECT 1", ExplainCache{Text: "SELECT 1", JSON: true}, true},
		{"EXPLAIN CACHE FORMAT = 'json' SELECT 1", ExplainCache{Text: "SELECT 1", JSON: true}, true},
		{"EXPLAIN CACHE FORMAT=TRADITIONAL SELECT 1", ExplainCache{Text: "SELECT 1"}, true},
		{"EXPLAIN CACHE FORMAT=TREE SELECT 1", ExplainCache{Text: "SELECT 1", Format: "TREE"}, true},
		{"EXPLAIN CACHE FORMAT=JSON", ExplainCache{JSON: true, Nothing: true}, true},
		{"EXPLAIN CACHE FOR CONNECTION 5", ExplainCache{Text: "FOR CONNECTION 5", Nothing: true}, true},
		{"EXPLAIN CACHE UPDATE t SET a = 1", ExplainCache{Text: "UPDATE t SET a = 1"}, true},
		{"EXPLAIN CACHE EXECUTE p", ExplainCache{Text: "EXECUTE p"}, true},
		{"EXPLAIN CACHE SELECT", ExplainCache{Text: "SELECT"}, true},

		{"EXPLAIN CACHE", ExplainCache{}, false},
		{"EXPLAIN cache;", ExplainCache{}, false},
		{"EXPLAIN cache name", ExplainCache{}, false},
		{"DESC cache 'n%';", ExplainCache{}, false},
		{"EXPLAIN cache.t", ExplainCache{}, false},
		{"EXPLAIN `CACHE` SELECT 1", ExplainCache{}, false},
		{"EXPLAIN SELECT 1", ExplainCache{}, false},
		{"SELECT 'EXPLAIN CACHE'", ExplainCache{}, false},
		{"", ExplainCache{}, false},
	} {
		if got, ok := ReadExplainCache(c.sql, Env{}); got != c.want || ok != c.ok {
			t.Errorf("%q: %+v, %v; want %+v, %v", c.sql, got, ok, c.want, c.ok)
		}
	}
}
