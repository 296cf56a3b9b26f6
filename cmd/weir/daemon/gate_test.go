package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/wire"
)

// narrow is a gate that lets a few reads of one table through at a time, and all others.
type narrow struct {
	table string
	slots chan struct{}

	mu      sync.Mutex
	entered int
}

func newNarrow(table string, slots int) *narrow {
	return &narrow{table: table, slots: make(chan struct{}, slots)}
}

func (g *narrow) Enter(ctx context.Context, tables []dep.Name) (func(), error) {
	for _, n := range tables {
		if n.Table != g.table {
			continue
		}
		select {
		case g.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		g.mu.Lock()
		g.entered++
		g.mu.Unlock()
		return func() { <-g.slots }, nil
	}
	return func() {}, nil
}

// seen returns how many have entered since it was asked last.
func (g *narrow) seen() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.entered
	g.entered = 0
	return n
}

// gatedWorld is a wireWorld with a gate.
func gatedWorld(t *testing.T, flavor sandbox.Flavor, slots int) (w *world, d *client, g *narrow) {
	t.Helper()
	g = newNarrow("t", slots)
	w = newSource(t, sandbox.Options{Flavor: flavor})
	w.seams.gate = g
	w.start(nil)
	d, _ = w.shop()
	d.run("CREATE TABLE shop.other (id INT PRIMARY KEY)")
	w.caughtUp()
	return w, d, g
}

// TestPitfall54PileUpStaysSmall: a transaction has read t and is idle, an ALTER waits for it, and everybody who reads t
// waits for the ALTER: as many connections as the gate lets through, whether the reads are stored, prepared, or neither.
// Reads of another table are answered. When the transaction ends, everybody is.
func TestPitfall54PileUpStaysSmall(t *testing.T) {
	const slots, readers = 3, 60
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, d, g := gatedWorld(t, flavor, slots)
		d.run("BEGIN")
		d.run("SELECT * FROM shop.t")
		alter := w.direct("app", "shop")
		var all sync.WaitGroup
		all.Go(func() { alter.ask("ALTER TABLE t ADD COLUMN added INT") })
		w.eventually("the ALTER waits", func() bool { return w.runs("metadata lock") })
		var answers [readers]answer
		for i := range readers {
			c := w.proxy("app", "shop")
			all.Go(func() {
				switch i % 3 {
				case 0:
					answers[i] = c.ask(fmt.Sprintf("SELECT v, %d FROM t WHERE id = 1", i))
				case 1:
					answers[i] = c.ask(fmt.Sprintf("SELECT v, %d FROM t WHERE id = 1 AND NOW() > 0", i))
				case 2:
					c.prepares = true
					answers[i] = c.ask(fmt.Sprintf("SELECT v, %d FROM t WHERE id = 1", i))
				}
			})
		}
		w.eventually("the gate is full", func() bool { return len(g.slots) == slots && w.used() >= slots })
		other := w.proxy("app", "shop")
		for range 20 {
			if got := other.ask("SELECT COUNT(*) FROM other WHERE NOW() > 0"); got != "COUNT(*)\n0\n" {
				t.Fatalf("another table: %s", got)
			}
			if n := w.used(); n > slots {
				t.Fatalf("%d connections are held by those who read t, want %d", n, slots)
			}
		}
		list := string(w.watcher().ask("SHOW FULL PROCESSLIST"))
		if n := strings.Count(list, "metadata lock"); n > slots+1 {
			t.Errorf("%d wait for the lock at the server, want %d and the ALTER:\n%s", n, slots, list)
		}
		d.run("COMMIT")
		all.Wait()
		for i, got := range answers {
			if want := fmt.Sprintf("v|%d\nold|%d\n", i, i); string(got) != want {
				t.Errorf("reader %d gets %q", i, got)
			}
		}
		if n := len(g.slots); n != 0 {
			t.Errorf("%d are still inside", n)
		}
	})
}

