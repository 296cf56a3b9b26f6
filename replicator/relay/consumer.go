package relay

import (
	"context"
	"errors"
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
	"weir/replicator/gtid"
	"weir/replicator/identity"
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

	// OnFile, if set, is told the name of each of the source's files in which the stream goes on. It must not block.
	OnFile func(name string)

	// Prepare, if set, is called before OnRestart, when the epoch has begun and nothing of it counts yet. It returns when the
	// source has the transactions, shows what they have changed, and whoever tells changes has asked it for its schema: see
	// prepare. An error is told, and nothing else.
	Prepare func(ctx context.Context, source identity.Identity, done *gtid.Set) error

	// Of the goroutine that reads.
	at        place     // of the last entry that was read
	last      header    // of it
	end       cache.Seq // of the file that was opened last, so far
	following bool      // an epoch has begun in which all entries up to it are applied

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
	c := &Consumer{
		cfg: cfg, redis: client, ledger: ledger, journal: journal, watch: watch, next: next, log: log,
		metrics: newConsumerMetrics(reg), id: strconv.FormatUint(rand.Uint64(), 36), history: replicator.NewHistory(ledger),
		answered: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
	}
	if reg != nil {
		reg.MustRegister(replicator.NewPositionCollector(ledger, c.State))
	}
	return c
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
