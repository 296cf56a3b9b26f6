package daemon

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// Ways to a stale answer, or to somebody else's, that need two Weirs and what they leave for each other. Each is tried on
// one fleet, in a schema of its own; and everything that was compared is compared once more five seconds after the last.
func TestFleetStale(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFleet(t, sandbox.Options{Flavor: flavor})
		f.join(func(c *Config) { c.Writes, c.Cache.Transactions = "source", "snapshot" })
		f.join(func(c *Config) { c.Writes, c.Cache.Transactions = "source", "snapshot" })
		sandboxtest.Exec(t, f.source, "CREATE USER app2@'%' IDENTIFIED BY 'app2-secret'")
		var all []*fleetCase
		for i, try := range fleetTries {
			c := &fleetCase{fleet: f, schema: fmt.Sprintf("case%d", i)}
			began := time.Now()
			c.begin()
			try.do(c)
			t.Logf("%s: %s", try.name, time.Since(began).Round(time.Millisecond))
			all = append(all, c)
		}
		<-time.After(5 * time.Second) // a stale refill shows only later
		for _, c := range all {
			c.again()
		}
	})
}

// fleetCase is one try.
type fleetCase struct {
	*fleet
	schema string
	d      *client
	all    []*client // through each Weir
	asked  []string
}

func (c *fleetCase) begin() {
	c.t.Helper()
	c.direct("app", "").run("CREATE DATABASE " + c.schema)
	c.d = c.direct("app", c.schema)
	c.change("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(40)) ENGINE=InnoDB", "INSERT INTO t VALUES (1, 'old'), (2, 'other')")
	c.all = c.clients("app")
}

func (c *fleetCase) clients(user string) (all []*client) {
	for _, m := range c.weirs {
		all = append(all, m.proxy(user, c.schema))
	}
	return all
}

// change runs statements at the source, and waits until both Weirs have recorded them.
func (c *fleetCase) change(statements ...string) {
	c.t.Helper()
	for _, sql := range statements {
		c.d.run(sql)
	}
	c.fleet.caughtUp()
}

// shared has the first Weir leave the answer in Redis.
func (c *fleetCase) shared(query string) {
	c.t.Helper()
	c.all[0].warm(query)
}

// same compares the answers of both Weirs with the source's: from what is in Redis at first, which the one that has answered
// might set right for the other; then from memory, from Redis again, and from memory again.
func (c *fleetCase) same(queries ...string) {
	c.t.Helper()
	for _, query := range queries {
		c.asked = append(c.asked, query)
		c.compare(query)
	}
}

func (c *fleetCase) compare(query string) {
	c.t.Helper()
	want := c.d.ask(query)
	c.weirs[1].weir.cache.Clear()
	for n, with := range []string{"", " with nothing in memory", " after that"} {
		if n == 1 {
			c.forget()
		}
		for i := range c.all {
			if n == 0 {
				i = len(c.all) - 1 - i
			}
			if got := c.all[i].ask(query); got != want {
				c.t.Errorf("%s: Weir %d answers %s%s with %q; the source says %q", c.schema, i+1, query, with, got, want)
			}
		}
	}
}

func (c *fleetCase) again() {
	c.all = c.clients("app") // those from before may be of a Weir that has been stopped
	for _, query := range c.asked {
		c.compare(query)
	}
}

// eachSays expects the same of both Weirs, with nothing in memory, and then with whatever that has brought.
func eachSays(f *fleet, all []*client, query string, want answer) {
	f.t.Helper()
	f.forget()
	for range 2 {
		for i, p := range all {
			if got := p.ask(query); got != want {
				f.t.Errorf("Weir %d answers %s with %q, want %q", i+1, query, got, want)
			}
		}
	}
}

var fleetTries = []struct {
	name string
	do   func(*fleetCase)
}{
	{"a change", (*fleetCase).aChange},
	{"definitions", (*fleetCase).definitions},
	{"a view that is made anew", (*fleetCase).views},
	{"a definition while one is down", (*fleetCase).definitionWhileDown},
	{"changes while one is down", (*fleetCase).changesWhileDown},
	{"changes while all are down", (*fleetCase).changesWhileAllAreDown},
	{"rights", (*fleetCase).rights},
	{"rights while one is down", (*fleetCase).rightsWhileDown},
	{"sessions", (*fleetCase).sessions},
	{"own writes", (*fleetCase).ownWrites},
	{"a snapshot", (*fleetCase).snapshot},
	{"rows that only one watches", (*fleetCase).watchedByOne},
	{"a second history", (*fleetCase).secondHistory},
}