// A statement that is prepared and executed enters for each of the two that a server is asked for, and for a hit not at
// all.
func TestPreparedStatementsEnter(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _, g := gatedWorld(t, flavor, 1)
		p := w.proxy("app", "shop")
		for _, step := range []struct {
			name string
			do   func()
			want int
		}{
			{"a text", func() { p.run("SELECT v FROM t WHERE id = 1") }, 1},
			{"the preparation", func() { p.holds("SELECT v FROM t WHERE id = ?") }, 1},
			{"the same again", func() { p.holds("SELECT v FROM t WHERE id = ?") }, 0},
			{"an execution", func() { p.holds("SELECT v FROM t WHERE id = ?").ask(2) }, 1},
			{"the same again", func() { p.holds("SELECT v FROM t WHERE id = ?").ask(2) }, 0},
			{"one that is not stored", func() { p.holds("SELECT v, NOW() FROM t WHERE id = ?").ask(2) }, 2},
			{"the columns of a table", func() { w.throughWeir("shop").ask(wire.ComFieldList, []byte("t\x00")) }, 1},
			{"in a transaction", func() { p.run("BEGIN"); p.holds("SELECT v, 1 FROM t WHERE id = ?").ask(2); p.run("COMMIT") }, 0},
		} {
			step.do()
			if n := g.seen(); n != step.want {
				t.Errorf("%s: %d entered, want %d", step.name, n, step.want)
			}
		}
	})
}

// refilled reads the key again until a server is known to have applied what is recorded.
func (w *world) refilled(key []byte) (err error) {
	w.eventually("a server has applied what is recorded", func() bool {
		err = w.weir.proxy.Refill(w.t.Context(), key)
		return !errors.Is(err, proxy.ErrBehind)
	})
	return err
}

// keys returns those of all results that are stored of the table.
func (w *world) keys() (all [][]byte) {
	w.weir.cache.Each(func(e *cache.Entry) { all = append(all, e.Key()) })
	return all
}

// TestPitfall56Refill: what was cached of a table is read again once its definition has changed, for clients of different
// kinds, and what they ask then is a hit, and right. Nothing is read for an account whose rights may have changed.
func TestPitfall56Refill(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, _ := wireWorld(t, flavor)
		text, other := w.throughWeir("differ"), w.throughWeir("differ")
		other.mustQuery("SET time_zone = '+05:00', SESSION sql_mode = 'ANSI_QUOTES'")
		id := text.mustPrepare("SELECT * FROM t WHERE id >= ? AND v < ? ORDER BY id")
		ask := map[string]func() reply{
			"a text":              func() reply { return text.query("SELECT * FROM t") },
			"with other settings": func() reply { return other.query(`SELECT "id", t.* FROM t`) },
			"an execution":        func() reply { return text.execute(id, longParam(2), varcharParam("z")) },
			"one without values":  func() reply { return text.oneOff("SELECT COUNT(*), MAX(id) FROM t")[1] },
			"through a view":      func() reply { return text.query("SELECT * FROM w") },
		}
		for _, do := range ask {
			do()
		}
		keys := w.keys()
		if len(keys) < len(ask) {
			t.Fatalf("%d results are stored", len(keys))
		}
		server.mustQuery("ALTER TABLE t ADD COLUMN added INT DEFAULT 7")
		w.complete()
		for _, key := range keys {
			if err := w.refilled(key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
		for name, do := range ask {
			hits := w.counter("weir_statements_total", "outcome", "hit")
			if r := do(); r.kind != wire.KindResultSet || w.counter("weir_statements_total", "outcome", "hit") != hits+1 {
				t.Errorf("%s: %s, and no hit", name, r)
			}
		}
		if got := text.query("SELECT * FROM t").cells(); !strings.Contains(got, "|7\n") {
			t.Errorf("a text brings %q", got)
		}
	})
}

// TestPitfall31RefillHasNoMoreRights: an account that backends know and Weir does not is refilled for only while a backend
// has let it in since the last change of accounts; and one that Weir lists gets what it may have now.
func TestPitfall31RefillHasNoMoreRights(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		for name, listed := range map[string]bool{"listed": true, "not listed": false} {
			w := newSource(t, sandbox.Options{Flavor: flavor})
			w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON *.*"))
			w.start(func(c *Config) {
				if !listed {
					c.Users = nil
				}
			})
			d, _ := w.shop()
			p := w.proxy("app2", "")
			p.warm("SELECT v FROM shop.t WHERE id = 1")
			keys := w.keys()
			d.run("REVOKE SELECT ON *.* FROM app2@'%'")
			w.caughtUp()
			for _, key := range keys {
				if err := w.refilled(key); !errors.Is(err, proxy.ErrNotRefillable) || w.weir.cache.Servable(key, time.Hour) {
					t.Errorf("%s: what the account may not see any more: %v", name, err)
				}
			}
			d.run("GRANT SELECT ON *.* TO app2@'%'")
			w.caughtUp()
			for _, key := range keys {
				if err := w.refilled(key); listed != (err == nil) {
					t.Errorf("%s: after the account has been granted it again: %v", name, err)
				}
			}
		}
	})
}
