package daemon

import (
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestQueryCacheNamed: a statement that is prepared in the text protocol means what it meant then, whatever words are in it. Only one
// that reads the query cache's variables is said anew, and refused where that would be another statement.
func TestQueryCacheNamed(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		for _, d := range []string{"d1", "d2"} {
			w.must(w.source.Exec(t.Context(), "CREATE DATABASE "+d, "CREATE TABLE "+d+".t (id INT PRIMARY KEY, v VARCHAR(50))", "INSERT INTO "+d+".t VALUES (1, '"+d+"')"))
		}
		w.caughtUp()
		const word, reads = `PREPARE s FROM 'SELECT v, "query_cache" AS x FROM t'`, `PREPARE s FROM 'SELECT v, @@query_cache_type AS x FROM t'`
		for _, script := range [][]string{
			{word, "USE d2", "EXECUTE s", "v|x\nd1|query_cache\n"},
			{word, "SET sql_mode = 'ANSI_QUOTES'", "EXECUTE s", "v|x\nd1|query_cache\n"},
			{reads, "EXECUTE s", "v|x\nd1|ON\n"},
			{reads, "USE d2", "EXECUTE s", "error 1235"},
			{reads, "SET sql_mode = 'ANSI_QUOTES'", "EXECUTE s", "error 1235"},
			{"PREPARE s FROM 'SET SESSION query_cache_type = OFF'", "USE d2", "EXECUTE s", "\n"},
			{"PREPARE s FROM 'SELECT query_cache FROM t'", "error 1054"},
		} {
			c := w.proxy("app", "d1")
			last := len(script) - 1
			for _, text := range script[:last-1] {
				c.run(text)
			}
			if got := c.ask(script[last-1]); got != answer(script[last]) {
				t.Errorf("%s: %q, want %q", strings.Join(script[:last], "; "), got, script[last])
			}
			c.hangUp()
		}
	})
}