func (c *fleetCase) aChange() {
	c.shared(one)
	c.same(one)
	for _, v := range []string{"a", "b", "c"} {
		c.change("UPDATE t SET v = '" + v + "' WHERE id = 1")
		c.same(one, "SELECT COUNT(*) FROM t", "SELECT v FROM t WHERE id = 2")
	}
}

// definitions: the text stays, and what it means does not.
func (c *fleetCase) definitions() {
	queries := []string{"SELECT * FROM t WHERE id = 1", one, "SELECT v FROM t WHERE v = 'OLD'"}
	for _, change := range [][]string{
		{"ALTER TABLE t ADD COLUMN w INT DEFAULT 7 FIRST"},
		{"ALTER TABLE t MODIFY v VARCHAR(40) COLLATE utf8mb4_bin"},
		{"CREATE TABLE u LIKE t", "INSERT INTO u VALUES (9, 1, 'swapped')", "RENAME TABLE t TO s, u TO t"},
		{"RENAME TABLE t TO u, s TO t"},
		{"TRUNCATE TABLE t"},
		{"DROP TABLE t"},
		{"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(40))", "INSERT INTO t VALUES (1, 'anew')"},
		{"ALTER TABLE t DROP COLUMN v"},
		{"DROP DATABASE " + c.schema, "CREATE DATABASE " + c.schema, "USE " + c.schema, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(40))"},
	} {
		for _, query := range queries {
			for range 3 { // as it may have failed
				c.all[0].ask(query)
			}
		}
		c.change(change...)
		for _, p := range c.all {
			p.run("USE " + c.schema)
		}
		c.same(queries...)
	}
}

// views: what the first Weir stores by the new definition must not be judged by what the second knows of the old one.
func (c *fleetCase) views() {
	c.change("CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(40))", "INSERT INTO u VALUES (1, 'in u')", "CREATE VIEW w AS SELECT id, v FROM t")
	query := "SELECT v FROM w WHERE id = 1"
	for i, table := range []string{"u", "t", "u"} {
		c.shared(query)
		c.same(query)
		c.change("CREATE OR REPLACE VIEW w AS SELECT id, v FROM " + table)
		c.shared(query)
		c.change(fmt.Sprintf("UPDATE %s SET v = 'changed %d' WHERE id = 1", table, i))
		c.same(query)
	}
}

// definitionWhileDown: the second Weir has not seen it, and finds what was stored before it.
func (c *fleetCase) definitionWhileDown() {
	c.shared(one)
	c.shared("SELECT * FROM t")
	c.down(1, true, func() { c.d.run("ALTER TABLE t ADD COLUMN w INT DEFAULT 7 FIRST") })
	c.same("SELECT * FROM t", one)
	c.down(1, false, func() { c.d.run("ALTER TABLE t MODIFY v CHAR(30) NULL FIRST, DROP w, ALGORITHM=COPY") })
	c.same("SELECT * FROM t", one)
}

// changesWhileDown: of rows whose answers are in Redis, and of others.
func (c *fleetCase) changesWhileDown() {
	other := "SELECT v FROM t WHERE id = 2"
	for i, crash := range []bool{true, false, true} {
		c.all[1].warm(one)
		c.all[1].warm(other)
		c.down(1, crash, func() { c.d.run(fmt.Sprintf("UPDATE t SET v = 'changed %d' WHERE id = 1", i)) })
		c.same(one, other)
		c.shared(one)
		c.down(0, crash, func() { c.d.run(fmt.Sprintf("UPDATE t SET v = 'changed again %d' WHERE id = 1", i)) })
		c.same(one, other)
	}
}

// changesWhileAllAreDown: and Redis has lost what they have left of where they were, so that none of them has seen the
// change. Or it has not, and they have.
func (c *fleetCase) changesWhileAllAreDown() {
	k := c.trickster(rand.New(rand.NewPCG(1, 1)))
	for i := range 3 {
		c.shared(one)
		c.shared("SELECT v FROM t WHERE id = 2")
		for n, m := range c.weirs {
			c.all[n].hangUp()
			m.end(true)
		}
		c.d.run(fmt.Sprintf("UPDATE t SET v = 'changed %d' WHERE id = 1", i))
		if i < 2 {
			k.loseNotes()
		}
		for n, m := range c.weirs {
			m.launch(m.configure)
			c.all[n] = m.proxy("app", c.schema)
		}
		c.fleet.caughtUp()
		c.same(one, "SELECT v FROM t WHERE id = 2")
	}
}

