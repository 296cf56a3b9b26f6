package sandbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestRedisSentinel: the sentinels replace a master when they are told to and when it dies, and tell clients; what a dead
// master had alone is lost.
func TestRedisSentinel(t *testing.T) {
	t.Parallel()
	s := sandboxtest.RedisSentinel(t, sandbox.RedisSentinelOptions{Redis: sandbox.RedisOptions{Password: "secret"}, Password: "sentinel-secret"})
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: s.MasterName(), SentinelAddrs: s.SentinelAddrs(), Password: "secret", SentinelPassword: "sentinel-secret",
	})
	defer client.Close()
	must(t, client.Set(t.Context(), "k", "kept", 0).Err())

	must(t, s.Failover(t.Context()))
	if r, err := s.Master(t.Context()); err != nil || r != s.Node(1) {
		t.Errorf("the master is %v, %v; want the replica", r, err)
	}
	must(t, s.AwaitReady(t.Context()))
	if got := do(t, s.Node(1), "GET", "k"); got != "kept" {
		t.Errorf("the new master has %v", got)
	}

	must(t, s.LoseWrites(t.Context(), func() { do(t, s.Node(1), "SET", "k", "lost") }))
	if got := do(t, s.Node(0), "GET", "k"); got != "kept" {
		t.Errorf("the second new master has %v, which was to be lost", got)
	}
	must(t, s.Node(1).Restart(t.Context()))
	must(t, s.AwaitReady(t.Context()))
	// A client may ask the one that was the master until it has heard of the other, and that one is empty at first.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for got, err := client.Get(ctx, "k").Result(); got != "kept"; got, err = client.Get(ctx, "k").Result() {
		if ctx.Err() != nil {
			t.Fatalf("a client gets %q, %v", got, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}
