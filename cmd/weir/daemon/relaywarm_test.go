package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
)

// runRelay runs a relay with the source and the Redis of a Weir's configuration.
func runRelay(t testing.TB, weirs Config) (r *Relay, stop func()) {
	t.Helper()
	weirs.Admin = "127.0.0.1:0"
	r, err := OpenRelay(t.Context(), weirs, slog.New(slog.NewTextHandler(testWriter{t}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return r, stop
}

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

// relayChapter is what happens while the relay, or the second Weir, is away.
type relayChapter struct {
	name       string
	weir       bool
	before, do []string
	fresh      string
	quiet      bool
}

var cascadeOfThen = []string{"DELETE FROM parent WHERE id = 2", "ALTER TABLE child DROP FOREIGN KEY key_p"}

// TestRelayGoesOnWhereItWas: a relay that is started again, and a Weir behind one, know what has changed since, row by row.
func TestRelayGoesOnWhereItWas(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newRelayFleet(t, flavor)
		for _, c := range []relayChapter{
			{name: "the relay: a row", do: []string{"FLUSH BINARY LOGS", "UPDATE t SET v = 'new' WHERE id = 2"}, fresh: all(rowOne, children, grands, others)},
			{name: "the Weir: a row", weir: true, do: []string{"UPDATE t SET v = 'newer' WHERE id = 2", "FLUSH BINARY LOGS"}, fresh: all(rowOne, children, grands, others)},
			// The schema of now does not tell that the first statement reaches the third table.
			{name: "the Weir: a cascade of then", weir: true, do: cascadeOfThen, quiet: true},
			{name: "the relay: a cascade", before: []string{
				"ALTER TABLE child ADD CONSTRAINT key_p FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE",
				"INSERT INTO parent VALUES (2, 20)", "INSERT INTO child VALUES (2, 2)", "INSERT INTO grand VALUES (2, 2)",
			}, do: []string{"DELETE FROM parent WHERE id = 1"}, fresh: all(rowOne, rowTwo, others)},
			{name: "the relay: a cascade of then", do: cascadeOfThen, quiet: true},
			{name: "the Weir: columns that move", weir: true, do: []string{"UPDATE t SET v = 'a' WHERE id = 2", "ALTER TABLE t DROP COLUMN v, ADD COLUMN v VARCHAR(20) DEFAULT 'd' FIRST"}},
			{name: "the relay: columns that move", do: []string{"UPDATE t SET v = 'b' WHERE id = 2", "ALTER TABLE t DROP COLUMN v, ADD COLUMN v VARCHAR(20) DEFAULT 'e'"}},
		} {
			for _, statement := range c.before {
				f.d.run(statement)
			}
			f.store()
			if got := f.again(c); got != c.fresh {
				t.Errorf("%s: fresh are %q, want %q", c.name, got, c.fresh)
			}
			f.right(c)
		}
	})
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

// TestRelayRestartsUnderWrites: two Weirs share a Redis behind relays that come and go; each answer is judged.
func TestRelayRestartsUnderWrites(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		var stop func()
		var config Config
		p := startWeirs(t, flavor, oneRedis, func(c *Config) {
			c.Stream, c.Redis.WarmWindow = streamRedis, Duration(time.Minute)
			if stop == nil {
				config = *c
				_, stop = runRelay(t, config)
			}
		})
		p.direct = p.world.direct("app", "")
		p.direct.run("CREATE DATABASE shop")
		p.rows = newRows(p.direct, tier2Rows)
		p.recorded()
		p.begin()
		p.shared()
		for _, standsBy := range []bool{false, true} {
			epochs, before := p.epochs(), stop
			if !standsBy {
				before()
			}
			_, stop = runRelay(t, config)
			before()
			p.relayed(epochs)
			p.goesOn(50)
			p.shared()
			p.settled()
		}
		p.stop()
	})
}

// epochs are those of both Weirs.
func (p *tier2) epochs() (all [2]uint64) {
	for n, w := range p.weirs {
		all[n] = w.weir.ledger.Epoch()
	}
	return all
}

// relayed waits until both Weirs have begun another epoch, and serve from the cache.
func (p *tier2) relayed(before [2]uint64) {
	p.t.Helper()
	for n, w := range p.weirs {
		w.eventually("Weir follows the other relay", func() bool { return w.weir.ledger.Epoch() > before[n] && w.weir.notReady() == "" })
	}
}
