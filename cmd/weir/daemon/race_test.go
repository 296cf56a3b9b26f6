package daemon

import (
	"context"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/replicator/identity"
)

// credulous is a sampler that takes every server for one that has applied everything: the AsOf check, taken out. The
// same replays that Weir passes must go wrong with it; if they did not, they would prove nothing.
type credulous struct {
	proxy.Sampler
}

func (c credulous) Sample(ctx context.Context, need cache.Mark, since time.Time) (cache.Mark, identity.Identity, error) {
	_, server, _ := c.Sampler.Sample(ctx, cache.Mark{Epoch: need.Epoch, Seq: 1<<64 - 1}, since)
	return cache.Mark{Epoch: need.Epoch, Seq: 1<<64 - 1}, server, nil
}

func believing() seams {
	return seams{sampler: func(s proxy.Sampler) proxy.Sampler { return credulous{s} }}
}

// touched waits until the ledger has recorded a change to shop.t that is newer than before.
func (w *world) touched(before cache.Seq) {
	w.t.Helper()
	w.eventually("the change is recorded", func() bool { return w.weir.ledger.Last(dep.Fold("shop", "t").Tag()) > before })
}

const (
	one    = "SELECT v FROM t WHERE id = 1"
	update = "UPDATE t SET v = 'new' WHERE id = 1"
)

func (w *world) shop() (d, p *client) {
	w.t.Helper()
	d = w.direct("app", "")
	d.run("CREATE DATABASE shop")
	d.run("CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB")
	d.run("INSERT INTO shop.t VALUES (1, 'old'), (2, 'other')")
	d.run("USE shop")
	w.caughtUp()
	return d, w.proxy("app", "shop")
}

// replayEventBeforeVisibility makes the race of package cache, right-hand column, happen for certain: under semi-sync
// AFTER_SYNC, with nobody who acknowledges, a commit is in the binlog, and with us, but not visible for five seconds.
// It returns what P answers afterwards, twice five seconds apart, and whether the last answer was a hit.
func (w *world) replayEventBeforeVisibility(changes ...string) (answers [2]answer, hit bool) {
	w.t.Helper()
	d, p := w.shop()
	p.warm(one)
	last := len(changes) - 1
	for _, sql := range changes[:last] {
		d.run(sql)
	}
	w.caughtUp()
	before := w.weir.ledger.Last(dep.Fold("shop", "t").Tag())
	w.must(w.source.SetSemiSync(w.t.Context(), true))
	committed := make(chan answer, 1)
	go func() { committed <- d.ask(changes[last]) }()

	w.touched(before)
	for seen := 0; seen < 50; seen++ { // the row is not visible: these are right with the old value
		p.ask(one)
	}
	if a := <-committed; a != "" && a != "\n" {
		w.t.Fatalf("the update failed: %s", a)
	}
	w.must(w.source.SetSemiSync(w.t.Context(), false))
	w.caughtUp()
	answers[0] = p.ask(one)
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	answers[1], hit = p.asked(one)
	return answers, hit
}

func TestPitfall1EventBeforeVisibility(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: 2 * time.Second}, nil)
		answers, _ := w.replayEventBeforeVisibility(update)
		for _, a := range answers {
			if a != "v\nnew\n" {
				t.Errorf("after the commit Weir answers %q", a)
			}
		}
		w.proxy("app", "shop").warm(one)
	})
}

// The same for XA COMMIT, whose rows came long before, and on MariaDB becomes visible after the position has passed it.
func TestPitfall3XACommitBeforeVisibility(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: 2 * time.Second}, nil)
		answers, _ := w.replayEventBeforeVisibility("XA START 'x'", update, "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'")
		for _, a := range answers {
			if a != "v\nnew\n" {
				t.Errorf("after the commit Weir answers %q", a)
			}
		}
		w.proxy("app", "shop").warm(one)
	})
}

func TestPitfall1FailsWithoutTheAsOfCheck(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: 2 * time.Second})
		w.seams = believing()
		w.start(nil)
		answers, hit := w.replayEventBeforeVisibility(update)
		if answers[1] != "v\nold\n" || !hit {
			t.Errorf("without the check Weir answers %q (hit: %v); the replay does not show the race", answers[1], hit)
		}
	})
}

