package relay

import (
	"context"
	"log/slog"
	"math/rand/v2"
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

// maxEntry is when an entry is closed. One transaction is never cut, so that an entry may be larger.
const maxEntry = 256 << 10

// Publisher is the first stage behind the binlog's reader of a relay: it notes each transaction as the reader has made it,
// for [Publisher.Send] to publish, and hands it on. In the present it does not wait for Redis: what cannot be sent yet is
// kept up to a bound. Past that bound a new incarnation begins, so that consumers see that something is missing; silence would look as if
// nothing had happened.
//
// An incarnation is a sequence of entries, of which each says its number and where the changes before it end. It begins
// with a checkpoint. There is a new one each time that something cannot follow on what was published before.
//
// Apply, Restarted and Opened are called on the stream's goroutine. The other methods may be called from anywhere.
type Publisher struct {
	cfg     Config
	redis   redis.UniversalClient
	ledger  *cache.Ledger
	journal *replicator.Journal
	watch   *dep.Watch
	next    change.Applier
	log     *slog.Logger
	metrics *publisherMetrics

	// Source tells which server is followed. It is set before anything is applied.
	Source func() identity.Identity
	// Settled, if set, says that the file of a mark cannot be mistaken for another one of its number: see [cache.Places].
	Settled func(at cache.Mark) bool
	// Passed, if set, is [replicator.History.Passed].
	Passed func(at cache.Seq) bool

	// CatchingUp, if set, says that the stream is still on its way from a place in the past: see awaitRoom.
	CatchingUp func() bool

	// Of the stream's goroutine.
	file    File
	late    []lately
	checked time.Time

	mu          sync.Mutex
	incarnation uint64
	begun       bool // its first checkpoint is published
	n           uint64
	from, end   cache.Seq // where the records of the open entry begin, and where all changes end
	open        []byte    // records of the entry that is being made
	openSince   time.Time
	closed      []entry // entries that are to be sent, oldest first
	bytes       int     // of all that is to be sent
	answers     []answer
	announce    []dep.Interests
	wake        chan struct{}

	sender sender
}

// entry is one that is to be sent.
type entry struct {
	n     uint64
	bytes []byte
	since time.Time // its first record
}

type lately struct {
	lateCommit
	at time.Time
}

// NewPublisher returns a publisher that hands transactions to next, which ends in a recorder with the given ledger, journal
// and watch. A nil registerer counts without exporting.
func NewPublisher(cfg Config, client redis.UniversalClient, ledger *cache.Ledger, journal *replicator.Journal, watch *dep.Watch, next change.Applier, log *slog.Logger, reg prometheus.Registerer) *Publisher {
	p := &Publisher{cfg: cfg, redis: client, ledger: ledger, journal: journal, watch: watch, next: next, log: log, wake: make(chan struct{}, 1)}
	p.metrics = newPublisherMetrics(reg, p)
	p.begin()
	return p
}

// Apply implements [change.Applier]. The transaction is noted first: later stages change it.
func (p *Publisher) Apply(ctx context.Context, t *change.Transaction) {
	p.note(t)
	p.next.Apply(ctx, t)
	p.afterwards()
	p.awaitRoom(ctx)
}

// Restarted begins an incarnation: the reader's ledger has begun an epoch. It is for [replicator.Reader.OnRestart].
func (p *Publisher) Restarted(cache.Mark) {
	p.file, p.late = File{}, nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = 0
	p.beginWhy("the place in the binlog is another")
}

// Opened notes that the stream goes on in a file. It is for [replicator.Reader.OnFile].
func (p *Publisher) Opened(name string, begun uint32) {
	p.file = File{Name: name, Begun: begun}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun {
		p.add(appendFile(p.open, p.file))
	}
}

// Begin begins a new incarnation, with a checkpoint as soon as the stream moves.
func (p *Publisher) Begin(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beginWhy(why)
}

func (p *Publisher) beginWhy(why string) {
	p.log.Info("the relay's stream begins anew; its consumers begin with an empty cache", "reason", why)
	p.begin()
}

// begin is Begin with the lock held. Where all changes end stays known: the next checkpoint must not be before that.
func (p *Publisher) begin() {
	p.incarnation, p.begun, p.n = rand.Uint64(), false, 0
	p.from, p.open, p.closed, p.bytes, p.answers = 0, nil, nil, 0, nil
	p.metrics.incarnations.Inc()
}

// Incarnation is the present one.
func (p *Publisher) Incarnation() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.incarnation
}

// note appends a transaction to the open entry. What comes before the incarnation's first checkpoint is part of that.
func (p *Publisher) note(t *change.Transaction) {
	if t.XAThread != 0 {
		p.late = append(p.late, lately{lateCommit{t.XAThread, t.Seq}, time.Now()})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	progress := flagsOf(t)&^isCoarse == 0
	stands := t.Seq <= p.end
	p.end = max(p.end, t.Seq)
	switch {
	case !p.begun || progress && stands:
	case progress:
		p.add(appendProgress(p.open, t.Seq))
	default:
		p.add(appendTransaction(append(p.open, kindTransaction), t))
		p.metrics.transactions.Inc()
	}
}

// add takes the open entry with one record more. The lock is held.
func (p *Publisher) add(open []byte) {
	if len(p.open) == 0 {
		p.openSince = time.Now()
	}
	p.bytes += len(open) - len(p.open)
	p.open = open
	if len(open) >= maxEntry {
		p.close()
	}
	if p.bytes > p.cfg.Buffer {
		p.metrics.overflows.Inc()
		p.beginWhy("Redis is away, or takes the stream too slowly, and what is to be sent has become too much")
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close makes an entry of the open one. The lock is held.
func (p *Publisher) close() {
	if len(p.open) == 0 {
		return
	}
	p.n++
	b := appendEntry(nil, header{p.incarnation, p.n, p.from, p.end}, p.open)
	p.bytes += len(b) - len(p.open)
	p.closed = append(p.closed, entry{p.n, b, p.openSince})
	p.from, p.open = p.end, p.open[:0]
}
