package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestRedisClusterSlots: slots move with their keys, there and back, while a client reads and writes them.
func TestRedisClusterSlots(t *testing.T) {
	t.Parallel()
	c := sandboxtest.RedisCluster(t, sandbox.RedisClusterOptions{Redis: sandbox.RedisOptions{Password: "secret"}})
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()[:1], Password: "secret"})
	defer client.Close()
	const keys = 300
	for i := range keys {
		must(t, client.Set(t.Context(), fmt.Sprint("{k}", i), i, 0).Err())
		must(t, client.Set(t.Context(), fmt.Sprint(i), i, 0).Err())
	}
	const slot = 7629 // CLUSTER KEYSLOT k
	was, err := c.Owner(t.Context(), slot)
	must(t, err)
	moved := make(chan error, 1)
	go func() { moved <- c.MoveSlots(t.Context(), slot-100, slot+100, 2) }()
	for i, done := 0, false; !done || i%keys != 0; i++ {
		select {
		case err := <-moved:
			must(t, err)
			done = true
		default:
		}
		if got, err := client.Get(t.Context(), fmt.Sprint("{k}", i%keys)).Int(); err != nil || got != i%keys {
			t.Fatalf("while slots move: %d, %v, want %d", got, err, i%keys)
		}
	}
	if is, err := c.Owner(t.Context(), slot); err != nil || is != c.Node(2) || is == was {
		t.Errorf("the slot was moved from %v to %v, %v", was, is, err)
	}
	if got := do(t, c.Node(2), "GET", "{k}7"); got != "7" {
		t.Errorf("the new owner has %v", got)
	}
	must(t, c.AwaitReady(t.Context()))
}

// TestRedisClusterFailover: a replica takes the place of a master that has died, and a node that comes back is in the
// cluster again.
func TestRedisClusterFailover(t *testing.T) {
	t.Parallel()
	c := sandboxtest.RedisCluster(t, sandbox.RedisClusterOptions{Replicas: 1})
	const slot = 0
	c.KillMaster(0)
	must(t, c.AwaitFailover(t.Context(), 0))
	if owner, err := c.Owner(t.Context(), slot); err != nil || owner != c.Node(3) {
		t.Errorf("after the first master's end its slots are with %v, %v; want its replica", owner, err)
	}
	must(t, c.Node(0).Restart(t.Context()))
	must(t, c.AwaitFailover(t.Context(), 0))
	if role := do(t, c.Node(0), "ROLE"); !strings.HasPrefix(fmt.Sprint(role), "[slave") {
		t.Errorf("the old master is %v", role)
	}
}
