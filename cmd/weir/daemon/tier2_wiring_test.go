package daemon

// tier2Wired says that there is a second tier.
const tier2Wired = false

// useRedis has everything written to Redis and looked up there.
func useRedis(c *Config, master string, cluster bool, addrs ...string) {}

// throughNetwork leads a Weir to its one server through a network with faults.
func throughNetwork(c *Config, addr string) {}
