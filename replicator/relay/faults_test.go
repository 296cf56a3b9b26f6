package relay

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// faulty is a source, a Redis and a consumer, while relays come and go.
type faulty struct {
	t        *testing.T
	server   *sandbox.Server
	redis    *sandbox.Redis
	cl       redis.UniversalClient
	cfg      Config
	consumer *Consumer
	chain    *chain
	stop     func()
	written  int
}

func newFaulty(t *testing.T, flavor sandbox.Flavor) *faulty {
	f := &faulty{t: t, server: shop(t, flavor), redis: sandboxtest.Redis(t, sandbox.RedisOptions{}), cfg: DefaultConfig()}
	f.cfg.Lease = 300 * time.Millisecond
	f.cl = client(t, f.redis)
	_, _, f.stop = relayOf(t, f.server, f.cl, f.cfg)
	f.consumer, f.chain = consumerOf(t, f.server, f.cl, f.cfg)
	f.writeAndCheck("at first")
	return f
}

// writeAndCheck writes, and waits until the consumer says that it is complete as of a moment after the write. Then it must
// have recorded it, or have begun after it.
func (f *faulty) writeAndCheck(when string) {
	f.t.Helper()
	at, moment := f.write()
	var mark cache.Mark
	eventually(f.t, when+": a consumer that is complete", func() bool {
		m, ok := f.chain.ledger.MarkAsOf(moment)
		mark = m
		return ok
	})
	if mark.Seq < at {
		f.t.Errorf("%s: complete as of a moment after the change at %s, and the head is at %s", when, at, mark.Seq)
	}
}

// write returns a place that is not before the write, and a moment that is after it.
func (f *faulty) write() (cache.Seq, time.Duration) {
	f.t.Helper()
	f.written++
	sandboxtest.Exec(f.t, f.server, fmt.Sprintf("UPDATE shop.orders SET amount = %d WHERE id = 1", 1000+f.written))
	p, err := f.server.Position(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	file, _ := strconv.ParseUint(p.File[strings.LastIndexByte(p.File, '.')+1:], 10, 32)
	return cache.At(uint32(file), p.Pos), f.chain.ledger.Now()
}

func (f *faulty) relay() { _, _, f.stop = relayOf(f.t, f.server, f.cl, f.cfg) }

// TestPitfall46NeverCompleteWithAHole: relays die, stand by and take over; Redis forgets, restarts, fails over to what it
// was; the consumer comes back each time, and is at no time complete without what was committed before.
func TestPitfall46NeverCompleteWithAHole(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFaulty(t, flavor)
		for _, fault := range []struct {
			name string
			do   func()
		}{
			{"the relay ends, and another one begins", func() { f.stop(); f.write(); f.relay() }},
			{"the one that stands by takes over", func() {
				before := f.stop
				f.relay()
				before()
			}},
			{"FLUSHALL", func() { f.cl.FlushAll(t.Context()) }},
			{"Redis restarts empty", func() {
				if err := f.redis.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
			}},
			{"Redis brings back an older stream", f.rollBack},
			{"Redis dies and comes back, and a relay with it", func() {
				f.redis.Kill()
				f.write()
				f.stop()
				if err := f.redis.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.relay()
			}},
			{"the source's binlog begins anew", func() { f.reset(flavor) }},
		} {
			fault.do()
			f.writeAndCheck(fault.name)
			f.writeAndCheck(fault.name + ", then")
		}
	})
}

// rollBack does what a failover to a replica that lags does: all keys are again as they were a while ago.
func (f *faulty) rollBack() {
	keys := []string{f.cfg.stream(), f.cfg.asks(), f.cfg.answers(), f.cfg.interests()}
	dumps := map[string]string{}
	for _, k := range keys {
		dumps[k] = f.cl.Dump(f.t.Context(), k).Val()
	}
	for range 5 {
		f.writeAndCheck("before the failover")
	}
	for _, k := range keys {
		if dumps[k] != "" {
			f.cl.RestoreReplace(f.t.Context(), k, 0, dumps[k])
		}
	}
}

func (f *faulty) reset(flavor sandbox.Flavor) {
	statement := "RESET MASTER"
	if flavor == sandbox.MySQL {
		statement = "RESET BINARY LOGS AND GTIDS"
	}
	sandboxtest.Exec(f.t, f.server, statement)
}

// A consumer whose relay has stopped is not complete for longer than the bound, however it is asked.
func TestNoRelayNoCompleteness(t *testing.T) {
	t.Parallel()
	f := newFaulty(t, sandbox.MariaDB)
	f.stop()
	moment := f.chain.ledger.Now()
	at, _ := f.chain.ledger.CompleteAsOf()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for f.consumer.question(ctx) == nil {
		if ctx.Err() != nil {
			t.Fatal("somebody goes on answering")
		}
	}
	if again, _ := f.chain.ledger.CompleteAsOf(); again > moment {
		t.Errorf("complete as of %s, was %s when the relay had stopped at %s", again, at, moment)
	}
}
