package relay

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

func client(t testing.TB, server *sandbox.Redis) redis.UniversalClient {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialTimeout: time.Second, ContextTimeoutEnabled: true, PoolSize: 100})
	t.Cleanup(func() { c.Close() })
	return c
}

// background runs something until the test, or what is returned, ends it.
func background(t testing.TB, run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !await(t.Context(), 30*time.Second, so) {
		t.Fatalf("%s does not come", what)
	}
}

// sending is a relay's stream that goes to Redis.
func sending(t testing.TB, c redis.UniversalClient) (*relaying, func()) {
	r := newRelaying(t, c)
	return r, background(t, func(ctx context.Context) { _ = r.Send(ctx) })
}

// following is a consumer that reads it, without asking.
func following(t testing.TB, c redis.UniversalClient) *consuming {
	return followingWithin(t, c, DefaultConfig().MaxStaleness)
}

func followingWithin(t testing.TB, c redis.UniversalClient, bound time.Duration) *consuming {
	cfg := DefaultConfig()
	cfg.MaxStaleness = bound
	consumer := newConsuming(t, cfg, c)
	background(t, consumer.follow)
	return consumer
}

func (c *consuming) comesTo(when string, head uint64) {
	c.t.Helper()
	eventually(c.t, when, func() bool { return c.ledger.Head() >= cache.At(1, head) && c.isAt().n > 0 })
}

func TestStreamThroughRedis(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	r, _ := sending(t, cl)
	early := following(t, cl)
	for pos := uint64(200); pos <= 3000; pos++ {
		r.change(pos, row, cache.Tag(pos))
	}
	early.comesTo("the last change", 3000)
	late := following(t, cl)
	late.comesTo("the last change, for one who comes late", 3000)
	for pos := uint64(200); pos <= 3000; pos++ {
		if got := late.ledger.Last(cache.Tag(pos)); got < cache.At(1, pos) {
			t.Fatalf("the change at %d is known as one at %s", pos, got)
		}
	}
	if late.ledger.Epoch() != 1 || early.ledger.Epoch() != 1 {
		t.Errorf("it took epochs %d and %d", early.ledger.Epoch(), late.ledger.Epoch())
	}
}

// What is forgotten, cut or emptied in Redis begins a new epoch, or is nothing that a consumer had still to read.
func TestRedisForgets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		forget func(t *testing.T, cl redis.UniversalClient, server *sandbox.Redis)
	}{
		{"FLUSHALL", func(t *testing.T, cl redis.UniversalClient, _ *sandbox.Redis) { cl.FlushAll(t.Context()) }},
		{"restart", func(t *testing.T, _ redis.UniversalClient, server *sandbox.Redis) {
			if err := server.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}},
		{"trim", func(t *testing.T, cl redis.UniversalClient, _ *sandbox.Redis) {
			cl.XTrimMaxLen(t.Context(), DefaultConfig().stream(), 0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := sandboxtest.Redis(t, sandbox.RedisOptions{})
			cl := client(t, server)
			r, _ := sending(t, cl)
			before := following(t, cl)
			behind := newConsuming(t, r.cfg, cl)
			stop := background(t, behind.follow)
			r.change(200, row)
			before.comesTo("the first change", 200)
			behind.comesTo("the first change", 200)
			stop()
			r.change(300, row, 7)
			before.comesTo("what the other one misses", 300)
			c.forget(t, cl, server)
			background(t, behind.follow)
			eventually(t, "what follows", func() bool {
				r.checkpointNow()
				r.change(400, row)
				return before.ledger.Head() >= cache.At(1, 400) && behind.ledger.Head() >= cache.At(1, 400)
			})
			if behind.ledger.Last(7) < cache.At(1, 300) && behind.ledger.Floor() < cache.At(1, 300) {
				t.Errorf("a consumer that missed the change at 300 takes itself to know everything since %s", behind.ledger.Floor())
			}
		})
	}
}

// The steps of [Publisher.Send]: what was sent twice is there once, and of two relays the later one goes on.
func TestTwoRelays(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	first, second := newRelaying(t, cl), newRelaying(t, cl)
	ctx := t.Context()
	one := first.take()
	for range 2 {
		if err := first.attempt(ctx, one); err != nil {
			t.Fatalf("sending an entry once more: %v", err)
		}
	}
	first.done(one)
	if n := cl.XLen(ctx, first.cfg.stream()).Val(); n != 1 {
		t.Fatalf("an entry that was sent twice is there %d times", n)
	}
	two := second.take()
	if err := second.attempt(ctx, two); err != nil {
		t.Fatal(err)
	}
	second.done(two)
	first.change(200, row)
	if err := first.attempt(ctx, first.take()); !errors.Is(err, errSuperseded) {
		t.Errorf("the first relay publishes beside the second: %v", err)
	}
	second.change(300, row)
	if err := second.attempt(ctx, second.take()); err != nil {
		t.Errorf("the second relay does not go on: %v", err)
	}
}

