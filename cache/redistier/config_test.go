package redistier

import (
	"strings"
	"testing"
	"time"
)

// Each rule of Validate has a row, and says which key is wrong.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		change func(c *Config)
		want   string // empty: it is right
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.Addrs = nil }, "redis.addrs is empty"},
		{func(c *Config) { c.Addrs = []string{"localhost"} }, "not host:port"},
		{func(c *Config) { c.Addrs = []string{"/run/redis.sock"} }, ""},
		{func(c *Config) { c.Addrs = []string{"/run/redis.sock", "a:1"} }, "not host:port"},
		{func(c *Config) { c.Addrs = []string{"a:1", "b:1"}; c.MasterName = "m"; c.DB = 3 }, ""},
		{func(c *Config) { c.MasterName = "m"; c.Cluster = true }, "redis.cluster"},
		{func(c *Config) { c.SentinelPassword = "x" }, "redis.master_name"},
		{func(c *Config) { c.DB = -1 }, "redis.db"},
		{func(c *Config) { c.DB = 1 }, ""},
		{func(c *Config) { c.DB = 1; c.Cluster = true }, "redis.db"},
		{func(c *Config) { c.DB = 1; c.Addrs = []string{"a:1", "b:1"} }, "redis.db"},
		{func(c *Config) { c.Namespace = "" }, "redis.namespace"},
		{func(c *Config) { c.Namespace = "a{b}" }, "redis.namespace"},
		{func(c *Config) { c.Budget = time.Microsecond }, "redis.budget"},
		{func(c *Config) { c.Budget = 2 * time.Second }, "redis.budget"},
		{func(c *Config) { c.TTL = 0 }, "redis.ttl"},
		{func(c *Config) { c.MinCost = -2 }, "redis.min_cost"},
		{func(c *Config) { c.WarmWindow = -1 }, "redis.warm_window"},
		{func(c *Config) { c.WarmWindow = 25 * time.Hour }, "redis.warm_window"},
		{func(c *Config) { c.CompressOver = -1 }, "redis.compress_over"},
		{func(c *Config) { c.MaxValue = MaxMaxValue + 1 }, "redis.max_value"},
		{func(c *Config) { c.QueueEntries = 0 }, "redis.queue_entries"},
		{func(c *Config) { c.QueueBytes = 0 }, "redis.queue_size"},
	} {
		cfg := DefaultConfig()
		cfg.Addrs = []string{"127.0.0.1:6379"}
		c.change(&cfg)
		err := cfg.Validate()
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", cfg, err, c.want)
		}
	}
}
