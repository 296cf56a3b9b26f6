package daemon

import (
	endian "encoding/binary"
	"strings"
	"sync"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

// TestPitfall54IdleSessionsHoldNoLock: what sessions through Weir have read outside of transactions keeps no ALTER waiting,
// whatever it has left on a connection; a transaction that the client has begun does, as without Weir. LOCK TABLES waits
// for the same as ALTER, and makes no results unservable.
func TestPitfall54IdleSessionsHoldNoLock(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, _ := wireWorld(t, flavor)
		server.mustQuery("SET lock_wait_timeout = 2")
		asks := func(texts ...string) func(*dialogue) {
			return func(d *dialogue) {
				for _, text := range texts {
					d.query(text)
				}
			}
		}
		for name, do := range map[string]func(*dialogue){
			"a miss and a hit":           asks("SELECT v FROM t", "SELECT v FROM t", "SELECT v FROM t"),
			"not stored":                 asks("SELECT v, NOW(6) FROM t"),
			"warnings, not looked at":    asks("SELECT v + 0 FROM t WHERE id = 2"),
			"warnings, looked at":        asks("SELECT v + 0 FROM t WHERE id = 2", "SHOW WARNINGS"),
			"an error":                   asks("SELECT nowhere FROM t"),
			"an error in the middle":     asks("SELECT id, IF(id < 4, 1, (SELECT id FROM t)) FROM t ORDER BY id"),
			"rows to be counted":         asks("SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1"),
			"user variables":             asks("SET @x = 1", "SELECT v, @x FROM t", "SELECT v FROM t"),
			"PREPARE and EXECUTE":        asks("PREPARE p FROM 'SELECT v, NOW() FROM t'", "EXECUTE p", "EXECUTE p"),
			"a transaction that is over": asks("BEGIN", "SELECT v FROM t", "COMMIT", "BEGIN", "SELECT v FROM t", "ROLLBACK"),
			"a temporary table":          asks("SELECT v, COUNT(*) FROM t GROUP BY v ORDER BY 2"),
			"a view, and what it is":     asks("SELECT v FROM w", "SHOW CREATE TABLE t", "SHOW COLUMNS FROM t", "EXPLAIN SELECT v FROM t"),
			"a large result":             asks("SELECT t.id, body FROM t JOIN big"),
			"columns of a table":         func(d *dialogue) { d.ask(wire.ComFieldList, []byte("t\x00")) },
			"prepared": func(d *dialogue) {
				d.oneOff("SELECT v FROM t WHERE id = ?", longParam(1))
				d.mustPrepare("SELECT n FROM t")
			},
			"prepared, not stored": func(d *dialogue) { d.execute(d.mustPrepare("SELECT v, NOW() FROM t WHERE id = ?"), longParam(1)) },
			"cursors that are closed": func(d *dialogue) {
				for _, sql := range []string{"SELECT v FROM t WHERE id > ?", "SELECT v, RAND() FROM t WHERE id > ?"} {
					id := d.mustPrepare(sql)
					d.ask(wire.ComStmtExecute, executeArgs(id, 1, []param{longParam(0)}, true))
					d.ask(wire.ComStmtFetch, endian.LittleEndian.AppendUint32(statementID(id), 1))
					d.ask(wire.ComStmtReset, statementID(id))
				}
			},
		} {
			d := w.throughWeir("differ")
			do(d)
			if r := server.query("LOCK TABLES t WRITE"); r.kind != wire.KindOK {
				t.Errorf("%s: LOCK TABLES is answered %s", name, r)
			}
			server.mustQuery("UNLOCK TABLES")
		}
		if r := server.query("ALTER TABLE t ADD COLUMN first_added INT"); r.kind != wire.KindOK {
			t.Errorf("while all these sessions are idle, an ALTER is answered %s", r)
		}
		d := w.throughWeir("differ")
		asks("BEGIN", "SELECT v FROM t")(d)
		if r := server.query("ALTER TABLE t ADD COLUMN added INT"); !strings.Contains(r.String(), "1205") {
			t.Fatalf("a transaction is open, and an ALTER is answered %s: the test shows nothing", r)
		}
		d.Conn.Close() // the client leaves without a word, and its transaction ends
		server.mustQuery("SET lock_wait_timeout = 20")
		if r := server.query("ALTER TABLE t ADD COLUMN added INT"); r.kind != wire.KindOK {
			t.Errorf("the client of the transaction has left, and an ALTER is answered %s", r)
		}
	})
}

// TestPitfall54TransactionDoesNotWaitForItself: a client that has read a table in a transaction, for which an ALTER waits,
// goes on in it. What it prepares must not be prepared behind the ALTER, on another connection.
func TestPitfall54TransactionDoesNotWaitForItself(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, _ := wireWorld(t, flavor)
		server.mustQuery("SET GLOBAL lock_wait_timeout = 5") // for connections to come
		weir := w.throughWeir("differ")
		alter := w.atServer("differ")
		alter.mustQuery("SET lock_wait_timeout = 60")
		weir.mustQuery("BEGIN")
		weir.mustQuery("SELECT v FROM t")
		var all sync.WaitGroup
		all.Go(func() {
			if r := alter.query("ALTER TABLE t ADD COLUMN added INT"); r.kind != wire.KindOK {
				t.Errorf("the ALTER is answered %s", r)
			}
		})
		w.eventually("the ALTER waits", func() bool { return w.runs("metadata lock") })
		if r, id := weir.prepare("SELECT n FROM t WHERE id = ?"); r.kind != wire.KindPrepared {
			t.Errorf("a statement is prepared in the transaction: %s", r)
		} else if r := weir.execute(id, longParam(1)); r.kind != wire.KindResultSet {
			t.Errorf("it is executed: %s", r)
		}
		if r := weir.query("SELECT v FROM t WHERE id = 1"); r.kind != wire.KindResultSet {
			t.Errorf("it reads: %s", r)
		}
		weir.mustQuery("COMMIT")
		all.Wait()
	})
}
