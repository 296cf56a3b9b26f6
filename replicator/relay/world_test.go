package relay

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/ddlwatch"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
	"weir/replicator/catalog"
	"weir/replicator/change"
	"weir/replicator/identity"
)

// chain is everything behind a stream of changes, as a Weir has it: catalogue, DDL stage, recorder, ledger. It notes what
// is recorded.
type chain struct {
	t       testing.TB
	cfg     replicator.Config
	ledger  *cache.Ledger
	journal *replicator.Journal
	watch   *dep.Watch
	catalog *catalog.Catalog
	schema  *replicator.Session
	source  *replicator.Source
	sampler *replicator.Sampler
	stage   *ddlwatch.Stage
	next    change.Applier

	following func() identity.Identity

	mu   sync.Mutex
	seen []string
}

func newChain(t testing.TB, server *sandbox.Server, watch func(*cache.Ledger) *dep.Watch) *chain {
	c := &chain{t: t, cfg: replicator.DefaultConfig(), ledger: cache.NewLedger(1 << 12), journal: replicator.NewJournal()}
	c.cfg.Addr, c.cfg.User, c.cfg.Password = server.Addr(), "weir", "secret"
	c.watch = watch(c.ledger)
	session := func() *replicator.Session {
		return replicator.NewSession(server.Addr(), "weir", "secret", 10*time.Second, replicator.TLS{})
	}
	c.schema, c.source = session(), replicator.NewSource(c.cfg)
	c.sampler = replicator.NewSampler(session(), c.ledger, c.journal, func() identity.Identity { return c.following() })
	log := slog.New(slog.DiscardHandler)
	c.catalog = catalog.New(c.schema, c, log, nil)
	recorder := replicator.NewRecorder(c.ledger, c.journal, c.catalog.Rows(), log, nil)
	recorder.Watch = c.watch
	c.next = recorder
	c.stage = ddlwatch.NewStage(c.catalog, c, nil, log)
	return c
}

// restarted is for OnRestart.
func (c *chain) restarted(at cache.Mark) { c.catalog.Restart(at.Seq) }

// run runs the catalogue, and what else is given, until the test ends.
func (c *chain) run(more ...func(context.Context)) (stop func()) {
	c.t.Cleanup(func() { // after what runs, which asks them
		c.sampler.Close()
		c.schema.Close()
		c.source.Close()
	})
	var stops []func()
	for _, f := range append(more, func(ctx context.Context) { _ = c.catalog.Run(ctx) }) {
		stops = append(stops, background(c.t, f))
	}
	return func() {
		for _, s := range stops {
			s()
		}
	}
}

// Apply implements [change.Applier]: it stands between the DDL stage and the recorder.
func (c *chain) Apply(ctx context.Context, t *change.Transaction) {
	if text := show(t); text != "" {
		c.mu.Lock()
		c.seen = append(c.seen, text)
		c.mu.Unlock()
	}
	c.next.Apply(ctx, t)
}

// show writes what of a transaction counts; nothing for progress.
func show(t *change.Transaction) string {
	if t.GTID.IsZero() {
		return ""
	}
	tags := slices.Clone(t.Tags)
	slices.Sort(tags)
	return fmt.Sprintf("%s %s at %v tables %v rows %v tags %x parents %v definitions %v layouts %v schemas %v everything %q xa %d",
		t.Seq, t.GTID, t.CommittedAt.UnixMicro(), t.Tables, t.Rows, slices.Compact(tags), t.Parents, t.Definitions, t.Layouts, t.Schemas, t.Everything, t.XAThread)
}

func (c *chain) recorded() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}

// WaitHead implements [catalog.Stream].
func (c *chain) WaitHead(ctx context.Context, seq cache.Seq) error {
	return c.ledger.WaitHead(ctx, seq)
}

// Covered implements [catalog.Stream].
func (c *chain) Covered(ctx context.Context, seq cache.Seq) error {
	return c.sampler.Covered(ctx, cache.Mark{Epoch: c.ledger.Epoch(), Seq: seq})
}

