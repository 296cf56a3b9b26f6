package relay

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Whoever prepares is asked when the epoch has begun, and before anything of it counts, and is told what has to be shown.
func TestConsumerPreparesBeforeAnythingCounts(t *testing.T) {
	for _, failure := range []error{nil, errors.New("the source is away")} {
		r := newRelaying(t, nil)
		r.flush()
		r.change(200, row)
		r.checkpointNow()
		r.change(300, row)
		c := newConsuming(t, r.cfg, nil)
		asked := 0
		c.Prepare = func(_ context.Context, of identity.Identity, done *gtid.Set) error {
			asked++
			if of != source || !done.Contains(gtid.OfMariaDB(0, 1, 2)) || c.Following() != source {
				t.Errorf("it is asked for %v of %v, while %v is followed", done, of, c.Following())
			}
			if m := c.ledger.Mark(); m != (cache.Mark{Epoch: 1}) || len(c.began) > 0 || c.isAt().n > 0 {
				t.Errorf("by then the ledger is at %v, has told %v, and the consumer takes itself to be at %v", m, c.began, c.isAt())
			}
			return failure
		}
		c.give(r.entryOf(t))
		c.want("after the checkpoint", 1, true, 300)
		if asked != 1 || len(c.began) != 1 {
			t.Errorf("it was asked %d times, and %v began", asked, c.began)
		}
	}
}

// A stream from the past that is faster than Redis waits; what it would drop is what consumers are to begin with.
func TestPastWaitsForRedis(t *testing.T) {
	for _, past := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRelaying(t, nil)
			r.cfg.Buffer = 100_000
			r.CatchingUp = func() bool { return past }
			before, done := r.Incarnation(), make(chan struct{})
			go func() {
				defer close(done)
				for pos := uint64(200); pos < 20_000; pos += 100 {
					r.change(pos, make([]cache.Tag, 1000)...)
				}
			}()
			for tick := time.NewTicker(10 * time.Millisecond); ; {
				select {
				case <-tick.C:
					r.flush()
					continue
				case <-done:
				}
				tick.Stop()
				break
			}
			if same := r.Incarnation() == before; same != past {
				t.Errorf("in the past: %v; all of it is in one incarnation: %v", past, same)
			}
		})
	}
}

// If Redis is away the stream goes on all the same.
func TestPastDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRelaying(t, nil)
		r.cfg.Buffer = 10_000
		r.CatchingUp = func() bool { return true }
		began := time.Now()
		r.change(200, make([]cache.Tag, 1000)...)
		if took := time.Since(began); took != sendTimeout {
			t.Errorf("it goes on after %s, want %s", took, sendTimeout)
		}
	})
}

// A relay that stands by knows of nobody, and has no place that it might leave for others.
func TestStandingByIsIdle(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := shop(t, flavor)
		cl := client(t, sandboxtest.Redis(t, sandbox.RedisOptions{}))
		cfg := DefaultConfig()
		cfg.Lease = 300 * time.Millisecond
		r, _, _ := relayOf(t, server, cl, cfg)
		_, remote := consumerOf(t, server, cl, cfg)
		remote.watch.Want(orders, byID)
		busy := func() bool {
			_, has := r.reader.Checkpoint()
			return has && value(t, r.metrics.active) == 1 && value(t, r.metrics.consumers) == 1 && value(t, r.metrics.interests) == 1
		}
		eventually(t, "a relay with a consumer", busy)
		cl.Set(t.Context(), cfg.lease(), "another one", 0)
		eventually(t, "a relay that stands by", func() bool {
			_, has := r.reader.Checkpoint()
			return !has && value(t, r.metrics.active)+value(t, r.metrics.consumers)+value(t, r.metrics.interests) == 0
		})
		cl.Del(t.Context(), cfg.lease())
		eventually(t, "the relay again", busy)
	})
}

func value(t *testing.T, g prometheus.Gauge) float64 {
	t.Helper()
	var m dto.Metric
	if err := g.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetGauge().GetValue()
}

// What a consumer is to vouch for: the source shows all of it, or is another server, or does not in time.
func TestSourceShows(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := shop(t, flavor)
		cfg := replicator.DefaultConfig()
		cfg.Addr, cfg.User, cfg.Password = server.Addr(), "weir", "secret"
		s := replicator.NewSource(cfg)
		defer s.Close()
		p, err := s.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Shows(t.Context(), p.Identity, p.GTIDs); err != nil {
			t.Errorf("what it has: %v", err)
		}
		if err := s.Shows(t.Context(), source, p.GTIDs); err == nil {
			t.Error("another server shows it")
		}
		later := withNext(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		shown := make(chan error, 1)
		go func() { shown <- s.Shows(ctx, p.Identity, later) }()
		select {
		case err := <-shown:
			t.Fatalf("what it has not: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		sandboxtest.Exec(t, server, "UPDATE shop.orders SET amount = 99 WHERE id = 1")
		if err := <-shown; err != nil {
			t.Errorf("what it has by now: %v", err)
		}
	})
}

// withNext is what the source has, and the transaction that it will write next.
func withNext(t *testing.T, p replicator.Position) *gtid.Set {
	text := p.GTIDs.String()
	at := strings.LastIndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) + 1
	n, err := strconv.Atoi(text[at:])
	if err != nil {
		t.Fatal(err)
	}
	set, err := gtid.Parse(p.Identity.Flavor, text[:at]+strconv.Itoa(n+1))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
