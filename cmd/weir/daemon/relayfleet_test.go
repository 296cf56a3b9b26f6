package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/replicator"
)

// relayFleet is two Weirs behind a relay, and what the first one has stored.
type relayFleet struct {
	*fleet
	config    Config
	relay     *Relay
	stopRelay func()
	d         *client
	kept      map[string]keptResult
	written   int
}

func newRelayFleet(t *testing.T, flavor sandbox.Flavor) *relayFleet {
	f := &relayFleet{fleet: newFleet(t, sandbox.Options{Flavor: flavor})}
	f.config = f.fleet.config(func(c *Config) { shareRedis(c, f.redis.Addr()) })
	f.d = f.direct("app", "")
	warmTables(f.d)
	f.d.run("USE shop")
	f.relay, f.stopRelay = runRelay(t, f.config)
	for range 2 {
		f.join(func(c *Config) { c.Stream = streamRedis })
	}
	return f
}

// store has the first Weir store results, after the relay has left a place, until each is known to depend on its rows. There
// is no place from before.
func (f *relayFleet) store() {
	f.t.Helper()
	f.caughtUp()
	since := f.weirs[0].weir.ledger.Head()
	f.eventually("the relay has left a place, and none from before", func() bool {
		f.write()
		return f.leftSince(since)
	})
	f.writeAll()
	m := f.weirs[0]
	p := m.proxy("app", "shop")
	f.eventually("results do not depend on other rows", func() bool {
		m.weir.cache.Clear()
		for _, q := range warmQueries {
			p.ask(q)
		}
		f.keep(m.weir)
		f.write()
		f.caughtUp()
		return len(f.kept) == len(warmQueries) && fresh(m.world, f.kept) == all(warmQueries...)
	})
	p.hangUp()
}

// write changes a row of which no result is kept.
func (f *relayFleet) write() {
	f.written++
	f.d.run(fmt.Sprintf("UPDATE t SET v = 'written %d' WHERE id = 3", f.written))
}

// writeAll changes what each result depends on: what is read afterwards is as of a later place.
func (f *relayFleet) writeAll() {
	f.written++
	f.d.run(fmt.Sprintf("UPDATE t SET v = CONCAT(id, ' of %d')", f.written))
	for _, table := range []string{"child (id)", "grand (id)", "other (id)"} {
		f.d.run("INSERT INTO " + table + " VALUES (99)")
		f.d.run("DELETE FROM " + strings.Fields(table)[0] + " WHERE id = 99")
	}
	f.caughtUp()
}

// leftSince reports whether the relay has left a place since then, and takes away what it had left before. The place stays: the
// relay would replace it within a second.
func (f *relayFleet) leftSince(since cache.Seq) bool {
	notes := relayNotes{f.relay.d}.now()
	left, err := notes.Left(f.t.Context(), notePositions)
	f.must(err)
	var old []string
	var young []byte
	for field, value := range left {
		c, err := replicator.DecodeCheckpoint(value)
		f.must(err)
		var file uint32
		if _, err := fmt.Sscanf(c.File, "binlog.%d", &file); err != nil {
			f.t.Fatal(err)
		}
		if cache.At(file, c.Pos) < since {
			old = append(old, field)
		} else {
			young = value
		}
	}
	f.must(notes.Drop(f.t.Context(), notePositions, old...))
	if young == nil {
		return false
	}
	f.must(notes.Leave(f.t.Context(), notePositions, "stays", young, time.Minute))
	return true
}

// keep notes what is in memory and has a place.
func (f *relayFleet) keep(d *Daemon) {
	f.kept = map[string]keptResult{}
	d.cache.Each(func(e *cache.Entry) {
		for _, q := range warmQueries {
			if place, ok := d.changes.History().Place(e.At); ok && strings.Contains(string(e.Key()), q) {
				f.kept[q] = keptResult{tags: e.Tags, place: place}
			}
		}
	})
}

// fresh are the kept results that a Weir may serve, by what its ledger knows.
func fresh(w *world, kept map[string]keptResult) string {
	var names []string
	for _, q := range warmQueries {
		if w.servable(kept[q]) {
			names = append(names, q)
		}
	}
	return strings.Join(names, "; ")
}

// again does something to the source while the relay, or the second Weir, is away, and says what that Weir may serve after.
func (f *relayFleet) again(c relayChapter) string {
	f.t.Helper()
	m := f.weirs[1]
	epoch := m.weir.ledger.Epoch()
	if c.weir {
		m.end(true)
		epoch = 0
	} else {
		f.stopRelay()
	}
	for _, s := range c.do {
		f.d.run(s)
	}
	stop := func() {}
	if !c.quiet {
		stop = f.writes()
	}
	if c.weir {
		m.launch(m.configure)
	} else {
		f.relay, f.stopRelay = runRelay(f.t, f.config)
	}
	f.eventually("there is an epoch with what follows", func() bool { return m.weir.ledger.Epoch() > epoch && m.weir.notReady() == "" })
	stop()
	f.caughtUp()
	f.eventually("the binlog's files are settled", func() bool {
		_, ok := m.weir.changes.History().Place(m.weir.ledger.Mark())
		return ok
	})
	return fresh(m.world, f.kept)
}

// writes changes a row of which no result is kept, again and again.
func (f *relayFleet) writes() (stop func()) {
	w := &warmWorld{world: f.world}
	return w.writes()
}

// right asks both Weirs, in whose memories nothing is. Of what the second one may serve something must come from Redis.
func (f *relayFleet) right(c relayChapter) {
	f.t.Helper()
	for n, m := range f.weirs {
		p, before := m.proxy("app", "shop"), m.tier2()
		for _, q := range warmQueries {
			if got, want := p.ask(q), f.d.ask(q); got != want {
				f.t.Errorf("%s: Weir %d answers %q to %s, want %q", c.name, n+1, got, q, want)
			}
		}
		p.hangUp()
		if n == 1 && c.fresh != "" && m.tier2() == before {
			f.t.Errorf("%s: nothing comes from Redis", c.name)
		}
	}
}
