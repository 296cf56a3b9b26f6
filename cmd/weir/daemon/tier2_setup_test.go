package daemon

import (
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// redisSetup is the Redis that Weirs share: one server, a Cluster, or a master with Sentinels.
type redisSetup struct {
	name string
	// share is told to each Weir.
	share func(*Config)

	one      *sandbox.Redis
	network  *relay // the first Weir reaches one through it
	cluster  *sandbox.RedisCluster
	sentinel *sandbox.RedisSentinel
}

// oneRedis is a single server.
func oneRedis(t testing.TB) *redisSetup {
	t.Helper()
	r := sandboxtest.Redis(t, sandbox.RedisOptions{Debug: true})
	return &redisSetup{
		name: "one server", one: r, network: newRelay(t, r.Addr()),
		share: func(c *Config) { useRedis(c, "", false, r.Addr()) },
	}
}

// clusterOfRedis is a Cluster whose masters have a replica each.
func clusterOfRedis(t testing.TB) *redisSetup {
	t.Helper()
	c := sandboxtest.RedisCluster(t, sandbox.RedisClusterOptions{Replicas: 1})
	return &redisSetup{
		name: "Cluster", cluster: c,
		share: func(cfg *Config) { useRedis(cfg, "", true, c.Addrs()[:3]...) },
	}
}

// redisWithSentinels is a master with a replica, and three Sentinels.
func redisWithSentinels(t testing.TB) *redisSetup {
	t.Helper()
	s := sandboxtest.RedisSentinel(t, sandbox.RedisSentinelOptions{})
	return &redisSetup{
		name: "Sentinels", sentinel: s,
		share: func(c *Config) { useRedis(c, s.MasterName(), false, s.SentinelAddrs()...) },
	}
}

// useRedis has everything written to Redis and looked up there, whatever it costs. The race detector and a machine with
// two cores need a larger budget than people do.
func useRedis(c *Config, master string, cluster bool, addrs ...string) {
	c.Redis.Addrs, c.Redis.Cluster, c.Redis.MasterName = addrs, cluster, master
	c.Redis.MinCost, c.Redis.Budget = 0, Duration(100*time.Millisecond)
}
