package daemon

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestQueryCacheAsNative asks a MariaDB with its query cache on, and Weir in front of one that has it off, the same: as text,
// and prepared.
func TestQueryCacheAsNative(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/querycache/native.sql")
	if err != nil {
		t.Fatal(err)
	}
	native := &world{t: t, flavor: sandbox.MariaDB, source: sandboxtest.Server(t, sandbox.Options{
		Flavor: sandbox.MariaDB, NoBinlog: true, Extra: []string{"--query-cache-type=1", "--query-cache-size=1M"},
	})}
	native.must(native.source.CreateUser(t.Context(), "app", "app-secret", "ALL PRIVILEGES ON *.*"))
	w := newWorld(t, sandbox.Options{Flavor: sandbox.MariaDB}, func(c *Config) {
		c.Writes, c.Cache.Size, c.Cache.Limit = "source", 1<<20, 1<<20
	})
	for _, prepares := range []bool{false, true} {
		direct, through := native.direct("app", ""), w.proxy("app", "")
		direct.prepares, through.prepares = prepares, prepares
		for line := range strings.Lines(string(b)) {
			text := strings.TrimSpace(line)
			if text == "" || text[0] == '#' {
				continue
			}
			if want, got := direct.ask(text), through.ask(text); got != want {
				t.Errorf("%s (prepared: %v)\nthe server answers\n%s\nWeir answers\n%s", text, prepares, want, got)
			}
		}
	}
}

// TestQueryCacheVariables is what the variables do, on servers that do not know them.
func TestQueryCacheVariables(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.must(w.source.Exec(t.Context(), "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "INSERT INTO d.t VALUES (1, 10)"))
		w.caughtUp()
		c, other := w.proxy("app", "d"), w.proxy("app", "d")
		const read = "SELECT v FROM t WHERE id = 1"
		is := func(who *client, query string, want bool, when string) {
			t.Helper()
			if a, hit := who.asked(query); hit != want || a != "v\n10\n" {
				t.Errorf("%s: %s is %q, a hit: %v; want a hit: %v", when, query, a, hit, want)
			}
		}
		c.warm(read)

		c.run("SET query_cache_type = OFF")
		is(c, read, false, "the session has it OFF")
		is(other, read, true, "another has it OFF")
		c.run("SET query_cache_type = DEMAND")
		is(c, "SELECT v FROM t WHERE id = 1 LIMIT 2", false, "DEMAND")
		is(c, "SELECT v FROM t WHERE id = 1 LIMIT 2", false, "DEMAND, without SQL_CACHE")
		c.warm("SELECT SQL_CACHE v FROM t WHERE id = 1")
		c.run("SET query_cache_type = ON")

		c.run("SET query_cache_strip_comments = ON")
		is(c, "/* route=/ */ "+read+" -- end", true, "comments are stripped")
		is(c, "SELECT /* Class::method */ v FROM t WHERE id = 1", true, "comments are stripped")
		is(c, "/* weir: nocache */ "+read, false, "a directive is no comment")
		is(other, "/* route=/ */ "+read, false, "comments are not stripped")

		for _, off := range [][2]string{{"query_cache_type = OFF", "query_cache_type = ON"}, {"query_cache_size = 0", "query_cache_size = 8388608"}} {
			c.run("SET GLOBAL " + off[0])
			is(c, read, false, off[0])
			is(other, read, false, off[0])
			if got := c.ask("SHOW STATUS LIKE 'Qcache_queries_in_cache'"); got != "Variable_name|Value\nQcache_queries_in_cache|0\n" {
				t.Errorf("after %s: %s", off[0], got)
			}
			c.run("SET GLOBAL " + off[1])
			c.run("SET query_cache_type = ON")
			other.warm(read)
		}
		c.run("FLUSH QUERY CACHE")
		is(c, read, true, "FLUSH keeps what can be served")
		c.run("RESET QUERY CACHE")
		is(c, read, false, "RESET keeps nothing")

		if got := c.ask("SELECT 1; SET query_cache_type = 1"); got != "error 1235" {
			t.Errorf("two statements in one text: %s", got)
		}
		if got := c.ask("FLUSH TABLES"); got != "error 1290" {
			t.Errorf("FLUSH TABLES under writes: reject: %s", got)
		}
		if got := c.ask("FLUSH QUERY CACHE, LOGS"); got != "error 1290" {
			t.Errorf("FLUSH of more than the query cache under writes: reject: %s", got)
		}
	})
}

