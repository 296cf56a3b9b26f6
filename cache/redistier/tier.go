package redistier

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"weir/cache"
)

// Tier implements [cache.Tier] over Redis.
type Tier struct {
	// Log, if set before the tier is used, is told when servers are out and when they are back.
	Log *slog.Logger

	cfg     Config
	places  cache.Places
	client  redis.UniversalClient
	codec   *codec
	names   names
	nodes   *nodes
	costs   *costs
	queue   *queue
	metrics *metrics
}

var _ cache.Tier = (*Tier)(nil)

// New returns a tier that has connected to nothing yet. The dialect says what keys and results of this Weir look like: a value
// that was written under another one is not found. A nil registerer counts without exporting. cfg has to be valid.
func New(cfg Config, places cache.Places, dialect string, reg prometheus.Registerer) *Tier {
	t := &Tier{
		cfg: cfg, places: places, client: NewClient(cfg),
		codec: newCodec(dialect, cfg.MaxValue, cfg.CompressOver),
		names: newNames(cfg.Namespace, dialect),
		costs: newCosts(cfg.MinCost),
		queue: newQueue(cfg.QueueEntries, cfg.QueueBytes),
	}
	t.metrics = newMetrics(reg, t)
	t.nodes = newNodes(t)
	return t
}

// Run writes what is offered, and looks after servers that are out, until ctx ends. Before Run nothing is written, and lookups
// work; after it, what is queued is lost.
func (t *Tier) Run(ctx context.Context) {
	var g errgroup.Group
	for range writers {
		g.Go(func() error { t.write(ctx); return nil })
	}
	g.Go(func() error { t.probe(ctx); return nil })
	_ = g.Wait() // none of them returns an error
}

// Close closes all connections. Lookups that are under way fail, and those that come later.
func (t *Tier) Close() error {
	return t.client.Close()
}

// Client is the tier's own, for those who keep other things in the same Redis. It is closed with the tier.
func (t *Tier) Client() redis.UniversalClient { return t.client }

func (t *Tier) log() *slog.Logger {
	if t.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return t.Log
}

// sinceUnix is how long ago a moment in milliseconds of the Unix time was; zero if it is still to come, as it may be by
// another machine's clock.
func sinceUnix(ms int64, now time.Time) time.Duration {
	return max(0, now.Sub(time.UnixMilli(ms)))
}
