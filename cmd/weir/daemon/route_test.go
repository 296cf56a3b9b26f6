package daemon

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
)

// uncached is a read that is never a hit, so that it shows which server is asked. (SQL_NO_CACHE would leave a warning on
// MySQL, for which the session stays with its connection.)
const uncached = "SELECT v FROM t WHERE id = 1 AND @@port > 0"

const oldRow, newRow = answer("v\nold\n"), answer("v\nnew\n")

// behindReplicas starts a source with n replicas, which answer the reads, and a Weir with the table shop.t.
func behindReplicas(t *testing.T, flavor sandbox.Flavor, n int, tune func(*proxy.Config), configure func(*Config)) (w *world, replicas []*sandbox.Server, d, p *client) {
	t.Helper()
	w = newSource(t, sandbox.Options{Flavor: flavor})
	var backends []Backend
	for range n {
		r := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.must(r.CatchUp(t.Context()))
		replicas, backends = append(replicas, r), append(backends, Backend{Addr: r.Addr()})
	}
	w.seams.proxy = tune
	w.start(func(c *Config) {
		c.Backends, c.MaxLag = backends, 0
		if configure != nil {
			configure(c)
		}
	})
	d, p = w.shop()
	for _, r := range replicas {
		w.must(r.CatchUp(t.Context()))
	}
	return w, replicas, d, p
}

func (w *world) stopApplying(r *sandbox.Server) {
	w.t.Helper()
	w.must(r.StopReplica(w.t.Context(), "SQL"))
}

func (w *world) applyAgain(r *sandbox.Server) {
	w.t.Helper()
	w.must(r.StartReplica(w.t.Context(), "SQL"))
	w.must(r.CatchUp(w.t.Context()))
}

// always asks some times over, so that every server that could be asked is.
func (c *client) always(query string, want answer) {
	c.world.t.Helper()
	for range 12 {
		if got := c.ask(query); got != want {
			c.world.t.Fatalf("%s: got %q, want %q", query, got, want)
		}
	}
}

// asks reports whether the server is among those that answer the client's reads.
func (c *client) asks(s *sandbox.Server) bool {
	for range 12 {
		if c.ask("SELECT @@port") == answer(fmt.Sprintf("@@port\n%d\n", s.Port)) {
			return true
		}
	}
	return false
}

func (w *world) toSource(reason string) float64 {
	return w.counter("weir_reads_to_source_total", "reason", reason)
}

// A session sees its own writes, whatever the replica that its reads go to has applied: also once the ledger is complete
// as of the write, and then without waiting for the replica. Others' reads go to the replica all the while.
func TestReadYourWritesFromAReplicaThatLags(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, _, p := behindReplicas(t, flavor, 1, nil, func(c *Config) { c.Writes = "source" })
		other := w.proxy("app", "shop")
		p.always(uncached, oldRow)
		w.stopApplying(replicas[0])
		p.run(update)
		p.always(uncached, newRow)
		w.complete()
		p.always(uncached, newRow)
		p.always("SELECT v, 1 FROM t WHERE id = 1", "v|1\nnew|1\n")
		p.always("SHOW TABLES", "Tables_in_shop\nt\n")
		other.always(uncached, oldRow)
		if n := w.toSource("own_write"); n == 0 {
			t.Error("no read is counted as sent to the source for the session's own write")
		}
		w.applyAgain(replicas[0])
		before := w.toSource("own_write")
		p.always("SELECT v, 2 FROM t WHERE id = 1", "v|2\nnew|2\n")
		if n := w.toSource("own_write"); n != before {
			t.Errorf("the replica has caught up, and %.0f reads went to the source", n-before)
		}
		p.warm(one)
		p.always(one, newRow)
	})
}

