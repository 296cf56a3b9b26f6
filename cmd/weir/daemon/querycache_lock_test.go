package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestQueryCacheWriteLock is query_cache_wlock_invalidate: LOCK TABLES ends what is cached of the table if the session that
// locks has it ON, and Qcache_queries_in_cache falls with that as with any change.
func TestQueryCacheWriteLock(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		w.must(w.source.Exec(t.Context(), "CREATE DATABASE d", "CREATE TABLE d.t (v INT)", "CREATE TABLE d.u (v INT)", "INSERT INTO d.t VALUES (10)"))
		w.caughtUp()
		c, other := w.proxy("app", "d"), w.proxy("app", "d")
		const read = "SELECT v FROM t"
		stored := func(want, when string) {
			t.Helper()
			if got := other.ask("SHOW STATUS LIKE 'Qcache_queries_in_cache'"); got != answer("Variable_name|Value\nQcache_queries_in_cache|"+want+"\n") {
				t.Errorf("%s: %s; want %s", when, got, want)
			}
		}
		other.warm(read)
		other.warm("SELECT v FROM u")
		stored("2", "two results")

		c.run("LOCK TABLES t WRITE")
		stored("2", "query_cache_wlock_invalidate is OFF")
		c.run("UNLOCK TABLES")
		c.run("SET query_cache_wlock_invalidate = ON")
		c.run("LOCK TABLES t WRITE, u READ")
		stored("1", "t is locked for writing, u for reading")
		c.run("UNLOCK TABLES")

		other.warm(read)
		w.must(w.source.Exec(t.Context(), "INSERT INTO d.t VALUES (11)"))
		w.caughtUp()
		stored("1", "a change")
	})
}

// TestQueryCacheMemoryTable writes to a table of which no results may be kept, and which certainly has no triggers: the session
// keeps its caching. With a trigger it does not.
func TestQueryCacheMemoryTable(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		w.must(w.source.Exec(t.Context(), "CREATE DATABASE d", "CREATE TABLE d.t (v INT)", "INSERT INTO d.t VALUES (10)",
			"CREATE TABLE d.m (v INT) ENGINE = MEMORY", "CREATE TABLE d.n (v INT) ENGINE = MEMORY", "CREATE TRIGGER d.g BEFORE INSERT ON d.n FOR EACH ROW SET @x = 1"))
		w.caughtUp()
		c := w.proxy("app", "d")
		c.warm("SELECT v FROM t")
		c.run("INSERT INTO m VALUES (1)")
		c.warm("SELECT v FROM t")
		c.run("INSERT INTO n VALUES (1)")
		w.caughtUp()
		if a, hit := c.asked("SELECT v FROM t"); hit || a != "v\n10\n" {
			t.Errorf("after a write that fires a trigger: %q, a hit: %v", a, hit)
		}
	})
}
