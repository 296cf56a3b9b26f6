package daemon

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
)

// When Weir stops while readers pile up behind an ALTER, those that wait in Weir are told at once, those at the server when
// the time for that is over, all of them the same; and afterwards no read of Weir's waits at the server.
func TestPitfall54NothingStaysAtTheServerWhenWeirStops(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		const readers, limit = 40, 4
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.seams.proxy = func(c *proxy.Config) { c.DrainTimeout = 4 * time.Second }
		d := w.direct("app", "")
		d.run("CREATE DATABASE shop")
		d.run("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)")
		w.start(func(c *Config) { c.DDL.Reads = limit })
		w.caughtUp()

		idle, alters := w.direct("app", "shop"), w.direct("app", "shop")
		idle.run("BEGIN")
		idle.run("SELECT * FROM t")
		var alter sync.WaitGroup
		alter.Go(func() { alters.run("ALTER TABLE t ADD COLUMN w INT") })
		defer func() { idle.run("COMMIT"); alter.Wait() }()
		w.eventually("the ALTER is seen to wait", func() bool {
			flying := w.weir.ddl.InFlight()
			return len(flying) == 1 && flying[0].Waiting
		})
		answers := make(chan answer, readers)
		for i := range readers {
			c := w.proxy("app", "shop")
			go func() { answers <- c.ask(fmt.Sprintf("SELECT %d + SUM(v) FROM t", i)) }()
		}
		w.eventually("some are at the server, and the others wait", func() bool {
			at := readsLeft(d)
			return at > 0 && at <= limit && atGates(w) == readers-at
		})
		waiting := atGates(w)

		ended := make(chan struct{})
		go func() { defer close(ended); w.stop() }()
		told := func() {
			if got := <-answers; got != "error 1053" {
				t.Errorf("a reader is told %q", got)
			}
		}
		for range waiting {
			told()
		}
		if n := readsLeft(d); n != readers-waiting {
			t.Errorf("when those have been told that waited in Weir, %d reads are at the server, want %d", n, readers-waiting)
		}
		<-ended
		if n := readsLeft(d); n != 0 {
			t.Errorf("%d reads stay at the server", n)
		}
		for range readers - waiting {
			told()
		}
	})
}

// readsLeft is how many reads of the table the server works on.
func readsLeft(d *client) (n int) {
	text := d.ask("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT % + SUM(v) FROM t'")
	fmt.Sscanf(string(text), "COUNT(*)\n%d", &n)
	return n
}