// Position implements [catalog.Stream].
func (c *chain) Position(ctx context.Context) (cache.Seq, error) {
	p, err := c.source.Position(ctx)
	return p.Seq, err
}

// settled waits until the catalogue knows everything, and the ledger is complete as of now.
func (c *chain) settled(ask func()) {
	c.t.Helper()
	moment := c.ledger.Now()
	eventually(c.t, "a ledger that is complete, and a catalogue", func() bool {
		ask()
		_, ok := c.ledger.MarkAsOf(moment)
		return ok && c.catalog.State().Settled()
	})
}

// relayOf runs a relay. What first makes of the publisher is in front of it.
func relayOf(t testing.TB, server *sandbox.Server, cl redis.UniversalClient, cfg Config, first ...func(change.Applier) change.Applier) (*Relay, *chain, func()) {
	c := newChain(t, server, dep.NewWatch)
	log := slog.New(slog.DiscardHandler)
	publisher := NewPublisher(cfg, cl, c.ledger, c.journal, c.watch, c.stage, log, nil)
	applier := change.Applier(publisher)
	for _, f := range first {
		applier = f(applier)
	}
	reader := replicator.NewReader(c.cfg, c.source, c.ledger, c.journal, applier, log, nil)
	reader.OnRestart = c.restarted
	reader.Precision = &replicator.Precision{Watch: c.watch, Schema: c.catalog.Rows()}
	c.following = reader.Following
	probe := replicator.NewProbe(c.cfg, c.ledger, reader, log)
	r := New(cfg, Parts{Redis: cl, Publisher: publisher, Ledger: c.ledger, Watch: c.watch, Reader: reader, Probe: probe, Log: log})
	return r, c, c.run(r.Run)
}

// consumerOf runs a consumer.
func consumerOf(t testing.TB, server *sandbox.Server, cl redis.UniversalClient, cfg Config) (*Consumer, *chain) {
	c := newChain(t, server, dep.NewRemoteWatch)
	consumer := NewConsumer(cfg, cl, c.ledger, c.journal, c.watch, c.stage, slog.New(slog.DiscardHandler), nil)
	consumer.OnRestart = c.restarted
	c.following = consumer.Following
	c.run(consumer.Run)
	return consumer, c
}

// readerOf runs a reader of the binlog, as a Weir without a relay does.
func readerOf(t testing.TB, server *sandbox.Server) (*replicator.Probe, *chain) {
	c := newChain(t, server, dep.NewWatch)
	log := slog.New(slog.DiscardHandler)
	reader := replicator.NewReader(c.cfg, c.source, c.ledger, c.journal, c.stage, log, nil)
	reader.OnRestart = c.restarted
	reader.Precision = &replicator.Precision{Watch: c.watch, Schema: c.catalog.Rows()}
	c.following = reader.Following
	probe := replicator.NewProbe(c.cfg, c.ledger, reader, log)
	c.run(reader.Run, probe.Run)
	return probe, c
}

func shop(t testing.TB, flavor sandbox.Flavor) *sandbox.Server {
	server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
	if err := server.CreateUser(t.Context(), "weir", "secret", "ALL PRIVILEGES ON *.*"); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Exec(t, server, "CREATE DATABASE shop",
		"CREATE TABLE shop.orders (id INT PRIMARY KEY, state VARCHAR(20), amount INT) ENGINE=InnoDB",
		"CREATE TABLE shop.lines (id INT PRIMARY KEY, order_id INT, FOREIGN KEY (order_id) REFERENCES shop.orders (id) ON DELETE CASCADE) ENGINE=InnoDB",
		"INSERT INTO shop.orders VALUES (1, 'new', 10), (2, 'new', 20), (3, 'old', 30)")
	return server
}