// replayLaggingReplica: the replica's applier is stopped; a change is made and recorded; P reads from the replica.
func (w *world) replayLaggingReplica(replica *sandbox.Server) (during, after answer, hit bool) {
	w.t.Helper()
	d, p := w.shop()
	w.must(replica.CatchUp(w.t.Context()))
	p.warm(one)
	before := w.weir.ledger.Last(dep.Fold("shop", "t").Tag())
	w.must(replica.StopReplica(w.t.Context(), "SQL"))
	d.run("UPDATE t SET v = 'new' WHERE id = 1")
	w.touched(before)
	for i := 0; i < 20; i++ {
		during = p.ask(one)
	}
	w.must(replica.StartReplica(w.t.Context(), "SQL"))
	w.must(replica.CatchUp(w.t.Context()))
	w.caughtUp()
	if p.ask(one); w.seams.sampler == nil {
		p.warm(one)
	}
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	after, hit = p.asked(one)
	return during, after, hit
}

func replicaWorld(t *testing.T, flavor sandbox.Flavor, s seams) (*world, *sandbox.Server) {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source, Workers: 4})
	w.must(replica.CatchUp(t.Context()))
	w.seams = s
	w.start(func(c *Config) { c.Backends = []Backend{{Addr: replica.Addr()}} })
	return w, replica
}

func TestPitfall2LaggingReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replica := replicaWorld(t, flavor, seams{})
		during, after, hit := w.replayLaggingReplica(replica)
		if during != "v\nold\n" {
			t.Errorf("the stopped replica answers %q; the replay shows nothing", during)
		}
		if after != "v\nnew\n" || !hit {
			t.Errorf("after the replica has caught up Weir answers %q (hit: %v)", after, hit)
		}
		if n := w.counter("weir_cache_stores_refused_total", "reason", "snapshot_behind"); n == 0 {
			t.Error("nothing was refused for being behind")
		}
	})
}

func TestPitfall2FailsWithoutTheAsOfCheck(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replica := replicaWorld(t, flavor, believing())
		_, after, hit := w.replayLaggingReplica(replica)
		if after != "v\nold\n" || !hit {
			t.Errorf("without the check Weir answers %q (hit: %v); the replay does not show the race", after, hit)
		}
	})
}

// Two replicas, one of them stopped: some answers are old while it is, none stays.
func TestPitfall2TwoReplicasOneStopped(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		a := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		b := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.must(a.CatchUp(t.Context()))
		w.must(b.CatchUp(t.Context()))
		w.start(func(c *Config) { c.Backends = []Backend{{Addr: a.Addr()}, {Addr: b.Addr()}} })
		d, p := w.shop()
		w.must(b.CatchUp(t.Context()))
		p.warm(one)
		w.must(b.StopReplica(t.Context(), "SQL"))
		before := w.weir.ledger.Last(dep.Fold("shop", "t").Tag())
		d.run("UPDATE t SET v = 'new' WHERE id = 1")
		w.touched(before)
		w.must(a.CatchUp(t.Context()))
		p.warm(one) // from a
		if got := p.ask(one); got != "v\nnew\n" {
			t.Errorf("what became a hit while a replica is stopped is %q", got)
		}
		w.must(b.StartReplica(t.Context(), "SQL"))
		w.must(b.CatchUp(t.Context()))
		if got := p.ask(one); got != "v\nnew\n" {
			t.Errorf("afterwards Weir answers %q", got)
		}
	})
}

// The fill that loses the race: the answer is on its way, held by the network, when the row changes.
func TestFillLosesTheRace(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		network := newRelay(t, w.source.Addr())
		w.start(func(c *Config) { c.Backends = []Backend{{Addr: network.addr()}} })
		d, p := w.shop()
		p.warm("SELECT v FROM t WHERE id = 2") // connections and samples are there
		network.holdAnswers()
		late := make(chan answer, 1)
		go func() { late <- p.ask(one) }()
		w.eventually("the read has reached the source", func() bool {
			return d.ask("SELECT COUNT(*) > 0 FROM information_schema.PROCESSLIST WHERE 1") != "" &&
				w.counter("weir_statements_total", "outcome", "miss") >= 2
		})
		d.run("UPDATE t SET v = 'new' WHERE id = 1")
		w.caughtUp()
		network.pass()
		<-late // old or new: it was asked before the change
		for i := 0; i < 3; i++ {
			if got := p.ask(one); got != "v\nnew\n" {
				t.Errorf("the next answer is %q", got)
			}
		}
		time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
		if got := p.ask(one); got != "v\nnew\n" {
			t.Errorf("five seconds later the answer is %q", got)
		}
	})
}
