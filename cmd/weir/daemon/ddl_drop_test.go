package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// dropSize is how often the rows of the table that is thrown away are doubled: about 12 MB.
const dropSize = 16

// TestPitfall51DropWhileHitsGoOn: a DROP or a TRUNCATE of a large table holds up everything that is at the server. What
// is cached of other tables is not there: hits come while no answer of the server gets through, as long as the statement
// waits, and while it runs.
func TestPitfall51DropWhileHitsGoOn(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) { dropsWhileHitsGoOn(t, flavor, "OFF") })
}

// TestPitfall52DropWithAdaptiveHashIndex does the same to tables whose pages the adaptive hash index points to, and from
// where the server must take it out.
func TestPitfall52DropWithAdaptiveHashIndex(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) { dropsWhileHitsGoOn(t, flavor, "ON") })
}

func dropsWhileHitsGoOn(t *testing.T, flavor sandbox.Flavor, adaptiveHashIndex string) {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--innodb-adaptive-hash-index=" + adaptiveHashIndex}})
	network := newRelay(t, w.source.Addr())
	w.start(func(c *Config) { c.Backends = []Backend{{Addr: network.addr()}} })
	d, p := w.shop()
	if got := d.ask("SELECT @@innodb_adaptive_hash_index AS a"); got != answer("a\n"+map[string]string{"ON": "1", "OFF": "0"}[adaptiveHashIndex]+"\n") {
		t.Fatalf("the adaptive hash index is %q", got)
	}
	for _, sql := range []string{"TRUNCATE TABLE big", "DROP TABLE big"} {
		w.fillsBig(d)
		w.complete()
		p.warm(one)
		network.holdAnswers()
		p.hitsWhile(d, sql)
		network.pass()
		w.complete()
		if got, hit := p.asked(one); got != oldRow || !hit {
			t.Errorf("after %s: %q, a hit: %v", sql, got, hit)
		}
	}
}

// fillsBig makes the table shop.big, and looks for many of its rows.
func (w *world) fillsBig(d *client) {
	w.t.Helper()
	d.run("DROP TABLE IF EXISTS big")
	d.run("CREATE TABLE big (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, pad CHAR(120) NOT NULL DEFAULT 'x', KEY (k))")
	d.run("INSERT INTO big (k) VALUES (1)")
	for range dropSize {
		d.run("INSERT INTO big (k) SELECT k + 1 FROM big")
	}
	for range 3 { // a join looks up each row by its key
		d.run("SELECT COUNT(*) FROM big a STRAIGHT_JOIN big b ON b.id = a.id")
	}
}

// hitsWhile asks for what is cached while the source carries out the statement: as long as another session's lock keeps it
// waiting, and until it is done.
func (p *client) hitsWhile(d *client, sql string) {
	w := p.world
	w.t.Helper()
	blocker := w.direct("app", "shop")
	blocker.run("BEGIN")
	blocker.run("SELECT id FROM big LIMIT 1")
	done := make(chan answer, 1)
	go func() { done <- d.ask(sql) }()
	w.eventually("the statement waits", func() bool {
		return w.watcher().ask("SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE INFO = '"+sql+"' AND STATE LIKE '%metadata lock%'") == "n\n1\n"
	})
	asked, hits := 0, 0
	for waits := true; ; {
		select {
		case a := <-done:
			if err := succeeds(a); err != nil || asked < 10 || hits != asked {
				w.t.Errorf("%s: %v; %d hits of %d, want at least 10, and all", sql, err, hits, asked)
			}
			return
		default:
		}
		got, hit := p.asked(one)
		if asked++; hit && got == oldRow {
			hits++
		}
		if asked == 10 && waits {
			waits = false
			blocker.run("COMMIT")
		}
	}
}
