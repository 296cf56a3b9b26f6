package check

import (
	"fmt"
	"strings"
	"time"
)

// Redis is what the second tier says.
type Redis struct {
	Addrs []string
	Err   error // it could not be asked
	// Info has the fields of INFO of one server, of each of them that may be asked.
	Info []map[string]string
	// Latency is the median of a few PINGs.
	Latency time.Duration
	// Cluster is the state that a Cluster gives; empty if there is none.
	Cluster string
	// Streams says that a relay's stream is, or is to be, there.
	Streams bool
}

func redisRules() []rule {
	return []rule{
		{id: "redis", where: aboutRedis, world: judgeRedis},
		{id: "redis-version", where: aboutRedis, world: onRedis(judgeRedisVersion)},
		{id: "redis-role", where: aboutRedis, world: onRedis(judgeRedisRole)},
		{id: "redis-memory", where: aboutRedis, world: onRedis(judgeRedisMemory)},
		{id: "redis-persistence", where: aboutRedis, world: onRedis(judgeRedisPersistence)},
		{id: "redis-latency", where: aboutRedis, world: judgeRedisLatency},
	}
}

// onRedis asks for the first server of which the judge has something to say.
func onRedis(judge func(w *World, info map[string]string) verdict) func(*World) verdict {
	return func(w *World) (worst verdict) {
		if w.Redis == nil || w.Redis.Err != nil {
			return verdict{}
		}
		for _, info := range w.Redis.Info {
			if v := judge(w, info); v.severity > worst.severity {
				worst = v
			}
		}
		return worst
	}
}

func judgeRedis(w *World) verdict {
	switch {
	case w.Redis == nil:
		return verdict{}
	case w.Redis.Err == nil:
		return fine("%s answers", strings.Join(w.Redis.Addrs, ", "))
	case w.Redis.Streams:
		return fail(w.Redis.Err.Error(), "With stream: redis Weir hears of no change: nothing is answered from the cache.", "See that Redis runs, and redis.addrs, redis.password and redis.tls.")
	}
	return warn(w.Redis.Err.Error(), "Weir goes on without a second tier, and starts with an empty cache.", "See that Redis runs, and redis.addrs, redis.password and redis.tls.")
}

func judgeRedisVersion(_ *World, info map[string]string) verdict {
	name, v := "Redis", info["redis_version"]
	if info["valkey_version"] != "" {
		name, v = "Valkey", info["valkey_version"]
	}
	major, ok := parseVersion(v)
	switch {
	case v == "" || !ok:
		return verdict{}
	case name == "Redis" && major[0] < 6:
		return warn(name+" "+v, "Weir is tested with Redis 7 and 8, and with Valkey.", "Upgrade it.")
	}
	return fine("%s %s", name, v)
}

func judgeRedisRole(w *World, info map[string]string) verdict {
	switch {
	case info["role"] == "slave" && info["cluster_enabled"] != "1":
		return fail("it is a replica of "+info["master_host"]+":"+info["master_port"], "It takes no writes: nothing is stored there.",
			"Give the master in redis.addrs, or the Sentinels with redis.master_name.")
	case info["cluster_enabled"] == "1" && !w.Config.Redis.Cluster:
		return fail("it is a node of a Cluster", "Without redis.cluster most keys are answered with MOVED: nothing is found or stored there.", "redis: {cluster: true}")
	case info["cluster_enabled"] == "0" && w.Config.Redis.Cluster:
		return fail("it is no Cluster, and redis.cluster is true", "Weir finds no slots: nothing is found or stored there.", "Leave redis.cluster out.")
	case w.Redis.Cluster != "" && w.Redis.Cluster != "ok":
		return fail("cluster_state:"+w.Redis.Cluster, "Slots are missing: what belongs there is neither found nor stored.", "redis-cli --cluster check, and --cluster fix")
	case info["role"] == "":
		return verdict{}
	}
	return fine("it takes writes")
}

// judgeRedisMemory: a stream must not be evicted, and results should be.
func judgeRedisMemory(w *World, info map[string]string) verdict {
	limit, policy := info["maxmemory"], info["maxmemory_policy"]
	seen := fmt.Sprintf("maxmemory=%s, maxmemory-policy=%s", limit, policy)
	switch {
	case limit == "":
		return verdict{}
	case limit == "0":
		return warn(seen, "Redis grows until redis.ttl ends what is stored, or until the machine has no memory left.",
			"CONFIG SET maxmemory 1gb", "CONFIG SET maxmemory-policy allkeys-lru")
	case policy == "noeviction":
		return warn(seen, "Once it is full Redis refuses writes: nothing new is stored, and a relay cannot publish.", "CONFIG SET maxmemory-policy allkeys-lru")
	}
	return fine("%s", seen)
}

func judgeRedisPersistence(_ *World, info map[string]string) verdict {
	var on []string
	if info["aof_enabled"] == "1" {
		on = append(on, "appendonly yes")
	}
	if info["save"] != "" {
		on = append(on, "save "+info["save"])
	}
	if on == nil {
		return fine("off, or not told")
	}
	return note(strings.Join(on, ", "), "Weir needs none of it: what Redis loses costs a hit. Writing to disk costs memory and pauses.",
		`CONFIG SET save ""`, "CONFIG SET appendonly no")
}

func judgeRedisLatency(w *World) verdict {
	if w.Redis == nil || w.Redis.Latency == 0 {
		return verdict{}
	}
	budget := time.Duration(w.Config.Redis.Budget)
	seen := fmt.Sprintf("a question takes %s", w.Redis.Latency.Round(10*time.Microsecond))
	if 2*w.Redis.Latency > budget {
		return warn(seen, fmt.Sprintf("A lookup may take redis.budget (%s), and Redis that misses it five times is not asked for a while.", budget),
			"Put Redis nearer to Weir, or raise redis.budget.")
	}
	return fine("a question takes less than half of redis.budget (%s)", budget)
}
