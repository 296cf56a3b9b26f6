package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// The stream stands still while rows change, the table changes so that other columns lie in the old ones' places, and
// rows change again. What the catalogue says by then is the schema of now; the rows are those of then.
//
//  1. Results are cached that depend on a row, a range and a column.
//  2. The stream is held. UPDATE; ALTER TABLE; UPDATE.
//  3. It goes on. The first rows are not of the table that the catalogue knows.
//
// Wrong would be: an id looked for in the place where it lies now.
func TestPitfall16SchemaOfNowRowsOfThen(t *testing.T) {
	queries := []string{
		"SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2", "SELECT v FROM t WHERE id IN (2, 3)", "SELECT v FROM t WHERE k = 10",
		"SELECT id, v FROM t WHERE id BETWEEN 1 AND 3 ORDER BY id", "SELECT k FROM t ORDER BY id", "SELECT COUNT(*) FROM t WHERE v = 'b'",
	}
	alters := map[string]string{
		"of the same types":  "ALTER TABLE t DROP COLUMN gone, ADD COLUMN fresh INT DEFAULT 3 FIRST",
		"of other types":     "ALTER TABLE t DROP COLUMN gone, ADD COLUMN fresh VARCHAR(10) DEFAULT '3' FIRST",
		"one more":           "ALTER TABLE t ADD COLUMN fresh INT DEFAULT 3 FIRST",
		"in another order":   "ALTER TABLE t MODIFY COLUMN k INT FIRST",
		"under another name": "ALTER TABLE t CHANGE COLUMN id gone INT, CHANGE COLUMN gone id INT DEFAULT 4",
	}
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network := behind(t, flavor, false)
		d := w.direct("app", "")
		for name, alter := range alters {
			d.run("DROP DATABASE IF EXISTS shop")
			d.run("CREATE DATABASE shop")
			d.run("USE shop")
			d.run("CREATE TABLE t (id INT PRIMARY KEY, gone INT DEFAULT 5, k INT, v VARCHAR(20)) ENGINE=InnoDB")
			d.run("INSERT INTO t VALUES (1, 2, 10, 'a'), (2, 3, 20, 'b'), (3, 1, 30, 'c')")
			w.complete()
			p := w.proxy("app", "shop")
			for _, q := range queries {
				p.warm(q)
			}
			network.holdDumps()
			d.run("UPDATE t SET v = 'a2' WHERE id = 1")
			d.run(alter)
			d.run("UPDATE t SET v = 'b2', k = 21 WHERE id = 2")
			d.ask("INSERT INTO t (id, gone, k, v) VALUES (4, 4, 10, 'd')") // where there is still such a column
			network.pass()
			w.complete()
			w.same(d, p, name, queries)
			for _, q := range queries {
				p.warm(q)
			}
			d.run("UPDATE t SET v = CONCAT(v, '!'), k = k + 1 ORDER BY k DESC")
			w.complete()
			w.same(d, p, name+", afterwards", queries)
			p.hangUp()
		}
	})
}

// same checks that Weir answers as the source does.
func (w *world) same(d, p *client, when string, queries []string) {
	w.t.Helper()
	for _, q := range queries {
		if got, want := p.ask(q), d.ask(q); got != want {
			w.t.Errorf("%s: %s: Weir answers %q, the source %q", when, q, got, want)
		}
	}
}