// down stops a Weir, does something meanwhile, starts it again, and waits for it.
func (c *fleetCase) down(n int, crash bool, meanwhile func()) {
	c.t.Helper()
	c.all[n].hangUp()
	c.weirs[n].end(crash)
	meanwhile()
	c.weirs[n].launch(c.weirs[n].configure)
	c.all[n] = c.weirs[n].proxy("app", c.schema)
	for _, query := range []string{one, "SELECT * FROM t"} { // while it looks for its place
		if got, want := c.all[n].ask(query), c.d.ask(query); got != want {
			c.t.Errorf("%s: right after the start Weir %d answers %s with %q; the source says %q", c.schema, n+1, query, got, want)
		}
	}
	c.fleet.caughtUp()
}

// rights: of an account whose answer is in Redis, and which is asked for by the other Weir, where it was logged in before.
func (c *fleetCase) rights() {
	grant, revoke := "GRANT SELECT ON "+c.schema+".t TO app2@'%'", "REVOKE SELECT ON "+c.schema+".t FROM app2@'%'"
	c.change("CREATE TABLE another (id INT)", "GRANT SELECT ON "+c.schema+".another TO app2@'%'") // to be let in
	theirs := []*client{c.weirs[0].proxy("app2", c.schema), c.weirs[1].proxy("app2", c.schema)}
	c.shared(one)
	for range 3 {
		eachSays(c.fleet, theirs, one, "error 1142")
		c.change(grant)
		theirs[0].warm(one)
		eachSays(c.fleet, theirs, one, "v\nold\n")
		c.change(revoke)
		c.shared(one)
	}
	eachSays(c.fleet, theirs, one, "error 1142")
}

// rightsWhileDown: the right is taken away while the second Weir cannot see it.
func (c *fleetCase) rightsWhileDown() {
	c.change("GRANT SELECT ON " + c.schema + ".* TO app2@'%'")
	first := c.weirs[0].proxy("app2", c.schema)
	first.warm(one)
	c.down(1, true, func() {
		c.d.run("CREATE TABLE still (id INT)")
		c.d.run("REVOKE SELECT ON " + c.schema + ".* FROM app2@'%'")
		c.d.run("GRANT SELECT ON " + c.schema + ".still TO app2@'%'")
	})
	eachSays(c.fleet, []*client{first, c.weirs[1].proxy("app2", c.schema)}, one, "error 1142")
	c.same(one)
}

