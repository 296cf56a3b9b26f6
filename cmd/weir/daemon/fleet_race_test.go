package daemon

import (
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// forget empties the memory of every Weir, so that Redis is what they have left.
func (f *fleet) forget() {
	for _, m := range f.weirs {
		m.weir.cache.Clear()
	}
}

// lastTouched is when shop.t was changed, as each Weir knows it.
func (f *fleet) lastTouched() (all []cache.Seq) {
	for _, m := range f.weirs {
		all = append(all, m.weir.ledger.Last(dep.Fold("shop", "t").Tag()))
	}
	return all
}

// touched waits until each Weir has recorded a change to shop.t that is newer than before.
func (f *fleet) touched(before []cache.Seq) {
	f.t.Helper()
	for i, m := range f.weirs {
		m.touched(before[i])
	}
}

// shops makes the shop, and connects to it: at the source, and through each Weir.
func (f *fleet) shops() (d *client, all []*client) {
	f.t.Helper()
	d, first := f.weirs[0].shop()
	f.caughtUp()
	all = append(all, first)
	for _, m := range f.weirs[1:] {
		all = append(all, m.proxy("app", "shop"))
	}
	return d, all
}

// settled sees to it that each Weir gives the answer: from memory or not, from Redis, and again five seconds later, since
// what is brought back by a fill that lost its race shows only then.
func (f *fleet) settled(all []*client, query string, want answer) {
	f.t.Helper()
	look := func(when string) {
		for i, c := range all {
			if got := c.ask(query); got != want {
				f.t.Errorf("%s, Weir %d answers %s with %q, want %q", when, i+1, query, got, want)
			}
		}
	}
	look("at first")
	for range 3 {
		f.forget()
		look("with nothing in memory")
	}
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	look("five seconds later")
	f.forget()
	look("five seconds later, with nothing in memory")
}

// Event before visibility, with two Weirs. The first one fills while the change is recorded and cannot be seen; the second
// has nothing in memory and looks into Redis each time:
//
//	1  the source writes the change to its binlog; both Weirs record it
//	2  P1 reads the old row, and might leave it in Redis
//	3  the row becomes visible
//	4  P2 looks into Redis
func TestPitfall1TwoWeirs(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFleet(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: 2 * time.Second})
		f.join(nil)
		f.join(nil)
		d, all := f.shops()
		for _, c := range all {
			c.warm(one)
		}
		before := f.lastTouched()
		f.must(f.source.SetSemiSync(t.Context(), true))
		committed := make(chan answer, 1)
		go func() { committed <- d.ask(update) }()
		f.touched(before)
		old := 0
		for range 50 { // the row is not visible: these are right with the old value
			f.weirs[1].weir.cache.Clear()
			for _, c := range all {
				if c.ask(one) == "v\nold\n" {
					old++
				}
			}
		}
		if a := <-committed; a != "" && a != "\n" {
			t.Fatalf("the update failed: %s", a)
		}
		if old == 0 {
			t.Error("nobody has read the old row after the change was recorded; the test shows nothing")
		}
		f.must(f.source.SetSemiSync(t.Context(), false))
		f.caughtUp()
		f.settled(all, one, "v\nnew\n")
		for _, c := range all {
			c.warm(one)
		}
	})
}

// Each Weir reads from a replica of its own, and the second one's has stopped: what that one gives is served, but is not
// left in Redis as if it were true; and what the first one has left is truth for the second, too.
func TestPitfall2TwoWeirsOneReplicaStopped(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFleet(t, sandbox.Options{Flavor: flavor})
		var replicas []*sandbox.Server
		for range 2 {
			r := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: f.source})
			f.must(r.CatchUp(t.Context()))
			f.join(func(c *Config) { c.Backends, c.MaxLag = []Backend{{Addr: r.Addr()}}, 0 })
			replicas = append(replicas, r)
		}
		good, lagging := replicas[0], replicas[1]
		d, all := f.shops()
		for i, r := range replicas {
			f.must(r.CatchUp(t.Context()))
			all[i].warm(one)
		}
		f.must(lagging.StopReplica(t.Context(), "SQL"))
		before := f.lastTouched()
		d.run(update)
		f.touched(before)
		f.must(good.CatchUp(t.Context()))
		old := 0
		for range 20 { // the second one fills, and the first one finds what that has left
			f.forget()
			if all[1].ask(one) == "v\nold\n" {
				old++
			}
			f.forget()
			if got := all[0].ask(one); got != "v\nnew\n" {
				t.Errorf("the Weir whose replica is up to date answers %q", got)
			}
		}
		t.Logf("the Weir whose replica has stopped gave the old row %d times", old)
		f.must(lagging.StartReplica(t.Context(), "SQL"))
		f.must(lagging.CatchUp(t.Context()))
		f.caughtUp()
		f.settled(all, one, "v\nnew\n")
		for _, c := range all {
			c.warm(one)
		}
	})
}

// What is not in the binlog is bounded by max_age, which counts from when a server was read: neither a look into Redis nor
// that a Weir writes again what is asked for most begins it anew.
func TestFleetMaxAge(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFleet(t, sandbox.Options{Flavor: flavor})
		for range 2 {
			f.join(func(c *Config) {
				c.Cache.MaxAge, c.Redis.WarmWindow = Duration(3*time.Second), Duration(3*time.Second)
			})
		}
		_, all := f.shops()
		all[0].warm(one)
		sandboxtest.Exec(t, f.source, "SET sql_log_bin = 0", "UPDATE shop.t SET v = 'new' WHERE id = 1")
		changed := time.Now()
		f.eventually("both Weirs give what nobody was told of", func() bool {
			f.weirs[1].weir.cache.Clear()
			return all[1].ask(one) == "v\nnew\n" && all[0].ask(one) == "v\nnew\n"
		})
		t.Logf("after %s; %.0f answers came from Redis", time.Since(changed), f.weirs[1].tier2())
		if f.weirs[1].tier2() == 0 {
			t.Error("no answer came from Redis; the test shows nothing")
		}
	})
}
