package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"weir/cache"
	"weir/cache/dep"
	"weir/cache/redistier"
	"weir/ddlwatch"
	"weir/replicator"
	"weir/replicator/catalog"
	relaying "weir/replicator/relay"
)

// relayHistory is the size of a relay's ledger: nothing is served by it, only how far it is counts.
const relayHistory = 1 << 10

// Relay is what weir relay runs: the parts of a Weir that follow the binlog, and none that serve.
type Relay struct {
	d     *Daemon
	relay *relaying.Relay
}

// OpenRelay checks the source, puts the parts together, and binds the admin port. It starts nothing.
func OpenRelay(ctx context.Context, cfg Config, log *slog.Logger) (*Relay, error) {
	cfg.Stream = streamBinlog // the same file may be that of the Weirs which follow the relay
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if !cfg.Redis.enabled() {
		return nil, errors.New("redis.addrs is missing; give the Redis to which the relay publishes")
	}
	d := &Daemon{cfg: cfg, log: log, registry: prometheus.NewRegistry(), samplers: map[string]*replicator.Sampler{}}
	d.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r := &Relay{d: d}
	if err := r.open(ctx); err != nil {
		d.close()
		return nil, err
	}
	return r, nil
}

func (r *Relay) open(ctx context.Context) (err error) {
	d := r.d
	if d.tls, err = newServerTLS(d.cfg); err != nil {
		return err
	}
	chosen := d.chooseSource(ctx)
	d.source = replicator.NewSource(d.replicator())
	if chosen != nil {
		return chosen
	}
	if err := d.checkSource(ctx); err != nil {
		return err
	}
	if d.redis, err = d.cfg.redisTier(); err != nil {
		return err
	}
	if d.admin, err = d.listenAdmin(); err != nil {
		return err
	}
	r.assemble()
	return nil
}

// assemble connects the parts as [Daemon.assemble] does, with the publisher as the first stage.
func (r *Relay) assemble() {
	d := r.d
	d.ledger, d.journal = cache.NewLedger(relayHistory), replicator.NewJournal()
	d.watch = dep.NewWatch(d.ledger)
	d.schema = d.session(d.sourceName(), schemaTimeout)
	d.catalog = catalog.New(schemaSession{d}, schemaStream{d}, d.log, d.registry)
	recorder := replicator.NewRecorder(d.ledger, d.journal, d.catalog.Rows(), d.log, d.registry)
	recorder.Watch = d.watch
	stage := ddlwatch.NewStage(d.catalog, recorder, d.registry, d.log)
	d.bus = redistier.NewClient(d.redis)
	cfg := d.cfg.relay()
	publisher := relaying.NewPublisher(cfg, d.bus, d.ledger, d.journal, d.watch, stage, d.log, d.registry)
	d.readBinlog(publisher)
	d.reader.OnRestart = func(at cache.Mark) { d.catalog.Restart(at.Seq) }
	if d.candidates != nil {
		d.candidates.OnMove = func(addr string, _ bool) { d.lose("the source is another server now, at " + addr) }
	}
	r.keepWarm()
	r.relay = relaying.New(cfg, relaying.Parts{
		Redis: d.bus, Publisher: publisher, Ledger: d.ledger, Watch: d.watch, Reader: d.reader, Probe: d.probe, Log: d.log, Registry: d.registry,
	})
}

// AdminAddr is where metrics are served.
func (r *Relay) AdminAddr() string { return r.d.AdminAddr() }

// Run publishes until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	defer r.d.close()
	admin := r.d.serve(r.mux(), func() (string, bool) { return "ok", true })
	defer admin.Close()
	r.d.log.Info("relaying", "source", r.d.sourceAddr(), "redis", r.d.redis.Addrs, "admin", r.d.AdminURL()+"/metrics")
	var all sync.WaitGroup
	for _, run := range []func(context.Context){r.relay.Run, r.leavePositions, r.d.readSchema, r.d.lookForSource} {
		all.Go(func() { run(ctx) })
	}
	all.Wait()
	return nil
}
