package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator"
	"weir/replicator/change"
	"weir/replicator/identity"
)

const (
	// readBlock is how long one read waits for the next entry.
	readBlock = 500 * time.Millisecond
	// readCount is how many entries are read at once.
	readCount = 64
	// silence is how long the stream may be still, which has a checkpoint each second, until one looks whether it is still
	// the same.
	silence = 3 * time.Second
)

// Consumer follows a relay's stream, and does with it what a [replicator.Reader] and its probe do with the binlog: it hands
// the source's transactions to the first stage, in order, on one goroutine, begins an epoch of the ledger where it cannot go
// on, and tells the ledger as of when it is complete.
//
// Where anything is missing it begins a new epoch at the next checkpoint, with nothing known before it: an entry whose
// number does not follow on the last one's, or that says that there were changes between them; an entry that cannot be
// read; an entry of another incarnation. So Redis may lose, cut off, bring back or garble what it likes. Of what it does in
// silence, such as giving nothing any more, the questions take care: see [Consumer.Ask].
type Consumer struct {
	cfg     Config
	redis   redis.UniversalClient
	ledger  *cache.Ledger
	journal *replicator.Journal
	watch   *dep.Watch
	next    change.Applier
	log     *slog.Logger
	metrics *consumerMetrics
	id      string
	history *replicator.History

	// OnRestart, if set, is called before anything of a new epoch is applied, as in [replicator.Reader]. It must not block.
	OnRestart func(at cache.Mark)

	// Of the goroutine that reads.
	at        place  // of the last entry that was read
	last      header // of it
	following bool   // an epoch has begun in which all entries up to it are applied

	mu        sync.Mutex
	state     replicator.State
	source    identity.Identity
	applied   applied
	interrupt context.CancelCauseFunc

	answered chan struct{} // an entry has said that there are answers
	hurry    chan struct{}
}

// applied says how far a consumer is.
type applied struct {
	epoch       uint64
	incarnation uint64
	n           uint64
}

// NewConsumer returns a consumer; Run starts it. The watch is one of [dep.NewRemoteWatch]. A nil registerer counts without
// exporting.
func NewConsumer(cfg Config, client redis.UniversalClient, ledger *cache.Ledger, journal *replicator.Journal, watch *dep.Watch, next change.Applier, log *slog.Logger, reg prometheus.Registerer) *Consumer {
	return &Consumer{
		cfg: cfg, redis: client, ledger: ledger, journal: journal, watch: watch, next: next, log: log,
		metrics: newConsumerMetrics(reg), id: strconv.FormatUint(rand.Uint64(), 36), history: replicator.NewHistory(ledger),
		answered: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
	}
}

// Run follows the stream until ctx ends, through every error.
func (c *Consumer) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, run := range []func(context.Context){c.follow, c.askAlways, c.leaveInterests} {
		all.Go(func() { run(ctx) })
	}
	all.Wait()
}

// History is that of the source's binlog, as far as the ledger knows it.
func (c *Consumer) History() *replicator.History { return c.history }

// Following tells which server's changes the ledger has.
func (c *Consumer) Following() identity.Identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source
}

// State tells what the consumer is at: connected is who has a place in the stream that it can go on from.
func (c *Consumer) State() replicator.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

func (c *Consumer) setState(s replicator.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Connected == c.state.Connected && s.Connected {
		return
	}
	s.Since = time.Now()
	c.state = s
}

// Lost makes the consumer begin again at the next checkpoint, because somebody else has seen that it must.
func (c *Consumer) Lost(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interrupt != nil {
		c.interrupt(lostError{why: why, reason: "told"})
	}
}

// lostError: what comes cannot be applied to what the ledger has.
type lostError struct{ why, reason string }

func (l lostError) Error() string { return l.why }

var (
	errNoStream = errors.New("no relay publishes in Redis; start one with weir relay")
	errSilent   = errors.New("the relay's stream has been silent for some seconds; is a relay running?")
)

// follow reads the stream, and looks at it anew after each error.
func (c *Consumer) follow(ctx context.Context) {
	var wait pause
	for ctx.Err() == nil {
		began := time.Now()
		err := c.attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		var lost lostError
		if errors.As(err, &lost) {
			c.lose(lost)
		}
		if time.Since(began) > silence/2 {
			wait.succeeded()
		}
		c.setState(replicator.State{Err: err})
		c.metrics.reconnects.Inc()
		wait.failed(ctx, c.log, "the relay's stream cannot be followed; trying again", err)
	}
}

// attempt reads on from where it was left, until something ends it.
func (c *Consumer) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.setInterrupt(cancel)
	defer c.setInterrupt(nil)
	if err := c.look(ctx); err != nil {
		return err
	}
	for quiet := time.Now(); ; {
		got, err := c.read(ctx)
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("read the relay's stream: %w", err)
		case got:
			quiet = time.Now()
		case time.Since(quiet) > silence:
			return errSilent
		}
	}
}

func (c *Consumer) setInterrupt(f context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt = f
}

// look compares the end of the stream with where the consumer is. Ids only grow as long as Redis keeps what it has taken;
// if it has not, entries may come whose ids are before the consumer's place, and which it would never be given.
//
// Whoever begins, begins at the oldest entry of the last incarnation, so that it knows the past as far as it is kept.
func (c *Consumer) look(ctx context.Context) error {
	top, _, err := last(ctx, c.redis, c.cfg.stream())
	switch {
	case err != nil:
		return err
	case top == place{}:
		c.at = place{}
		c.lose(lostError{"the relay's stream is gone", "gone"})
		return errNoStream
	case c.at == place{}:
		c.at = place{base: top.base}
	case top.before(c.at):
		c.lose(lostError{"the relay's stream ends before what was read of it", "rollback"})
		c.at = place{base: top.base}
	}
	return nil
}

func (p place) before(o place) bool { return p.base < o.base || p.base == o.base && p.n < o.n }

// read reads and applies what comes next. It is false if nothing has come for a while.
func (c *Consumer) read(ctx context.Context) (bool, error) {
	streams, err := c.redis.XRead(ctx, &redis.XReadArgs{
		Streams: []string{c.cfg.stream(), c.at.String()}, Count: readCount, Block: readBlock,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, s := range streams {
		for _, m := range s.Messages {
			if err := c.take(ctx, m); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func (c *Consumer) take(ctx context.Context, m redis.XMessage) error {
	at, err := parsePlace(m.ID)
	if err != nil {
		return err
	}
	c.at = at
	c.metrics.entries.Inc()
	c.entry(ctx, at, payload(m))
	return nil
}
