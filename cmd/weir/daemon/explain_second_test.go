package daemon

import (
	"testing"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	explaining "weir/proxy/explain"
)

// What only the second tier has is found and judged there, and not promoted: a second look finds it in the same place. After a
// change it is told as stale.
func TestExplainLooksIntoTheSecondTier(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		tier := &sharedMemory{m: map[string]cache.Copy{}}
		w.seams.second = tier.tierOf
		w.start(nil)
		d := w.direct("app", "")
		d.run("CREATE DATABASE shop")
		d.run("CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(20))")
		w.caughtUp()
		c := w.proxy("app", "shop")
		const text = "SELECT name FROM items WHERE id = 5"
		c.warm(text)
		w.weir.cache.Clear()
		for range 2 {
			e := w.explain(c, text)
			if e.Verdict != explaining.Cached || e.Entry.Tier != explaining.InRedis || !e.Entry.Servable || e.Entry.Bytes == 0 {
				t.Errorf("it is %s, with the entry %+v", e.Verdict, e.Entry)
			}
		}
		d.run("INSERT INTO shop.items VALUES (5, 'ball')")
		w.caughtUp()
		e := w.explain(c, text)
		if e.Verdict != explaining.Storable || e.Entry.Tier != explaining.InRedis || e.Entry.Servable || e.Entry.Why != cache.WhyChanged {
			t.Errorf("after a change it is %s, with the entry %+v", e.Verdict, e.Entry)
		}
		if e.LastChange == nil || len(e.LastChange.Tables) != 1 || e.LastChange.Tables[0].Kind != "insert" {
			t.Errorf("the last change is %+v", e.LastChange)
		}
	})
}

// An explanation leaves everything as it was: what a transaction has read, what the session has left on its connection, and which
// columns are followed in the binlog.
func TestExplainLeavesTheSessionAlone(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		d := w.direct("app", "")
		d.run("CREATE DATABASE shop")
		d.run("CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(20))")
		w.caughtUp()
		c := w.proxy("app", "shop")
		watched := w.weir.watch.Version()
		if e := w.explain(c, "SELECT name FROM items WHERE id = 5"); e.DependsOn[0].Grain != "row" || w.weir.watch.Version() != watched {
			t.Errorf("an interest was taken up, or none in rows: %+v", e.DependsOn)
		}
		c.run("SET @mine = 7")
		c.run("BEGIN")
		before := c.ask("SELECT COUNT(*) FROM items")
		d.run("INSERT INTO shop.items VALUES (5, 'ball')")
		c.run("EXPLAIN CACHE SELECT COUNT(*) FROM items")
		if got := c.ask("SELECT COUNT(*) FROM items"); got != before {
			t.Errorf("the transaction reads %q, and %q before", got, before)
		}
		c.run("COMMIT")
		if got := c.ask("SELECT @mine AS m"); got != "m\n7\n" {
			t.Errorf("the session's variable is %q", got)
		}
	})
}