// TestQueryCachePrivileges: an account needs SUPER or RELOAD at the servers, also by way of a role, and what it holds is asked
// again after it has changed.
func TestQueryCachePrivileges(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		role, grant := "CREATE ROLE boss", "SET DEFAULT ROLE boss TO app2@'%'"
		if flavor == sandbox.MariaDB {
			grant = "SET DEFAULT ROLE boss FOR app2@'%'"
		}
		w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON *.*"))
		w.must(w.source.Exec(t.Context(), role, "GRANT RELOAD, SUPER ON *.* TO boss"))
		w.caughtUp()
		c := w.proxy("app2", "")
		all := map[string]answer{
			"SET GLOBAL query_cache_type = ON": "error 1227", "SET @@global.query_cache_limit = foo": "error 1227",
			"FLUSH QUERY CACHE": "error 1227", "RESET QUERY CACHE": "error 1227", "FLUSH STATUS": "error 1227",
			"SET query_cache_type = OFF": "\n", "SHOW STATUS LIKE 'Qcache_free_blocks'": "Variable_name|Value\nQcache_free_blocks|1\n",
		}
		check := func(who *client, when string, want map[string]answer) {
			t.Helper()
			for text, a := range want {
				if got := who.ask(text); got != a {
					t.Errorf("%s: %s is answered %q, want %q", when, text, got, a)
				}
			}
		}
		check(c, "without privileges", all)
		w.must(w.source.Exec(t.Context(), "GRANT RELOAD ON *.* TO app2@'%'"))
		w.caughtUp()
		check(c, "with RELOAD", map[string]answer{"FLUSH QUERY CACHE": "\n", "FLUSH STATUS": "\n", "SET GLOBAL query_cache_type = ON": "error 1227"})
		w.must(w.source.Exec(t.Context(), "REVOKE RELOAD ON *.* FROM app2@'%'"))
		w.caughtUp()
		check(c, "after REVOKE", all)
		w.must(w.source.Exec(t.Context(), "GRANT boss TO app2@'%'", grant))
		w.caughtUp()
		check(w.proxy("app2", ""), "with a role", map[string]answer{"RESET QUERY CACHE": "\n", "SET GLOBAL query_cache_type = ON": "\n"})
	})
}

// TestQueryCacheTuner asks what scripts such as mysqltuner ask about a query cache, in their way, and works out their ratios.
func TestQueryCacheTuner(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.must(w.source.Exec(t.Context(), "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)"))
		w.caughtUp()
		c := w.proxy("app", "d")
		c.warm("SELECT id FROM t")
		for range 98 {
			c.run("SELECT id FROM t")
		}
		variables, status := c.pairs("SHOW GLOBAL VARIABLES"), c.pairs("SHOW GLOBAL STATUS")
		if variables["have_query_cache"] != "YES" || variables["query_cache_type"] != "ON" || variables["query_cache_size"] != "268435456" ||
			variables["query_cache_limit"] != "1048576" || variables["version"] == "" {
			t.Errorf("the variables are %v", variables)
		}
		hits, inserts := number(t, status["Qcache_hits"]), number(t, status["Qcache_inserts"])
		if hits < 99 || inserts < 1 || number(t, status["Qcache_queries_in_cache"]) < 1 || status["Qcache_lowmem_prunes"] != "0" || status["Uptime"] == "" {
			t.Errorf("the status is hits %d, inserts %d, %s queries, %s prunes", hits, inserts, status["Qcache_queries_in_cache"], status["Qcache_lowmem_prunes"])
		}
		free := number(t, status["Qcache_free_memory"])
		if efficiency := 100 * hits / (hits + inserts + number(t, status["Qcache_not_cached"])); efficiency < 50 || free <= 0 || free > 256<<20 {
			t.Errorf("an efficiency of %d %% with %d bytes free", efficiency, free)
		}
	})
}

// pairs asks for rows of a name and a value.
func (c *client) pairs(query string) map[string]string {
	c.world.t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(c.ask(query))) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		all[name] = value
	}
	return all
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Error(err)
	}
	return n
}