// What a session commits in other ways than by a plain statement is its own write, too.
func TestReadYourWritesOfAllKinds(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, _, p := behindReplicas(t, flavor, 1, nil, func(c *Config) { c.Writes = "source" })
		p.run("CREATE PROCEDURE shop.setv(x VARCHAR(20)) UPDATE shop.t SET v = x WHERE id = 1")
		w.must(replicas[0].CatchUp(t.Context()))
		w.stopApplying(replicas[0])
		for i, statements := range [][]string{
			{"BEGIN", "UPDATE t SET v = 'VALUE' WHERE id = 1", "COMMIT"},
			{"SET autocommit = 0", "UPDATE t SET v = 'VALUE' WHERE id = 1", "SET autocommit = 1"},
			{"CALL setv('VALUE')"},
			{"UPDATE t SET v = 'x' WHERE id = 2; UPDATE t SET v = 'VALUE' WHERE id = 1"},
			{"BEGIN", "UPDATE t SET v = 'VALUE' WHERE id = 1", "CREATE TABLE another (a INT)"},
		} {
			value := fmt.Sprintf("value%d", i)
			session := w.proxy("app", "shop")
			for _, sql := range statements {
				session.run(strings.ReplaceAll(sql, "VALUE", value))
			}
			w.complete()
			for range 3 {
				if got := session.ask(uncached); got != answer("v\n"+value+"\n") {
					t.Errorf("after %q the session reads %q", statements, got)
				}
			}
		}
	})
}

// position is where the source's last transaction stands, as a client would be told it.
func (w *world) position(d *client) string {
	w.t.Helper()
	row := string(d.ask(w.say("SELECT @@global.gtid_executed", "SELECT @@last_gtid")))
	_, value, _ := strings.Cut(row, "\n")
	return strings.ReplaceAll(strings.TrimSpace(value), "\n", "")
}

// A session that was told the position of somebody else's write reads as of that position, from a replica that has it or
// else from the source; also before the ledger has recorded it, since it waits for that.
func TestWaitFor(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 2, func(c *proxy.Config) { c.WaitFor = time.Second }, nil)
		other := w.proxy("app", "shop")
		base := w.position(d)
		p.warm(one)
		for _, r := range replicas {
			w.stopApplying(r)
		}
		d.run(update)
		p.run("SET weir_wait_for = '" + w.position(d) + "'")
		p.always(one, newRow)
		p.always(uncached, newRow)
		for _, forms := range [][]string{{"SELECT 1; " + uncached}, {"BEGIN", uncached}} {
			session := w.proxy("app", "shop") // which stays with the connection that it gets
			session.run("SET weir_wait_for = '" + w.position(d) + "'")
			for _, sql := range forms[:len(forms)-1] {
				session.run(sql)
			}
			if got := session.ask(forms[len(forms)-1]); !strings.HasSuffix(string(got), string(newRow)) {
				t.Errorf("%q: got %q", forms, got)
			}
		}
		other.always(uncached, oldRow)
		bound := w.proxy("app", "shop")
		bound.run("SET @x = 1") // from here on it stays with a replica
		bound.run("SET weir_wait_for = '" + w.position(d) + "'")
		bound.always(uncached, "error 1105")
		bound.run("SET weir_wait_for = ''")
		bound.always(uncached, oldRow)

		w.applyAgain(replicas[1])
		before := w.toSource("wait_for")
		p.always(uncached, newRow)
		if n := w.toSource("wait_for"); n != before {
			t.Errorf("one replica has the position, and %.0f reads went to the source", n-before)
		}

		for value, want := range map[string]answer{
			"nonsense": "error 1231", "0-1": "error 1231",
			w.say("0-1-1", "3e11fa47-71ca-11e1-9e33-c80aa9429562:1"):   "error 1231",
			w.say("3e11fa47-71ca-11e1-9e33-c80aa9429562:1", "1-2-3-4"): "error 1231",
			later(w.position(d)): "error 1105",
		} {
			if got := p.ask("SET weir_wait_for = '" + value + "'"); got != want {
				t.Errorf("SET weir_wait_for = %q: got %q, want %q", value, got, want)
			}
		}
		p.always(uncached, newRow) // an error takes nothing back

		p.run("SET weir_wait_for = DEFAULT")
		p.eventually(uncached, oldRow) // from the replica that is stopped, again
		p.run("SET SESSION weir_wait_for = '" + base + "'")
		p.eventually(uncached, oldRow) // which has what was there before
	})
}

// A wait that times out proves nothing: what is then read from a replica that lags is not kept.
func TestPitfall2WaitForThatTimesOut(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 2, func(c *proxy.Config) { c.WaitFor = 100 * time.Millisecond }, nil)
		for _, r := range replicas {
			w.stopApplying(r)
		}
		d.run(update)
		w.caughtUp()
		if got := p.ask("SET weir_wait_for = '" + later(w.position(d)) + "'"); got != "error 1105" {
			t.Errorf("a position that does not come: got %q", got)
		}
		p.always(one, oldRow)
		for _, r := range replicas {
			w.applyAgain(r)
		}
		p.always(one, newRow)
		p.warm(one)
		p.always(one, newRow)
	})
}

