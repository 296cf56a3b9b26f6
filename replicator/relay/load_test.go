package relay

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
	"weir/replicator/change"
)

// A figure takes longer than what is said of it without the flags: see make relay-load.
var (
	loadConsumers = flag.Int("relay.consumers", 3, "how many consumers follow the relay under load")
	loadSeconds   = flag.Float64("relay.seconds", 1, "how long it is written")
	loadRate      = flag.Float64("relay.rate", 200, "how many transactions a second they write; 0 is as many as they can")
	loadWriters   = flag.Int("relay.writers", 4, "how many connections write")
)

// lags notes when transactions came to the relay, and how much later to each consumer.
type lags struct {
	mu    sync.Mutex
	came  map[cache.Seq]time.Time
	taken []time.Duration
}

// stamp is a stage in front of the publisher.
type stamp struct {
	*lags
	next change.Applier
}

func (s stamp) Apply(ctx context.Context, t *change.Transaction) {
	if !t.GTID.IsZero() {
		s.mu.Lock()
		s.came[t.Seq] = time.Now()
		s.mu.Unlock()
	}
	s.next.Apply(ctx, t)
}

// measure is a stage behind a consumer, in front of the recorder of a ledger.
type measure struct {
	*lags
	next change.Applier
}

func (m measure) Apply(ctx context.Context, t *change.Transaction) {
	m.next.Apply(ctx, t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.came[t.Seq]; ok {
		m.taken = append(m.taken, time.Since(at))
	}
}

func (l *lags) at(quantile float64) time.Duration {
	slices.Sort(l.taken)
	return l.taken[int(quantile*float64(len(l.taken)-1))]
}

// TestLoadOfOneRelay says how many changes a second one relay passes on to consumers in one process, and how long they take.
func TestLoadOfOneRelay(t *testing.T) {
	server := shop(t, sandbox.MariaDB)
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := redis.NewClient(&redis.Options{Addr: r.Addr(), ContextTimeoutEnabled: true, PoolSize: 3**loadConsumers + 10})
	defer cl.Close()
	l := &lags{came: map[cache.Seq]time.Time{}}
	cfg := DefaultConfig()
	relay, behind, _ := relayOf(t, server, cl, cfg, func(next change.Applier) change.Applier { return stamp{l, next} })
	var all []*Consumer
	for range *loadConsumers {
		all = append(all, l.consumer(t, cl, cfg))
	}
	behind.settled(relay.ask)
	eventually(t, "all consumers", func() bool {
		return !slices.ContainsFunc(all, func(c *Consumer) bool { return c.isAt().n == 0 })
	})
	written := l.write(t, server)
	moments := time.Now()
	eventually(t, "all consumers complete", func() bool {
		return !slices.ContainsFunc(all, func(c *Consumer) bool {
			_, ok := c.ledger.MarkAsOf(c.ledger.Now() - time.Since(moments))
			return !ok
		})
	})
	if want := written * *loadConsumers; len(l.taken) < want {
		t.Errorf("%d of %d transactions have come to consumers", len(l.taken), want)
	}
	t.Logf("%d consumers, %d writers: %.0f transactions/s at the source; from the relay to a consumer's ledger p50 %s, p99 %s, max %s; all complete %s after the last one",
		*loadConsumers, *loadWriters, float64(written) / *loadSeconds, l.at(.5), l.at(.99), l.at(1), time.Since(moments).Round(time.Millisecond))
}

func (l *lags) consumer(t *testing.T, cl redis.UniversalClient, cfg Config) *Consumer {
	ledger := cache.NewLedger(1 << 10)
	journal, watch := replicator.NewJournal(), dep.NewRemoteWatch(ledger)
	log := slog.New(slog.DiscardHandler)
	recorder := replicator.NewRecorder(ledger, journal, noForeignKeys{}, log, nil)
	c := NewConsumer(cfg, cl, ledger, journal, watch, measure{l, recorder}, log, nil)
	background(t, c.Run)
	return c
}

// write writes for a while, one row a transaction, and returns how many there were.
func (l *lags) write(t *testing.T, server *sandbox.Server) int {
	db := sandboxtest.RootDB(t, server, "shop")
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*loadSeconds*float64(time.Second)))
	defer cancel()
	var n atomic.Int64
	var writers sync.WaitGroup
	for w := range *loadWriters {
		writers.Go(func() { n.Add(l.writeRow(ctx, t, db, 100+w)) })
	}
	writers.Wait()
	return int(n.Load())
}

func (l *lags) writeRow(ctx context.Context, t *testing.T, db *sql.DB, id int) (n int64) {
	if _, err := db.Exec(fmt.Sprintf("INSERT INTO orders VALUES (%d, 'new', 0)", id)); err != nil {
		t.Error(err)
	}
	for ctx.Err() == nil {
		if *loadRate > 0 {
			sleep(ctx, time.Duration(float64(*loadWriters) / *loadRate * float64(time.Second)))
		}
		if _, err := db.Exec(fmt.Sprintf("UPDATE orders SET amount = amount + 1 WHERE id = %d", id)); err != nil {
			t.Error(err)
			return n
		}
		n++
	}
	return n
}
