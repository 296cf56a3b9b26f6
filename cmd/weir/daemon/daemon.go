package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/cache/redistier"
	"weir/cmd/weir/status"
	"weir/ddlwatch"
	"weir/proxy"
	"weir/replicator"
	"weir/replicator/catalog"
	"weir/replicator/identity"
	"weir/replicator/lag"
	"weir/replicator/recent"
)

// Daemon is a whole Weir. [Open] checks everything that can be wrong before the first client comes; Run serves.
type Daemon struct {
	cfg      Config
	log      *slog.Logger
	registry *prometheus.Registry
	seams    seams
	tls      serverTLS

	ledger  *cache.Ledger
	cache   *cache.Cache
	watch   *dep.Watch
	journal *replicator.Journal
	recent  *recent.Log
	// candidates is nil if the source has but one address.
	candidates *replicator.Candidates
	source     *replicator.Source
	schema     *replicator.Session // the catalogue's own
	catalog    *catalog.Catalog
	changes    changes
	reader     *replicator.Reader    // nil if the changes come from a relay
	probe      *replicator.Probe     // nil then, too
	bus        redis.UniversalClient // the relay's stream is there; nil if there is none
	proxy      *proxy.Server
	samplers   map[string]*replicator.Sampler
	visible    *lag.Visible
	ddl        *ddlwatch.Watcher
	looks      []*replicator.Session // of the DDL watcher
	warmth     *warmth               // nil without a second tier
	redis      redistier.Config      // without addresses if there is no second tier
	second     *redistier.Tier       // nil if there is none
	overview   *status.Sampler

	clients  net.Listener
	admin    net.Listener
	adminTLS adminTLS
}

// Open checks the source, puts the parts together, and binds the ports. It starts nothing. Each error is one sentence
// for the person at the terminal.
func Open(ctx context.Context, cfg Config, log *slog.Logger) (*Daemon, error) {
	return open(ctx, cfg, log, seams{})
}

func open(ctx context.Context, cfg Config, log *slog.Logger, seams seams) (_ *Daemon, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg, log: log, seams: seams, registry: prometheus.NewRegistry(), samplers: map[string]*replicator.Sampler{}}
	d.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if d.tls, err = newServerTLS(cfg); err != nil {
		return nil, err
	}
	chosen := d.chooseSource(ctx)
	d.source = replicator.NewSource(d.replicator())
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if chosen != nil && !replicator.TwoSources(chosen) { // then servers answer, and nothing is cached until it is clear
		return nil, chosen
	}
	if err := d.checkSource(ctx); err != nil {
		return nil, err
	}
	facts, err := readFacts(ctx, d.source)
	if err != nil {
		return nil, err
	}
	clientTLS, err := cfg.TLS.config()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.openSecond(), d.openBus()); err != nil {
		return nil, err
	}
	if err := d.listen(); err != nil {
		return nil, err
	}
	d.assemble(facts)
	d.proxy.SetTLS(clientTLS)
	return d, nil
}

// assemble connects the parts. Data flows one way: reader, DDL stage, recorder, ledger; and the catalogue beside them.
func (d *Daemon) assemble(facts proxy.Facts) {
	d.ledger = cache.NewLedger(cmp.Or(d.seams.history, d.cfg.cache().History))
	d.cache = cache.New(d.cfg.cache(), d.ledger, d.registry)
	d.cache.OnPause = d.paused
	d.journal, d.recent = replicator.NewJournal(), recent.New()
	d.schema = d.session(d.sourceName(), schemaTimeout)
	d.catalog = catalog.New(schemaSession{d}, schemaStream{d}, d.log, d.registry)

	d.watch = d.newWatch()
	recorder := replicator.NewRecorder(d.ledger, d.journal, d.catalog.Rows(), d.log, d.registry)
	d.visible = d.newVisible()
	recorder.Watch, recorder.Recent, recorder.Visible, recorder.Lag = d.watch, d.recent, d.visible, &lag.Window{}
	stage := ddlwatch.NewStage(d.catalog, replicator.NewWindow(d.catalog.Fell, recorder), d.registry, d.log)
	d.ddl = ddlwatch.NewWatcher(d.cfg.ddl(), d.ddlParts())
	stage.Observer = d.ddl
	d.follow(stage)
	d.attachSecond()
	pcfg := d.cfg.proxy()
	pcfg.Source = d.sourceAddr()
	if d.seams.proxy != nil {
		d.seams.proxy(&pcfg)
	}
	d.registerState()
	d.proxy = proxy.New(pcfg, proxy.Parts{
		Cache: d.cache, Catalog: catalogView{d.catalog}, Sampler: d.samplerOf, TLS: d.tls.login, Watch: d.watch, Gate: d.gate(), Facts: facts, Log: d.log, Registry: d.registry,
		Hurry: d.changes.Ask, Positions: replicator.NewPositions(d.journal, d.ledger, d.following),
		Changes: d.remembered, Tables: append(d.tables(), d.seams.tables...),
	})
	if d.candidates != nil {
		d.candidates.OnMove = d.moved
	}
	d.observe(facts, recorder.Lag)
}

// restarted is called before anything of a new epoch is applied: what was cached, and the catalogue, are of the past.
func (d *Daemon) restarted(at cache.Mark) {
	d.cache.Clear()
	d.catalog.Restart(at.Seq)
}

// paused is told when a table turns out not to pay.
func (d *Daemon) paused(y cache.YieldStats) {
	d.log.Info("results are not stored for a while, since changes end nearly all of them before they are used",
		"table", y.Table, "grain", y.Grain, "for", y.Left, "ended", y.Ended, "used", y.Used)
}

