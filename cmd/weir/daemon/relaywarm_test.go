package daemon

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

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