// sessions: one text, and settings that change what it gives. The first Weir stores it under each; the second one asks
// under each, in the other order.
func (c *fleetCase) sessions() {
	c.change("INSERT INTO t VALUES (3, 'o'), (4, 'ö'), (5, '1')", "CREATE TABLE at (id INT PRIMARY KEY, at TIMESTAMP)", "INSERT INTO at VALUES (1, '2024-05-01 10:00:00')")
	texts := []string{"SELECT v || 'x' FROM t WHERE id = 5", `SELECT "v" FROM t WHERE id = 1`, "SELECT at FROM at WHERE id = 1", "SELECT GROUP_CONCAT(v ORDER BY id) FROM t", "SELECT id FROM t ORDER BY id", "SELECT v FROM t WHERE id = 4", "SELECT v = 'O', v FROM t WHERE id = 3"}
	settings := []string{"", "SET sql_mode = 'PIPES_AS_CONCAT'", "SET sql_mode = 'ANSI_QUOTES'", "SET sql_mode = 'ANSI'", "SET time_zone = '+05:00'", "SET time_zone = '-03:00'", "SET group_concat_max_len = 4", "SET sql_select_limit = 2", "SET NAMES latin1", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET character_set_results = NULL"}
	ask := func(m *member, setting string) {
		p, d := m.proxy("app", c.schema), c.direct("app", c.schema)
		defer p.hangUp()
		defer d.hangUp()
		if setting != "" {
			p.run(setting)
			d.run(setting)
		}
		for _, text := range texts {
			want := d.ask(text)
			for range 2 {
				if got := p.ask(text); got != want {
					c.t.Errorf("after %q, %s gives %q, want %q", setting, text, got, want)
				}
			}
		}
	}
	for _, setting := range settings {
		ask(c.weirs[0], setting)
	}
	for i := range settings {
		c.weirs[1].weir.cache.Clear()
		ask(c.weirs[1], settings[len(settings)-1-i])
	}
}

// ownWrites: a session's reads contain its writes, whatever the other Weir has left in Redis a moment ago.
func (c *fleetCase) ownWrites() {
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	until(c.t, &all, stop, func() error {
		c.weirs[0].weir.cache.Clear()
		return succeeds(c.all[0].ask(one))
	})
	for i := range 200 {
		v := fmt.Sprintf("own %d", i)
		c.all[1].run("UPDATE t SET v = '" + v + "' WHERE id = 1")
		c.weirs[1].weir.cache.Clear()
		if got := c.all[1].ask(one); got != answer("v\n"+v+"\n") {
			c.t.Fatalf("after its own UPDATE to %q, the session is told %q", v, got)
		}
	}
}

// snapshot: what the first Weir has left in Redis is newer than the transaction that the second one is asked in.
func (c *fleetCase) snapshot() {
	both := []string{"SELECT v FROM t WHERE id = 2", one}
	for i := range 5 {
		c.same(both...)
		p := c.all[1]
		p.run("START TRANSACTION READ ONLY")
		before := []answer{p.ask(both[0]), ""}
		c.change(fmt.Sprintf("UPDATE t SET v = CONCAT('changed %d ', id)", i))
		for _, query := range both {
			c.shared(query)
		}
		c.weirs[1].weir.cache.Clear()
		for range 2 {
			if got := p.ask(both[0]); got != before[0] {
				c.t.Errorf("in the transaction the row is %q, and was %q", got, before[0])
			}
			if got := p.ask(one); strings.Contains(string(got), fmt.Sprintf("changed %d", i)) {
				c.t.Errorf("in the transaction, which had begun before the change, the other row is %q", got)
			}
		}
		p.run("COMMIT")
		c.same(both...)
	}
}

// watchedByOne: the second Weir has just been started and has never been asked for rows of the table, so that its ledger
// knows nothing of single rows; and then both know.
func (c *fleetCase) watchedByOne() {
	k := c.trickster(rand.New(rand.NewPCG(1, 2)))
	c.change("CREATE TABLE w (id INT PRIMARY KEY, k VARCHAR(20), n INT, KEY (k))", "INSERT INTO w VALUES (1, 'a', 1), (2, 'b', 2), (3, 'a', 3)")
	queries := []string{"SELECT n FROM w WHERE k = 'a' ORDER BY id", "SELECT n FROM w WHERE k = 'B'", "SELECT n FROM w WHERE id BETWEEN 2 AND 3 ORDER BY id", "SELECT n FROM w WHERE id = 3"}
	for i, sql := range []string{"UPDATE w SET n = n + 1 WHERE id = 3", "UPDATE w SET k = 'b' WHERE id = 3", "DELETE FROM w WHERE id = 2", "INSERT INTO w VALUES (2, 'A', 4)", "UPDATE w SET n = n + 1 WHERE k = 'a'"} {
		c.down(1, i%2 == 0, k.loseNotes)
		for _, query := range queries {
			c.shared(query)
		}
		if i%2 == 0 {
			c.all[1].ask(queries[i%len(queries)])
		}
		c.change(sql)
		c.same(queries...)
	}
}

// secondHistory: the source forgets its binlogs, and in the same second begins a file of the same name in which the same
// places mean something else. What one Weir stored in the first of them must mean nothing to anybody in the second.
func (c *fleetCase) secondHistory() {
	begin := func(value string) {
		for i, m := range c.weirs {
			c.all[i].hangUp()
			m.end(i == 0)
		}
		c.d.run(c.say("RESET BINARY LOGS AND GTIDS", "RESET MASTER"))
		c.d.run("UPDATE t SET v = '" + value + "' WHERE id = 1")
		for i, m := range c.weirs {
			m.launch(m.configure)
			c.all[i] = m.proxy("app", c.schema)
		}
		c.fleet.caughtUp()
	}
	for i := range 3 {
		begin(fmt.Sprintf("first  %d", i))
		for range 20 {
			c.forget()
			c.all[0].ask(one)
		}
		begin(fmt.Sprintf("second %d", i))
		c.same(one)
	}
}
