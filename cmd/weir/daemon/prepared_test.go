package daemon

import (
	"database/sql"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// holds prepares a statement that stays open until the test ends.
func (c *client) holds(query string) *held {
	c.world.t.Helper()
	st, err := c.conn.PrepareContext(c.world.t.Context(), query)
	c.world.must(err)
	c.world.t.Cleanup(func() { st.Close() })
	return &held{world: c.world, st: st}
}

// held is a prepared statement.
type held struct {
	world   *world
	st      *sql.Stmt
	refused answer // to its preparation
}

func (h *held) ask(args ...any) answer {
	if h.st == nil {
		return h.refused
	}
	rows, err := h.st.QueryContext(h.world.t.Context(), args...)
	if err != nil {
		return errorAnswer(err)
	}
	defer rows.Close()
	var b strings.Builder
	if err := writeResult(&b, rows); err != nil {
		return errorAnswer(err)
	}
	return answer(b.String())
}

func (h *held) asked(args ...any) (answer, bool) {
	before := h.world.counter("weir_statements_total", "outcome", "hit")
	a := h.ask(args...)
	return a, h.world.counter("weir_statements_total", "outcome", "hit") > before
}

// expect compares what two statements answer.
func (h *held) expect(other *held, args ...any) {
	h.world.t.Helper()
	if got, want := h.ask(args...), other.ask(args...); got != want {
		h.world.t.Errorf("through Weir %q, straight %q", got, want)
	}
}

func (h *held) warm(args ...any) {
	h.world.t.Helper()
	h.world.eventually("the execution is a hit", func() bool {
		_, hit := h.asked(args...)
		return hit
	})
}

func preparedWorld(t *testing.T, flavor sandbox.Flavor) (w *world, direct, proxy *client) {
	w = newWorld(t, sandbox.Options{Flavor: flavor}, nil)
	direct = w.direct("app", "")
	direct.run("CREATE DATABASE shop")
	direct.run("USE shop")
	direct.run("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), d DATE)")
	direct.run("INSERT INTO t VALUES (1, 'a', '2026-01-02'), (5, 'five', NULL), (6, '5', NULL)")
	w.caughtUp()
	return w, direct, w.proxy("app", "shop")
}

// TestPreparedStatementsAreCached: a hit needs nobody to prepare anything, a change is seen, and what is in the key is
// the values with their types.
func TestPreparedStatementsAreCached(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, direct, proxy := preparedWorld(t, flavor)
		st := proxy.holds("SELECT id, v FROM t WHERE id = ?")
		st.warm(5)
		if a, hit := st.asked(6); hit || a != "id|v\n6|5\n" {
			t.Errorf("another value: %q, hit %v", a, hit)
		}
		prepares := direct.ask("SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'")
		for range 3 {
			again := w.proxy("app", "shop").holds("SELECT id, v FROM t WHERE id = ?")
			if a, hit := again.asked(5); !hit || a != "id|v\n5|five\n" {
				t.Errorf("another client: %q, hit %v", a, hit)
			}
		}
		if after := direct.ask("SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'"); after != prepares {
			t.Errorf("hits made the server prepare statements: %q, then %q", prepares, after)
		}
		direct.run("UPDATE t SET v = 'changed' WHERE id = 5")
		w.caughtUp()
		if a := st.ask(5); a != "id|v\n5|changed\n" {
			t.Errorf("after a change: %q", a)
		}
		st.warm(5)
		if a, hit := proxy.asked("SELECT id, v FROM t WHERE id = 5"); hit || a != "id|v\n5|changed\n" {
			t.Errorf("the same as text: %q, hit %v", a, hit)
		}
	})
}

// TestPitfall34ParametersOfOtherTypes: each execution is answered as by a statement that was prepared for it. MySQL since
// 8.0.22 converts later values to the types of a statement's first ones; through Weir, which may run two executions on
// two connections, there is no first one.
func TestPitfall34ParametersOfOtherTypes(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, direct, proxy := preparedWorld(t, flavor)
		const query = "SELECT ?, HEX(?), v FROM t WHERE id = 1 OR CAST(? AS CHAR) IS NULL ORDER BY id"
		st := proxy.holds(query)
		values := []any{int64(5), "5", []byte("5"), uint64(5), 5.0, nil, "five", true, uint64(18446744073709551615), int64(-1)}
		for _, v := range values {
			st.expect(direct.holds(query), v, v, v)
			st.warm(v, v, v)
		}
		for _, v := range values {
			st.expect(direct.holds(query), v, v, v)
		}
	})
}