// A relay whose clock is behind that of the one before it still publishes after it.
func TestClockOfAnotherRelay(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	first, second := newRelaying(t, cl), newRelaying(t, cl)
	first.sender = sender{incarnation: first.Incarnation(), base: uint64(time.Now().Add(time.Hour).UnixMilli())}
	for _, r := range []*relaying{first, second} {
		g := r.take()
		if err := r.attempt(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		r.done(g)
	}
	c := following(t, cl)
	eventually(t, "the second relay's incarnation", func() bool { return c.isAt().incarnation == second.Incarnation() })
}

// Redis has lost the stream, and another relay begins one whose ids are before those that a consumer has read: it would be
// given none of them.
func TestIdsBeforeTheConsumersPlace(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	first, second := newRelaying(t, cl), newRelaying(t, cl)
	first.sender = sender{incarnation: first.Incarnation(), base: uint64(time.Now().Add(time.Hour).UnixMilli())}
	if err := first.attempt(t.Context(), first.take()); err != nil {
		t.Fatal(err)
	}
	c := following(t, cl)
	c.comesTo("the first relay's checkpoint", 100)
	cl.FlushAll(t.Context())
	background(t, func(ctx context.Context) { _ = second.Send(ctx) })
	eventually(t, "the second relay's incarnation", func() bool { return c.isAt().incarnation == second.Incarnation() })
}

func TestRedisKeepsAsMuchAsItShould(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	r := newRelaying(t, cl)
	r.cfg.Entries = 1000
	for pos := uint64(200); pos < 3200; pos++ {
		r.change(pos, row)
		g := r.take()
		if err := r.attempt(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		r.done(g)
	}
	if n := cl.XLen(t.Context(), r.cfg.stream()).Val(); n < 1000 || n > 1500 {
		t.Errorf("%d entries are kept, want about 1000", n)
	}
}

func TestLease(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cfg := DefaultConfig()
	a, b := lease{cfg, client(t, server), "a"}, lease{cfg, client(t, server), "b"}
	hold := func(l *lease) bool {
		held, err := l.hold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return held
	}
	if held, again := hold(&a), hold(&a); !held || !again || hold(&b) {
		t.Error("who comes first does not hold the lease alone")
	}
	b.give(t.Context())
	if hold(&b) {
		t.Error("a lease is given back by somebody else")
	}
	a.give(t.Context())
	if !hold(&b) || hold(&a) {
		t.Error("a lease that was given back is not free")
	}
}

// A question is answered by what was written for it, and by nothing that was there before.
func TestQuestion(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	r, _ := sending(t, cl)
	c := followingWithin(t, cl, 500*time.Millisecond)
	c.comesTo("the checkpoint", 100)
	answering := func(nonceOf func(string) string) (stop func()) {
		return background(t, func(ctx context.Context) {
			for ctx.Err() == nil {
				if nonce, err := cl.HGet(ctx, r.cfg.asks(), c.id).Result(); err == nil {
					r.Answer(r.Incarnation(), map[string]string{c.id: nonceOf(nonce)})
				}
				sleep(ctx, 5*time.Millisecond)
			}
		})
	}
	stop := answering(func(string) string { return "of another question" })
	if err := c.question(t.Context()); err == nil {
		t.Error("the answer to another question is taken")
	}
	stop()
	answering(func(nonce string) string { return nonce })
	eventually(t, "the answer", func() bool { return c.question(t.Context()) == nil })
	if _, complete := c.ledger.CompleteAsOf(); !complete {
		t.Error("the question is answered, and the ledger is not complete")
	}
}

// An answer says up to where the stream must be applied: before that, and in another incarnation, it says nothing.
func TestAnswerThatIsAheadOfTheConsumer(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Redis(t, sandbox.RedisOptions{})
	cl := client(t, server)
	r, _ := sending(t, cl)
	c := followingWithin(t, cl, 300*time.Millisecond)
	c.comesTo("the checkpoint", 100)
	for name, of := range map[string]applied{
		"an entry that has not come": {incarnation: r.Incarnation(), n: c.isAt().n + 5},
		"another incarnation":        {incarnation: r.Incarnation() + 1, n: 1},
	} {
		stop := background(t, func(ctx context.Context) {
			for ctx.Err() == nil {
				nonce := cl.HGet(ctx, r.cfg.asks(), c.id).Val()
				cl.HSet(ctx, r.cfg.answers(), c.id, appendAnswered(nil, nonce, of.incarnation, of.n))
				sleep(ctx, time.Millisecond)
			}
		})
		if err := c.question(t.Context()); err == nil {
			t.Errorf("%s: the consumer takes itself to be complete", name)
		}
		stop()
	}
}
