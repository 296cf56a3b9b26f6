package daemon

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/wire"
)

// status reads a counter of the source.
func (w *world) status(name string) int {
	w.t.Helper()
	_, row, _ := strings.Cut(string(w.watcher().ask("SHOW GLOBAL STATUS LIKE '"+name+"'")), "\n")
	_, value, _ := strings.Cut(strings.TrimSpace(row), "|")
	n, err := strconv.Atoi(value)
	w.must(err)
	return n
}

// used is how many connections to the source sessions hold.
func (w *world) used() int { return int(w.counter("weir_backend_connections", "state", "used")) }

// A thousand clients that have read and set something, and are idle, hold no connection to the server; and neither do
// their statements make it log anybody in or out.
func TestIdleClientsCostNoConnection(t *testing.T) {
	const clients = 1024
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-connections=300"}})
		w.start(nil)
		_, p := w.shop()
		p.warm(one)
		threads, logins, aborted := w.status("Threads_connected"), w.status("Connections"), w.status("Aborted_clients")
		var all []*numbered
		for i := range clients {
			c := w.numbered(t, "app")
			all = append(all, c)
			for _, step := range [][2]string{
				{fmt.Sprintf("SELECT v, %d FROM shop.t WHERE id = 1", i%50), "2 columns"},
				{fmt.Sprintf("SET time_zone = '+%02d:00'", i%12), "OK"},
				{fmt.Sprintf("SET sql_select_limit = %d", 1000+i%7), "OK"},
				{"SELECT v FROM shop.t WHERE id = 1", "old"},
			} {
				if got := c.ends(step[0]); got != step[1] {
					t.Fatalf("client %d: %s: %s, want %s", i, step[0], got, step[1])
				}
			}
		}
		if n := w.counter("weir_clients", "", ""); n != clients+1 {
			t.Errorf("%.0f clients are connected, want %d", n, clients+1)
		}
		if n := w.used(); n != 0 {
			t.Errorf("the idle clients hold %d connections to the server", n)
		}
		const pool = 64
		if n := w.status("Threads_connected") - threads; n > pool {
			t.Errorf("the server has %d connections more than before", n)
		}
		if n := w.status("Connections") - logins; n > pool+5 {
			t.Errorf("the server has let in %d connections", n)
		}
		if n := w.status("Aborted_clients") - aborted; n != 0 {
			t.Errorf("the server has lost %d clients", n)
		}
		if got := all[7].query("SELECT @@time_zone"); got != "+07:00" {
			t.Errorf("the time zone of client 7 is %s", got)
		}
	})
}

// ends runs a statement, and returns its value if it has one column and one row, and its outcome otherwise.
func (c *raw) ends(sql string) string {
	c.t.Helper()
	if strings.HasPrefix(sql, "SELECT v, ") {
		c.write(0, wire.ComQuery, sql)
		return c.finish()
	}
	return c.query(sql)
}

