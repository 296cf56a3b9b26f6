package relay

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator"
)

// Parts are what a relay is made of, put together as in a Weir that reads the binlog itself, but for the publisher, which
// is the first stage.
type Parts struct {
	Redis     redis.UniversalClient
	Publisher *Publisher
	Ledger    *cache.Ledger
	Watch     *dep.Watch
	Reader    *replicator.Reader
	Probe     *replicator.Probe
	Log       *slog.Logger
	Registry  prometheus.Registerer
}

// Relay reads the source's binlog once, for all Weirs that read the stream which it publishes. Of several relays with one
// name one does, and the others stand by.
type Relay struct {
	cfg       Config
	redis     redis.UniversalClient
	publisher *Publisher
	ledger    *cache.Ledger
	watch     *dep.Watch
	reader    *replicator.Reader
	probe     *replicator.Probe
	log       *slog.Logger
	metrics   *relayMetrics
	lease     lease
	hinted    struct{ asks, interests chan struct{} }
}

// New returns a relay; Run starts it. It sets the reader's OnRestart and OnFile.
func New(cfg Config, p Parts) *Relay {
	r := &Relay{
		cfg: cfg, redis: p.Redis, publisher: p.Publisher, ledger: p.Ledger, watch: p.Watch, reader: p.Reader, probe: p.Probe,
		log: p.Log, metrics: newRelayMetrics(p.Registry),
		lease: lease{cfg: cfg, redis: p.Redis, owner: strconv.FormatUint(rand.Uint64(), 16)},
	}
	r.hinted.asks, r.hinted.interests = make(chan struct{}, 1), make(chan struct{}, 1)
	restarted := p.Reader.OnRestart
	p.Reader.OnRestart = func(at cache.Mark) {
		if restarted != nil {
			restarted(at)
		}
		p.Publisher.Restarted(at)
	}
	p.Reader.OnFile = p.Publisher.Opened
	p.Publisher.Source = p.Reader.Following
	p.Publisher.Passed = p.Reader.History().Passed
	p.Publisher.CatchingUp = func() bool { return p.Reader.Stream() == 0 }
	p.Publisher.Settled = func(at cache.Mark) bool {
		_, ok := p.Reader.History().Place(at)
		return ok
	}
	return r
}

// Run publishes whenever no other relay does, until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	var wait pause
	for ctx.Err() == nil {
		held, err := r.lease.hold(ctx)
		switch {
		case err != nil:
			wait.failed(ctx, r.log, "Redis cannot be asked whether another relay publishes", err)
		case !held:
			sleep(ctx, r.cfg.Lease/3)
		default:
			wait.succeeded()
			r.serve(ctx)
		}
	}
	r.lease.give(context.WithoutCancel(ctx))
}

// serve publishes until ctx ends, or another relay does it. The reader begins as that of a new process does each time: there
// may be days between, and what the other relay has come to is the better place by then.
func (r *Relay) serve(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.log.Info("publishing the binlog", "name", r.cfg.Name)
	r.metrics.active.Set(1)
	defer r.metrics.idle()
	defer r.reader.Forget()
	r.publisher.Begin("this relay begins")
	taker := &taker{relay: r, seen: map[string]seenInterest{}}
	if err := taker.round(ctx); err != nil {
		r.log.Warn("the consumers' interests cannot be read; they will be asked for again", "error", err)
	}
	var all sync.WaitGroup
	for _, run := range []func(context.Context){
		r.reader.Run, r.probe.Run, r.send, r.lease.keep, r.listen, taker.run, (&answerer{relay: r, answered: map[string]asked{}}).run,
	} {
		all.Go(func() {
			defer stop() // what one of them cannot do, the others need not
			run(ctx)
		})
	}
	all.Wait()
}

func (r *Relay) send(ctx context.Context) {
	if err := r.publisher.Send(ctx); errors.Is(err, errSuperseded) {
		r.log.Warn("standing by", "reason", err)
		sleep(ctx, r.cfg.Lease)
	}
}

// ask makes the probe ask for the source's position at once.
func (r *Relay) ask() { r.probe.Ask() }

// listen passes on the consumers' hints. Those that are lost while the connection is away cost time alone.
func (r *Relay) listen(ctx context.Context) {
	hints := r.redis.Subscribe(ctx, r.cfg.hints())
	defer func() { _ = hints.Close() }()
	for {
		select {
		case m, ok := <-hints.Channel():
			if !ok {
				sleep(ctx, roundEvery)
				return
			}
			r.hint(m.Payload)
		case <-ctx.Done():
			return
		}
	}
}

func (r *Relay) hint(what string) {
	c := r.hinted.asks
	if what == hintInterests {
		c = r.hinted.interests
	}
	select {
	case c <- struct{}{}:
	default:
	}
}
