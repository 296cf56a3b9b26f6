package daemon

import (
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// The stream's connection is open, and nothing comes: the probe's answers still come in the first round, nothing at all
// in the second. An answer that was asked for max_staleness after a change has that change, and when the network works
// again, so does the cache.
func TestPitfall13DeafStream(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network := behind(t, flavor, false)
		d, p := w.shop()
		for name, silence := range map[string]func(){"dumps": network.holdDumps, "all": network.holdAll} {
			p.warm(one)
			silence()
			d.run("UPDATE t SET v = '" + name + "' WHERE id = 1")
			if hits := p.rightAfter(time.Now(), one, answer("v\n"+name+"\n")); hits > 0 {
				t.Errorf("%s: %d hits while the stream was deaf for longer than max_staleness", name, hits)
			}
			network.pass()
			w.works(d, p, "after "+name)
		}
	})
}

// Two Weirs give the same server id to their source, which ends the stream of the one when the other comes. Each of
// them answers within the bound all the time, and when one has gone, the other has hits again.
func TestPitfall13TwoReadersWithOneServerID(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		a := newSource(t, sandbox.Options{Flavor: flavor})
		b := &world{t: t, flavor: flavor, source: a.source}
		same := func(c *Config) { c.Source.ServerID = 4711 }
		a.start(same)
		d, _ := a.shop()
		var k clock
		k.start(d)
		b.start(same)

		stop := make(chan struct{})
		var all sync.WaitGroup
		for _, w := range []*world{a, b} {
			p := w.proxy("app", "shop")
			until(t, &all, stop, func() error { return k.check(p) })
		}
		for i := 0; i < 250; i++ {
			if err := k.tick(d); err != nil {
				t.Error(err)
			}
			<-time.After(10 * time.Millisecond)
		}
		close(stop)
		all.Wait()
		// MySQL tells replicas apart by UUID, too, and lets both be.
		if flavor == sandbox.MariaDB && a.counter("weir_stream_reconnects_total", "", "") == 0 {
			t.Error("the stream was not ended; the test shows nothing")
		}
		want := d.ask(clockQuery)
		done := time.Now()
		a.proxy("app", "shop").rightAfter(done, clockQuery, want)
		b.proxy("app", "shop").rightAfter(done, clockQuery, want)
		b.stop()
		a.works(d, a.proxy("app", "shop"), "after")
	})
}

// What is not in the binlog nobody who reads it can know: the answer is old until something else touches what it
// depends on.
// With max_age an answer is not kept for longer than that.
func TestPitfall15WritesThatAreNotLogged(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		d, p := w.shop()
		p.warm(one)
		d.run("SET sql_log_bin = 0")
		d.run("UPDATE t SET v = 'unseen' WHERE id = 1")
		d.run("SET sql_log_bin = 1")
		w.caughtUp()
		if got, hit := p.asked(one); got != "v\nold\n" || !hit {
			t.Errorf("Weir answers %q (hit: %v); README.md says that it does not see such writes", got, hit)
		}
		d.run("UPDATE t SET v = 'seen' WHERE id = 1")
		w.caughtUp()
		if got := p.ask(one); got != "v\nseen\n" {
			t.Errorf("after a change to the row Weir answers %q", got)
		}
	})
}

func TestPitfall15MaxAgeBoundsTheDamage(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Cache.MaxAge = Duration(time.Second) })
		d, p := w.shop()
		p.warm(one)
		d.run("SET sql_log_bin = 0")
		d.run("UPDATE t SET v = 'unseen' WHERE id = 1")
		if got := p.rightAfter(time.Now(), one, "v\nunseen\n"); got == 0 {
			t.Error("there were no hits after max_age; the new answer must be kept, too")
		}
	})
}