// interests of the test: all kinds.
var wanted = []dep.Want{
	{Column: "id", Interest: dep.InValue}, {Column: "id", Interest: dep.InRange}, {Column: "state", Interest: dep.InChange},
	{Column: "", Interest: dep.InChange},
}

// writes are steps, each of which is awaited before the next one: what is told of rows depends on how soon a catalogue has
// read what has changed.
var writes = [][]string{
	{
		"INSERT INTO shop.orders VALUES (4, 'new', 40), (5, 'new', 50)", "UPDATE shop.orders SET state = 'paid' WHERE id = 1",
		"UPDATE shop.orders SET amount = 11 WHERE id = 2", "DELETE FROM shop.orders WHERE id = 3", "INSERT INTO shop.lines VALUES (1, 1)",
		"BEGIN", "UPDATE shop.orders SET id = 6 WHERE id = 5", "UPDATE shop.lines SET id = 2", "COMMIT",
		"XA START 'a'", "UPDATE shop.orders SET state = 'shipped' WHERE id = 1", "XA END 'a'", "XA PREPARE 'a'", "XA COMMIT 'a'",
		"XA START 'b'", "UPDATE shop.orders SET state = 'lost' WHERE id = 1", "XA END 'b'", "XA PREPARE 'b'", "XA ROLLBACK 'b'",
		"XA START 'c'", "UPDATE shop.orders SET state = 'gone' WHERE id = 1", "XA END 'c'", "XA COMMIT 'c' ONE PHASE",
		"SET SESSION binlog_format = STATEMENT", "USE shop", "UPDATE orders SET state = 'text' WHERE id = 2", "SET SESSION binlog_format = ROW",
	},
	{"ALTER TABLE shop.orders ADD COLUMN note VARCHAR(10) FIRST"},
	{"UPDATE shop.orders SET note = 'x' WHERE id = 1", "UPDATE shop.orders SET state = 'y' WHERE id = 1", "DELETE FROM shop.orders WHERE id = 1"},
	{"CREATE VIEW shop.open_orders AS SELECT * FROM shop.orders", "CREATE INDEX by_state ON shop.orders (state)"},
	{"RENAME TABLE shop.lines TO shop.rows_of_orders", "FLUSH LOGS", "DROP TABLE shop.rows_of_orders"},
	{"UPDATE shop.orders SET state = 'z' WHERE id = 2", "CREATE DATABASE other", "DROP DATABASE other"},
}

// TestConsumerKnowsWhatAReaderKnows: after the same writes the same is recorded at the same places, whether a Weir reads
// the binlog itself or through a relay.
func TestConsumerKnowsWhatAReaderKnows(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := shop(t, flavor)
		cl := client(t, sandboxtest.Redis(t, sandbox.RedisOptions{}))
		cfg := DefaultConfig()
		_, behind, _ := relayOf(t, server, cl, cfg)
		consumer, remote := consumerOf(t, server, cl, cfg)
		probe, direct := readerOf(t, server)
		settled := func() {
			behind.settled(func() {})
			remote.settled(consumer.Ask)
			direct.settled(probe.Ask)
		}
		settled()
		direct.watch.Want(orders, wanted)
		remote.watch.Want(orders, wanted)
		eventually(t, "the announcement", func() bool { return remote.watch.Want(orders, wanted) <= remote.ledger.Head() })
		from := len(direct.recorded())
		fromRemote := len(remote.recorded())
		for _, step := range writes {
			sandboxtest.Exec(t, server, step...)
			settled()
		}
		want, got := direct.recorded()[from:], remote.recorded()[fromRemote:]
		if !slices.Equal(got, want) {
			t.Errorf("through the relay\n%s\nfrom the binlog\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got, want := remote.journal.Done().String(), direct.journal.Done().String(); got != want {
			t.Errorf("the journals have %s and %s", got, want)
		}
		if !strings.Contains(strings.Join(got, "\n"), "rows [shop.orders]") {
			t.Error("no change is told by its rows: the interests are of no use")
		}
	})
}