// A session holds a connection to the server only while it needs to. Each row is a session: after each statement, a dash
// for no connection, or a plus for one that is held.
func TestHoldsAConnectionOnlyWhileNeeded(t *testing.T) {
	const read = "SELECT v FROM shop.t WHERE id = 2 AND 0 = 0"
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.start(func(c *Config) { c.Writes = string(proxy.ToSource) })
		d, p := w.shop()
		d.run("CREATE TABLE shop.n (id INT AUTO_INCREMENT PRIMARY KEY, v INT) AUTO_INCREMENT = 10")
		d.run("CREATE TABLE shop.watched (v INT)")
		d.run("CREATE TRIGGER shop.seen BEFORE INSERT ON shop.watched FOR EACH ROW SET @seen = NEW.v")
		w.complete()
		defer p.hangUp()
		for name, steps := range map[string][]string{
			"reads":                {"- " + read, "- SELECT NOW() > 0", "- SHOW TABLES", "- SELECT CONNECTION_ID()"},
			"settings":             {"- SET NAMES utf8mb4", "- SET time_zone = '+01:00'", "- " + read, "- USE shop"},
			"transaction":          {"+ BEGIN", "+ " + read, "- COMMIT", "- " + read},
			"autocommit":           {"+ SET autocommit = 0", "+ " + read, "+ SET autocommit = 1", "- " + read},
			"rolled back":          {"+ START TRANSACTION", "- ROLLBACK"},
			"user variables":       {"+ SET @x = 1", "+ " + read, "+ SELECT @x = 1"},
			"temporary table":      {"+ CREATE TEMPORARY TABLE shop.tmp (a INT)", "+ " + read},
			"named lock":           {"+ SELECT GET_LOCK('a', 1)", "+ " + read, "+ SELECT RELEASE_LOCK('a')"},
			"locked tables":        {"+ LOCK TABLES shop.t READ", "+ " + read, "+ UNLOCK TABLES", "- " + read},
			"error":                {"+ SELECT nothing FROM shop.t", "- " + read},
			"warning":              {"+ SELECT 1/0", "+ SHOW WARNINGS", "- " + read},
			"found rows":           {"+ SELECT SQL_CALC_FOUND_ROWS v FROM shop.t LIMIT 1", "+ SELECT FOUND_ROWS()", "- " + read},
			"write":                {"+ UPDATE shop.n SET v = 5", "+ SELECT ROW_COUNT()", "- " + read},
			"writes":               {"+ INSERT INTO shop.n (v) VALUES (1)", "+ UPDATE shop.n SET v = 5", "- " + read, "+ DELETE FROM shop.n WHERE id < 5", "- " + read},
			"insert id":            {"+ INSERT INTO shop.n (v) VALUES (1)", "- " + read, "+ SELECT LAST_INSERT_ID() >= 10", "- " + read, "+ SELECT LAST_INSERT_ID() >= 10"},
			"write in transaction": {"+ BEGIN", "+ INSERT INTO shop.n (v) VALUES (1)", "+ COMMIT", "- " + read},
			"write with variables": {"+ UPDATE shop.n SET v = (@y := 5)", "+ " + read},
			"write with subquery":  {"+ INSERT INTO shop.n (v) SELECT 5", "+ " + read},
			"write with triggers":  {"+ INSERT INTO shop.watched VALUES (8)", "+ " + read, "+ SELECT @seen = 8"},
			"DDL":                  {"+ CREATE TABLE IF NOT EXISTS shop.made (a INT)", "+ " + read},
		} {
			t.Run(name, func(t *testing.T) {
				c := w.numbered(t, "app")
				defer c.conn.Close()
				for _, step := range steps {
					sql := step[2:]
					c.write(0, wire.ComQuery, sql)
					last := c.finish()
					c.command(wire.ComPing, "") // what follows a hit is done by now
					if got := w.used() == 1; got != (step[0] == '+') || w.used() > 1 {
						t.Errorf("%s (%s): connections held: %d", step, last, w.used())
					}
				}
				if last := steps[len(steps)-1][2:]; strings.Contains(last, " = ") && strings.HasPrefix(last, "SELECT @") || strings.Contains(last, ">= 10") {
					if got := c.query(last); got != "1" {
						t.Errorf("%s: %s", last, got)
					}
				}
				c.write(0, wire.ComQuit, "")
				c.said()
				w.eventually("its connection is free", func() bool { return w.used() == 0 })
			})
		}
	})
}