// eventually asks until the answer is the wanted one.
func (c *client) eventually(query string, want answer) {
	c.world.t.Helper()
	c.world.eventually(fmt.Sprintf("%s gives %q", query, want), func() bool { return c.ask(query) == want })
}

// later returns a position a thousand transactions after the first number's.
func later(position string) string {
	at := strings.LastIndexAny(position, "-:") + 1
	n, err := strconv.Atoi(position[at:])
	if err != nil {
		return err.Error()
	}
	if i := strings.IndexByte(position, ':'); i >= 0 {
		return fmt.Sprintf("%s:%d", position[:i], n+1000)
	}
	return fmt.Sprintf("%s%d", position[:at], n+1000)
}

// Under routing: fresh no read is older than what is recorded when it is asked: it goes to a replica that has what has
// changed, or else to the source, which is none of the backends here. What has not changed may come from any replica.
func TestRoutingFresh(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 2, nil, func(c *Config) { c.Routing = "fresh" })
		d.run("CREATE TABLE shop.quiet (id INT)")
		d.run("INSERT INTO shop.quiet VALUES (7)")
		for _, r := range replicas {
			w.must(r.CatchUp(t.Context()))
		}
		w.caughtUp()
		w.stopApplying(replicas[0])
		d.run(update)
		w.caughtUp()
		w.must(replicas[1].CatchUp(t.Context()))
		p.always(uncached, newRow)
		p.always(one, newRow)
		if n := w.toSource("fresh"); n != 0 {
			t.Errorf("one replica is fresh, and %.0f reads went to the source", n)
		}
		w.stopApplying(replicas[1])
		d.run("UPDATE t SET v = 'newest' WHERE id = 1")
		w.caughtUp()
		p.always(uncached, "v\nnewest\n")
		p.always(one, "v\nnewest\n")
		before := w.toSource("fresh")
		if before == 0 {
			t.Error("no read is counted as sent to the source")
		}
		for i := range 12 {
			p.run(fmt.Sprintf("SELECT id, %d FROM quiet", i))
		}
		if n := w.toSource("fresh"); n != before {
			t.Errorf("%.0f reads of a table that has not changed went to the source", n-before)
		}
		d.run("CREATE INDEX fresh ON shop.quiet (id)") // which changes no row, and none of the replicas has it
		w.caughtUp()
		p.always("SELECT id FROM quiet USE INDEX (fresh)", "id\n7\n")
		before = w.toSource("fresh")
		p.always("SELECT id, 13 FROM quiet", "id|13\n7|13\n")
		if n := w.toSource("fresh"); n != before {
			t.Errorf("%.0f reads of a table whose rows have not changed went to the source", n-before)
		}
		w.applyAgain(replicas[0])
		p.always(one, "v\nnewest\n")
	})
}

// A replica that lacks a change for longer than max_lag leaves, and returns once it has caught up. If all lag, reads go to
// the least bad one.
func TestPitfall2MaxLag(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		const maxLag = 400 * time.Millisecond
		w, replicas, d, p := behindReplicas(t, flavor, 2, nil, func(c *Config) { c.MaxLag = Duration(maxLag) })
		lags := func(r *sandbox.Server) bool {
			return w.counter("weir_backend_lag_seconds", "backend", r.Addr()) > maxLag.Seconds()
		}
		w.eventually("both answer", func() bool { return p.asks(replicas[0]) && p.asks(replicas[1]) })
		w.stopApplying(replicas[0])
		d.run(update)
		w.must(replicas[1].CatchUp(t.Context()))
		w.eventually("the stopped one lags", func() bool { return lags(replicas[0]) && !p.asks(replicas[0]) })
		p.always(uncached, newRow)
		p.warm(one)

		w.stopApplying(replicas[1])
		d.run("UPDATE t SET v = 'newest' WHERE id = 1")
		w.eventually("both lag", func() bool { return lags(replicas[0]) && lags(replicas[1]) })
		p.always(uncached, newRow) // not the newest, but not the oldest either
		if w.counter("weir_reads_at_lagging_backend_total", "", "") == 0 {
			t.Error("no read is counted as answered by a backend that lags")
		}
		w.applyAgain(replicas[0])
		w.eventually("the first one is back", func() bool { return !lags(replicas[0]) && p.asks(replicas[0]) })
		p.always(uncached, "v\nnewest\n")
		w.applyAgain(replicas[1])
		w.eventually("both answer again", func() bool { return p.asks(replicas[1]) })
	})
}