// sampleTimeout is how long a backend may take to say what it has applied, before it counts as silent.
const sampleTimeout = 2 * time.Second

// sampler returns the one sampler of the server at addr.
func (d *Daemon) sampler(addr string) *replicator.Sampler {
	if s := d.samplers[addr]; s != nil {
		return s
	}
	session := replicator.NewSession(addr, d.cfg.Source.User, string(d.cfg.Source.Password), sampleTimeout, d.tls.replicator(addr))
	s := replicator.NewSampler(session, d.ledger, d.journal, d.following)
	d.samplers[addr] = s
	return s
}

func (d *Daemon) following() identity.Identity { return d.changes.Following() }

func (d *Daemon) samplerOf(addr string) proxy.Sampler {
	if d.seams.sampler != nil {
		return d.seams.sampler(sampler{d.sampler(addr), d, addr})
	}
	return sampler{d.sampler(addr), d, addr}
}

// sampler gives the proxy the two things that it wants of a sample.
type sampler struct {
	*replicator.Sampler
	d    *Daemon
	addr string
}

// Sample implements [proxy.Sampler].
func (s sampler) Sample(ctx context.Context, need cache.Mark, since time.Time) (cache.Mark, identity.Identity, error) {
	sample, err := s.Sampler.Sample(ctx, need, since)
	if err == nil && s.d.wasSource(s.addr, sample.Server) {
		err = errSourceMoved
	}
	switch {
	case replicator.Errant(err):
		err = fmt.Errorf("%w: %w", proxy.ErrErrant, err)
	case replicator.LacksBase(err):
		err = fmt.Errorf("%w: %w", proxy.ErrLacksBase, err)
	case err != nil && ctx.Err() == nil && !replicator.Unanswered(err):
		err = fmt.Errorf("%w: %w", proxy.ErrAnswered, err)
	}
	return sample.Mark, sample.Server, err
}

// listen binds both ports at once, so that a port that is taken is found at the start.
func (d *Daemon) listen() (err error) {
	if d.clients, err = listen("listen", d.cfg.Listen); err != nil {
		return err
	}
	d.admin, err = d.listenAdmin()
	return err
}

func listen(key, addr string) (net.Listener, error) {
	network := "tcp"
	if addr != "" && addr[0] == '/' {
		network = "unix"
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s (%s): %w; is another program, or another Weir, using it?", addr, key, err)
	}
	return l, nil
}

// Addr is where clients connect.
func (d *Daemon) Addr() string { return d.clients.Addr().String() }

// AdminAddr is where metrics and health are served.
func (d *Daemon) AdminAddr() string { return d.admin.Addr().String() }

// Ledger is for those who want to look: weir demo, and tests.
func (d *Daemon) Ledger() *cache.Ledger { return d.ledger }

// Registry has all metrics.
func (d *Daemon) Registry() *prometheus.Registry { return d.registry }

var errStop = errors.New("stopping")

// Run serves until ctx ends, and then drains. It returns when everything has ended.
func (d *Daemon) Run(ctx context.Context) error {
	defer d.close()
	inner, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(errStop)
	var background sync.WaitGroup
	for _, run := range []func(context.Context){
		d.changes.Run, d.readSchema, d.cache.Run, d.ddl.Run, d.pruneWatch, d.lookForSource,
		d.writeSecond, d.refreshSecond, d.leaveNotes, d.visible.Run, d.overview.Run,
	} {
		background.Go(func() { run(inner) })
	}
	admin := d.serveAdmin()
	d.log.Info("serving", "listen", d.Addr(), "admin", d.AdminURL()+"/", "source", d.sourceAddr())
	err := d.proxy.Serve(ctx, d.clients)
	d.log.Info("stopped serving")
	d.saveOnStop()
	stop(errStop)
	background.Wait()
	admin.Close()
	return err
}

// readSchema keeps the catalogue up to date, until ctx ends.
func (d *Daemon) readSchema(ctx context.Context) {
	if err := d.catalog.Run(ctx); ctx.Err() == nil {
		d.log.Error("the catalogue ended", "error", err)
	}
}

// unwanted is how long a table may go without a result that is stored, until its rows are not decoded any more.
const unwanted = time.Hour

// pruneWatch forgets tables that nobody asks for, until ctx ends.
func (d *Daemon) pruneWatch(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			d.watch.Prune(unwanted)
		case <-ctx.Done():
			return
		}
	}
}

func (d *Daemon) close() {
	for _, s := range d.samplers {
		s.Close()
	}
	for _, s := range d.looks {
		s.Close()
	}
	d.source.Close()
	if d.candidates != nil {
		d.candidates.Close()
	}
	if d.schema != nil {
		d.schema.Close()
	}
	if d.second != nil {
		_ = d.second.Close()
	}
	if d.bus != nil {
		_ = d.bus.Close()
	}
	for _, l := range []net.Listener{d.clients, d.admin} {
		if l != nil {
			l.Close()
		}
	}
}

// WaitReady returns when cached results may be served, or with ctx's cause.
func (d *Daemon) WaitReady(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for d.notReady() != "" {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), d.notReady())
		}
	}
	return nil
}

// notReady says what is missing before cached results may be served; empty if nothing is.
func (d *Daemon) notReady() string {
	current := d.ledger.Current(d.ledger.Now(), time.Duration(d.cfg.MaxStaleness))
	state := d.changes.State()
	switch {
	case !current && d.doubt() != "":
		return "it is not clear which server is the source: " + d.doubt()
	case !current && state.Err != nil:
		return "the binlog stream is broken: " + state.Err.Error()
	case !current:
		return "the ledger is not complete as of a moment within max_staleness"
	case !d.catalog.State().Settled():
		return "the catalogue of tables is being read"
	}
	return ""
}
