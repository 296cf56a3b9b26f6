package daemon

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/ddlwatch/pace"
	"weir/ddlwatch/timeline"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// newShop is a world with a table of some rows, behind a Weir.
func newShop(t *testing.T, flavor sandbox.Flavor, configure func(*Config)) (*world, *client) {
	w := newWorld(t, sandbox.Options{Flavor: flavor}, configure)
	d := w.direct("app", "")
	d.run("CREATE DATABASE shop")
	d.run("USE shop")
	for _, table := range []string{"t", "other"} {
		d.run("CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT)")
		d.run("INSERT INTO " + table + " VALUES (1, 10), (2, 20), (3, 30)")
	}
	w.caughtUp()
	return w, d
}

// Readers of a table behind which an ALTER waits for an idle transaction hold no more than a few connections, what is
// cached is answered, other tables are not held up, the blocker is named, and everybody gets an answer in the end.
func TestPitfall54ReadersPileUpInWeirAndNotAtTheServer(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		const readers, limit = 40, 4
		w, d := newShop(t, flavor, func(c *Config) { c.DDL.Reads = limit })
		warm, other := w.proxy("app", "shop"), w.proxy("app", "shop")
		const cached = "SELECT v FROM t WHERE id = 1"
		warm.warm(cached)

		idle, alters := w.direct("app", "shop"), w.direct("app", "shop")
		idle.run("BEGIN")
		idle.run("SELECT * FROM t")
		var all sync.WaitGroup
		all.Go(func() { alters.run("ALTER TABLE t ADD COLUMN w INT") })
		w.eventually("the ALTER is seen to wait", func() bool {
			flying := w.weir.ddl.InFlight()
			return len(flying) == 1 && flying[0].Waiting
		})
		for i := range readers {
			c := w.proxy("app", "shop")
			all.Go(func() { c.run(fmt.Sprintf("SELECT %d + SUM(v) FROM t", i)) })
		}
		w.eventually("the readers wait", func() bool { return atGates(w) >= readers-limit })
		if got := atServer(d); got > limit {
			t.Errorf("%d readers wait at the server; at most %d may", got, limit)
		}
		if a, hit := warm.asked(cached); !hit || a != "v\n10\n" {
			t.Errorf("the cached result: %q, hit: %t", a, hit)
		}
		if got := other.ask("SELECT SUM(v) FROM other"); got != "SUM(v)\n60\n" {
			t.Errorf("the other table: %q", got)
		}
		if b := w.weir.ddl.InFlight()[0].Blocker; b == nil || b.Weir || b.User != "app" {
			t.Errorf("the blocker is %+v", b)
		}
		e := w.weir.ddl.Timeline().Events(time.Time{}, time.Time{})[0]
		if e.State != timeline.Running || !strings.Contains(e.Blocker, "of app@") {
			t.Errorf("the timeline says %+v", e)
		}
		idle.run("COMMIT")
		all.Wait()
	})
}

// Readers that come all at once, when nobody has seen yet that an ALTER waits: the first few are at the server, the
// others wait until that has been found out, and then until it is over.
func TestPitfall54BurstBehindALockThatNobodyHasSeen(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		const readers, first = 40, 8
		w, d := newShop(t, flavor, nil)
		idle, alters := w.direct("app", "shop"), w.direct("app", "shop")
		clients := make([]*client, readers)
		for i := range clients {
			clients[i] = w.proxy("app", "shop")
		}
		idle.run("BEGIN")
		idle.run("SELECT * FROM t")
		var all sync.WaitGroup
		all.Go(func() { alters.run("ALTER TABLE t ADD COLUMN w INT") })
		w.eventually("the ALTER waits", func() bool { return waitFor(d, "ALTER") == 1 })
		for i, c := range clients {
			all.Go(func() { c.run(fmt.Sprintf("SELECT %d + SUM(v) FROM t", i)) })
		}
		w.eventually("the readers wait", func() bool { return atGates(w) >= readers-first })
		w.eventually("the pile-up is known", func() bool {
			s := w.weir.ddl.Gates().State()
			return len(s) == 1 && s[0].Phase == pace.PhasePileUp
		})
		if got := atServer(d); got == 0 || got > first {
			t.Errorf("%d readers wait at the server; at most %d may", got, first)
		}
		idle.run("COMMIT")
		all.Wait()
	})
}

// atGates is how many readers wait at Weir's gates.
func atGates(w *world) (n int) {
	for _, s := range w.weir.ddl.Gates().State() {
		n += s.Waiting
	}
	return n
}

// atServer is how many reads wait for a metadata lock at the server.
func atServer(d *client) int { return waitFor(d, "SELECT") }

// waitFor is how many statements that begin with the word wait for a metadata lock at the server.
func waitFor(d *client, word string) (n int) {
	text := d.ask("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata lock%' AND INFO LIKE '" + word + "%'")
	fmt.Sscanf(string(text), "COUNT(*)\n%d", &n)
	return n
}

// After a change of shape the hottest statements are hits again before anybody asks, and the timeline says what happened.
func TestPitfall56TheHottestAreReadAgainByWeirItself(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, d := newShop(t, flavor, nil)
		c := w.proxy("app", "shop")
		const hot = "SELECT v FROM t WHERE id = 2"
		c.warm(hot)
		for range 2000 {
			c.run(hot)
		}
		d.run("ALTER TABLE t MODIFY v BIGINT")
		w.eventually("it is read again", func() bool {
			all := w.weir.ddl.Timeline().Events(time.Time{}, time.Time{})
			return all[0].Refill.Statements > 0 && all[0].Unservable > 0 && all[0].Effect == "shape" && len(all[0].Applied) == 1
		})
		if a, hit := c.asked(hot); !hit || a != "v\n20\n" {
			t.Errorf("%q, hit: %t", a, hit)
		}
	})
}

// A transaction through Weir that blocks an ALTER is named as a client's of Weir's.
func TestPitfall54TheBlockerIsAClientOfWeirs(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _ := newShop(t, flavor, func(c *Config) { c.Writes = "source" })
		c, alters := w.proxy("app", "shop"), w.direct("app", "shop")
		c.run("BEGIN")
		c.run("SELECT * FROM t")
		var all sync.WaitGroup
		all.Go(func() { alters.run("ALTER TABLE t ADD COLUMN w INT") })
		w.eventually("the blocker is named", func() bool {
			flying := w.weir.ddl.InFlight()
			return len(flying) == 1 && flying[0].Blocker != nil && flying[0].Blocker.Weir
		})
		c.run("COMMIT")
		all.Wait()
	})
}