// If all replicas lag, and the source takes writes, it answers the reads.
func TestPitfall2MaxLagWithWrites(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 1, nil, func(c *Config) {
			c.MaxLag, c.Writes = Duration(400*time.Millisecond), "source"
		})
		w.stopApplying(replicas[0])
		d.run(update)
		p.eventually(uncached, newRow)
		p.always(uncached, newRow)
		w.applyAgain(replicas[0])
		w.eventually("the replica answers again", func() bool { return p.asks(replicas[0]) })
	})
}

// A replica that crashes leaves, no read fails for it, and it returns when it is back; in the meantime nobody's statement
// is what finds out.
func TestBackendCrashesAndReturns(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, _, p := behindReplicas(t, flavor, 2, nil, nil)
		up := func() bool { return w.counter("weir_backend_up", "backend", replicas[0].Addr()) == 1 }
		w.eventually("both answer", func() bool { return p.asks(replicas[0]) && p.asks(replicas[1]) })
		replicas[0].Kill()
		p.always(uncached, oldRow)
		w.eventually("it is down", func() bool { p.always(uncached, oldRow); return !up() })
		p.always(uncached, oldRow)
		w.must(replicas[0].Restart(t.Context()))
		w.eventually("it is up", up) // without a statement
		w.eventually("it answers", func() bool { return p.asks(replicas[0]) })
	})
}

// A replica that freezes, with its connections open, holds nobody up for ever: the reads that it has are asked elsewhere
// when it has been silent for too long, and further ones are from the moment at which it is found silent.
func TestBackendFreezesAndReturns(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, _, p := behindReplicas(t, flavor, 2, func(c *proxy.Config) { c.SilenceTimeout = 1500 * time.Millisecond }, nil)
		w.eventually("both answer", func() bool { return p.asks(replicas[0]) && p.asks(replicas[1]) })
		clients := make([]*client, 6)
		for i := range clients {
			clients[i] = w.proxy("app", "shop")
			clients[i].run(uncached)
		}
		w.must(replicas[0].Suspend())
		defer func() { w.must(replicas[0].Resume()) }()
		answers := make(chan answer, len(clients))
		for _, c := range clients {
			go func() { answers <- c.ask(uncached) }()
		}
		for range clients {
			if got := <-answers; got != oldRow {
				t.Errorf("a read during the freeze gets %q", got)
			}
		}
		met := w.counter("weir_reads_asked_again_total", "", "") + w.counter("weir_backend_connect_errors_total", "backend", replicas[0].Addr())
		if met == 0 {
			t.Error("no read had to be asked elsewhere; the freeze has met none")
		}
		w.eventually("it is down", func() bool { return w.counter("weir_backend_up", "backend", replicas[0].Addr()) == 0 })
		p.always(uncached, oldRow)
		w.must(replicas[0].Resume())
		w.eventually("it answers again", func() bool { return p.asks(replicas[0]) })
		if lag := w.counter("weir_backend_lag_seconds", "backend", replicas[0].Addr()); math.IsNaN(lag) {
			t.Error("its lag cannot be told")
		}
	})
}

// Warnings are where the statement has left them, on a replica, also where statements that look at a session's state go
// to the source.
func TestPitfall33WarningsOnAReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, _, d, p := behindReplicas(t, flavor, 1, nil, func(c *Config) { c.Writes = "source" })
		const divides = "SELECT id / 0 FROM t WHERE id = 2"
		for _, look := range []string{"SHOW WARNINGS", "SHOW COUNT(*) WARNINGS"} {
			if got, want := p.ask(divides), d.ask(divides); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			if got, want := p.ask(look), d.ask(look); got != want || !strings.Contains(string(got), "1") {
				t.Errorf("%s: got %q, want %q", look, got, want)
			}
		}
	})
}
