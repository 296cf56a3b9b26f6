package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache/redistier"
	"weir/cmd/weir/daemon"
)

// pings is of how many questions the median is taken.
const pings = 21

// lookAtRedis asks the second tier, each master of it; nil if the configuration has none.
func lookAtRedis(ctx context.Context, cfg *daemon.Config) *Redis {
	tier, err := cfg.RedisTier()
	if err == nil && len(tier.Addrs) == 0 {
		return nil
	}
	r := &Redis{Addrs: tier.Addrs, Err: err, Streams: cfg.FollowsRelay()}
	if err != nil {
		return r
	}
	client := redistier.NewClient(tier)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if r.Err = r.ping(ctx, client); r.Err != nil {
		r.Err = fmt.Errorf("%s: %w", strings.Join(r.Addrs, ", "), r.Err)
		return r
	}
	r.read(ctx, client)
	return r
}

func (r *Redis) ping(ctx context.Context, client redis.UniversalClient) error {
	var took []time.Duration
	for range pings {
		start := time.Now()
		if err := client.Ping(ctx).Err(); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	r.Latency = took[len(took)/2]
	return nil
}

// read asks for INFO. An account that may not ask leaves it empty.
func (r *Redis) read(ctx context.Context, client redis.UniversalClient) {
	var mu sync.Mutex
	one := func(ctx context.Context, c *redis.Client) error {
		info := infoOf(ctx, c)
		mu.Lock()
		defer mu.Unlock()
		r.Info = append(r.Info, info)
		return nil
	}
	switch c := client.(type) {
	case *redis.ClusterClient:
		_ = c.ForEachMaster(ctx, one)
	case *redis.Client:
		_ = one(ctx, c)
	}
	if text, err := client.ClusterInfo(ctx).Result(); err == nil {
		r.Cluster = fields(text)["cluster_state"]
	}
}

func infoOf(ctx context.Context, c *redis.Client) map[string]string {
	text, _ := c.Info(ctx).Result()
	info := fields(text)
	if save, err := c.ConfigGet(ctx, "save").Result(); err == nil {
		info["save"] = save["save"]
	}
	return info
}

// fields reads name:value, line by line.
func fields(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			all[name] = value
		}
	}
	return all
}
