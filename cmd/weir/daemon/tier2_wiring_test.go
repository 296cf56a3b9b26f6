package daemon

import "time"

// useRedis has everything written to Redis and looked up there, whatever it costs. The race detector and a machine with
// two cores need a larger budget than people do.
func useRedis(c *Config, master string, cluster bool, addrs ...string) {
	c.Redis.Addrs, c.Redis.Cluster, c.Redis.MasterName = addrs, cluster, master
	c.Redis.MinCost, c.Redis.Budget = 0, Duration(100*time.Millisecond)
}
