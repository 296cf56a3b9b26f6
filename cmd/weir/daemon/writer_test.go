package daemon

import (
	"fmt"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestDefaultDatabaseDropped: a session that drops its default database has none until it chooses one, also if that has
// the same name.
func TestDefaultDatabaseDropped(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		c := w.proxy("app", "")
		for _, step := range []struct {
			query string
			want  answer
		}{
			{"CREATE DATABASE shop", "\n"},
			{"USE shop", "\n"},
			{"CREATE TABLE t (a INT PRIMARY KEY)", "\n"},
			{"DROP DATABASE shop", "\n"},
			{"SELECT DATABASE()", "DATABASE()\nNULL\n"},
			{"SELECT * FROM t", "error 1046"},
			{"USE shop", "error 1049"},
			{"CREATE DATABASE shop", "\n"},
			{"SELECT * FROM t", "error 1046"},
			{"USE shop", "\n"},
			{"CREATE TABLE t (a INT PRIMARY KEY)", "\n"},
			{"SELECT * FROM t", "a\n"},
			{"DROP DATABASE IF EXISTS other", "\n"},
			{"SELECT DATABASE()", "DATABASE()\nshop\n"},
		} {
			if got := c.ask(step.query); got != step.want {
				t.Fatalf("%s: %q, want %q", step.query, got, step.want)
			}
			w.caughtUp()
		}
	})
}

// TestDefaultDatabaseDroppedByOthers: USE finds out, also where the session is in that database already.
func TestDefaultDatabaseDroppedByOthers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		source := w.direct("app", "")
		source.run("CREATE DATABASE shop")
		c := w.proxy("app", "shop")
		source.run("DROP DATABASE shop")
		if got := c.ask("USE shop"); got != "error 1049" {
			t.Errorf("%q, want error 1049", got)
		}
	})
}

// TestWriterKeepsHits: words in data and parts of names are no reason to think that a write leaves a temporary table.
func TestWriterKeepsHits(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		w.direct("app", "").run("CREATE DATABASE shop")
		c := w.proxy("app", "shop")
		c.run("CREATE TABLE calls (call_id INT PRIMARY KEY, note VARCHAR(40))")
		c.run("INSERT INTO calls VALUES (1, 'a temporary call; execute it')")
		c.run("DROP TABLE IF EXISTS done")
		w.caughtUp()
		c.warm("SELECT note FROM calls")
		c.run("CREATE TEMPORARY TABLE calls (call_id INT, note VARCHAR(40))")
		if got, hit := c.asked("SELECT note FROM calls"); hit || got != "note\n" {
			t.Errorf("with a temporary table in its place: %q, a hit: %v", got, hit)
		}
	})
}

// TestLockedTables: a session that has locked a table reads it on the connection that has the lock, in either protocol;
// on another one the read would wait for it.
func TestLockedTables(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		w.direct("app", "").run("CREATE DATABASE shop")
		c := w.proxy("app", "shop")
		c.run("CREATE TABLE t (a INT PRIMARY KEY)")
		c.run("CREATE TABLE u (a INT PRIMARY KEY)")
		c.run("INSERT INTO t VALUES (1)")
		w.caughtUp()
		c.warm("SELECT a FROM u")
		for i, lock := range []string{"LOCK TABLES t WRITE", "SELECT 1; LOCK TABLES t WRITE"} {
			c.run(lock)
			c.run(fmt.Sprintf("INSERT INTO t VALUES (%d)", i+2))
			w.caughtUp()
			if got, hit := c.asked("SELECT COUNT(*) - MAX(a) AS n FROM t"); got != "n\n0\n" || hit {
				t.Errorf("%s: %q, a hit: %v", lock, got, hit)
			}
			if got := c.prepare("SELECT a + 1 FROM t"); got != "" {
				t.Errorf("%s: prepare: %s", lock, got)
			}
			if got := c.ask("SELECT a FROM u"); got != "error 1100" {
				t.Errorf("%s: a table that is not locked: %q, want error 1100", lock, got)
			}
			c.run("UNLOCK TABLES")
			if lock == "LOCK TABLES t WRITE" {
				c.warm("SELECT a FROM u")
			}
		}
	})
}

// TestExecuteWithoutParameters: an EXECUTE that leaves parameters out is answered as the server does, not with what the
// text would give that has question marks in it.
func TestExecuteWithoutParameters(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.direct("app", "").run("CREATE DATABASE shop")
		w.direct("app", "shop").run("CREATE TABLE t (a INT PRIMARY KEY)")
		w.caughtUp()
		c := w.proxy("app", "shop")
		c.run("PREPARE s FROM 'SELECT a FROM t WHERE a <= ?'")
		for range 2 {
			if got := c.ask("EXECUTE s"); got != "error 1210" {
				t.Errorf("%q, want error 1210", got)
			}
		}
	})
}