// TestPreparedStatementsAndSchemaChanges: the names and types of columns are those of now, for a statement that is open
// and for one that is prepared after the change.
func TestPreparedStatementsAndSchemaChanges(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, direct, proxy := preparedWorld(t, flavor)
		queries := []string{"SELECT * FROM t WHERE id = ?", "SELECT * FROM w WHERE id = ?", "SELECT v FROM t WHERE id = ?"}
		for _, ddl := range []string{
			"ALTER TABLE t ADD COLUMN n INT DEFAULT 7", "ALTER TABLE t MODIFY v VARBINARY(40)", "ALTER TABLE t DROP COLUMN d",
			"CREATE OR REPLACE VIEW w AS SELECT d, id FROM t", "RENAME TABLE t TO x, u TO t, x TO u",
			"ALTER TABLE t RENAME COLUMN v TO v2", "TRUNCATE TABLE t", "DROP TABLE t", "DROP VIEW w",
		} {
			for _, again := range []string{
				"DROP VIEW IF EXISTS w", "DROP TABLE IF EXISTS t, u", "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), d DATE)",
				"CREATE TABLE u (id BIGINT PRIMARY KEY, d TIME, v INT)", "INSERT INTO t VALUES (5, 'five', NULL)",
				"INSERT INTO u VALUES (5, '10:11:12', 55)", "CREATE VIEW w AS SELECT id, v FROM t",
			} {
				direct.run(again)
			}
			w.caughtUp()
			var open []*held
			for _, q := range queries {
				st := proxy.holds(q)
				st.warm(5)
				open = append(open, st)
			}
			direct.run(ddl)
			w.caughtUp()
			for i, q := range queries {
				fresh, straight := proxy.holdsOrFails(q), direct.holdsOrFails(q)
				if got, want := open[i].ask(5), straight.ask(5); got != want {
					t.Errorf("after %s, %s that was open gives %q, straight %q", ddl, q, got, want)
				}
				if got, want := fresh.ask(5), straight.ask(5); got != want {
					t.Errorf("after %s, %s gives %q, straight %q", ddl, q, got, want)
				}
			}
		}
	})
}

// holdsOrFails prepares a statement; one that cannot be prepared answers with the error.
func (c *client) holdsOrFails(query string) *held {
	if a := c.prepare(query); a != "" {
		return &held{world: c.world, refused: a}
	}
	return c.holds(query)
}

// TestPreparedStatementsKeepTheirMeaning: a statement was read when it was prepared. What the client sets or chooses
// afterwards does not change what its words mean.
func TestPreparedStatementsKeepTheirMeaning(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, direct, proxy := preparedWorld(t, flavor)
		direct.run("CREATE DATABASE other")
		direct.run("CREATE TABLE other.t (id INT PRIMARY KEY, v VARCHAR(20))")
		direct.run("INSERT INTO other.t VALUES (5, 'other')")
		w.caughtUp()
		straight := w.direct("app", "shop")
		queries := []string{
			`SELECT v, "v", 1 || 0 FROM t WHERE id = ?`, "SELECT DATABASE(), v FROM t WHERE id = ?", "SELECT v FROM t WHERE id = ?",
			"SELECT 'x' = 'X', COLLATION('x'), v FROM t WHERE id = ?", "SELECT @@time_zone, @@sql_mode, v FROM t WHERE id = ?",
		}
		var through, at []*held
		for _, q := range queries {
			through, at = append(through, proxy.holds(q)), append(at, straight.holds(q))
		}
		same := func(step string) {
			t.Helper()
			for i := range queries {
				for range 2 {
					if got, want := through[i].ask(5), at[i].ask(5); got != want {
						t.Errorf("%s: %s gives %q, straight %q", step, queries[i], got, want)
					}
				}
			}
		}
		same("at first")
		for _, say := range []string{
			"USE other", "USE shop", "SET time_zone = '+03:00'", "SET sql_mode = 'ANSI_QUOTES'", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "USE other",
		} {
			proxy.run(say)
			straight.run(say)
			same(say)
			for _, q := range queries { // and a new one is of the new meaning
				if got, want := proxy.holdsOrFails(q), straight.holdsOrFails(q); (got.st == nil) != (want.st == nil) {
					t.Errorf("%s: %s can be prepared: %v, straight %v", say, q, got.st != nil, want.st != nil)
				} else if got.st != nil {
					got.expect(want, 5)
				}
			}
		}
	})
}

// TestPreparedStatementsInTransactions: they read what the transaction reads.
func TestPreparedStatementsInTransactions(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, direct, proxy := preparedWorld(t, flavor)
		st := proxy.holds("SELECT v FROM t WHERE id = ?")
		st.warm(5)
		proxy.run("BEGIN")
		if a, hit := st.asked(5); hit || a != "v\nfive\n" {
			t.Errorf("in a transaction: %q, hit %v", a, hit)
		}
		direct.run("UPDATE t SET v = 'changed' WHERE id = 5")
		w.caughtUp()
		if a := st.ask(5); a != "v\nfive\n" {
			t.Errorf("later in the transaction: %q", a)
		}
		proxy.run("COMMIT")
		if a := st.ask(5); a != "v\nchanged\n" {
			t.Errorf("after the transaction: %q", a)
		}
	})
}