// What a session has left on its connection is nowhere to be found for others, and LAST_INSERT_ID() is its own for ever.
func TestPitfall27InsertIDTravels(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.start(func(c *Config) { c.Writes = string(proxy.ToSource) })
		d, _ := w.shop()
		d.run("CREATE TABLE shop.n (id INT AUTO_INCREMENT PRIMARY KEY, v BIGINT) AUTO_INCREMENT = 100")
		w.complete()
		const read = "SELECT v FROM shop.t WHERE id = 1 AND 1 = 1"
		a, b := w.numbered(t, "app"), w.numbered(t, "app")
		for i, step := range []struct {
			c         *numbered
			sql, want string
		}{
			{a, "INSERT INTO shop.n (v) VALUES (1), (2)", "OK"}, {a, read, "old"}, {b, "SELECT LAST_INSERT_ID()", "0"}, {b, read, "old"},
			{a, "SELECT LAST_INSERT_ID()", "100"}, {a, read, "old"},
			{b, "INSERT INTO shop.n (v) VALUES (3)", "OK"}, {a, "SELECT @@last_insert_id", "100"}, {b, read, "old"}, {a, read, "old"},
			{a, "SELECT 1/0", ""}, {a, "SELECT LAST_INSERT_ID()", "100"}, {a, read, "old"}, // held for its warning, it is another one
			{a, "INSERT INTO shop.n VALUES (500, LAST_INSERT_ID())", "OK"}, {a, read, "old"}, // an id that is given changes nothing
			{a, "SELECT v FROM shop.n WHERE id = 500", "100"}, {a, "SELECT LAST_INSERT_ID()", "100"}, {a, read, "old"},
			{b, "SELECT LAST_INSERT_ID()", "102"}, {b, "SELECT LAST_INSERT_ID(7)", "7"}, {b, read, "old"}, {b, "SELECT @@identity", "7"},
			{b, "BEGIN", "OK"}, {b, "SELECT LAST_INSERT_ID()", "7"}, {b, "COMMIT", "OK"}, {b, read, "old"},
			{a, "INSERT INTO shop.n (id, v) VALUES (NULL, 1), (500, 2)", "error 1062"}, {a, read, "old"},
			{a, "SELECT LAST_INSERT_ID() IN (100, 501, 502)", "1"}, // as the server has it after an error
			{a, "SELECT COUNT(*) FROM shop.n WHERE v = 100", "1"},
		} {
			if got := step.c.query(step.sql); got != step.want {
				t.Errorf("step %d: %s: %s, want %s", i, step.sql, got, step.want)
			}
		}
	})
}

// Clients that come, write and go cost the server neither logins nor disconnects, once there are some connections.
func TestPitfall53ClientsComeAndGo(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.start(func(c *Config) { c.Writes = string(proxy.ToSource) })
		d, p := w.shop()
		d.run("CREATE TABLE shop.n (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
		w.complete()
		p.run("SELECT NOW() > 0")
		logins, aborted := 0, w.status("Aborted_clients")
		for i := range 100 {
			if i == 40 { // the pool is as large as it gets
				logins = w.status("Connections")
			}
			c := w.numbered(t, "app")
			for _, sql := range []string{"SET NAMES utf8mb4", "BEGIN", "INSERT INTO shop.n (v) VALUES (1)", "COMMIT", "SELECT v FROM shop.t WHERE id = 1", "INSERT INTO shop.n (v) VALUES (2)"} {
				if got := c.query(sql); strings.HasPrefix(got, "error") {
					t.Fatalf("%s: %s", sql, got)
				}
			}
			if i%3 == 0 {
				c.query("BEGIN")
				c.query("INSERT INTO shop.n (v) VALUES (3)") // rolled back
			}
			if i%2 == 0 {
				c.write(0, wire.ComQuit, "")
			}
			c.conn.Close()
			w.eventually("its connection is free", func() bool { return w.used() == 0 })
		}
		if n := w.status("Connections") - logins; n > 2 {
			t.Errorf("the server has let in %d connections", n)
		}
		if n := w.status("Aborted_clients") - aborted; n != 0 {
			t.Errorf("the server has lost %d clients", n)
		}
		if got := w.watcher().ask("SELECT COUNT(*), SUM(v) FROM shop.n"); got != "COUNT(*)|SUM(v)\n200|300\n" {
			t.Errorf("the server has %q", got)
		}
	})
}
