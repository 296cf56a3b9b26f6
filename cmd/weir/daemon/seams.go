package daemon

import (
	"weir/cache"
	"weir/proxy"
	"weir/proxy/virtual"
)

// seams are where tests put something else in place of a part, to show that the part is what keeps answers true, or
// make something shorter that people have no reason to.
type seams struct {
	// sampler replaces what a backend's sampler says.
	sampler func(proxy.Sampler) proxy.Sampler
	// proxy changes the proxy's configuration.
	proxy func(*proxy.Config)
	// gate is what reads pass before they go to a server, in place of the one that the daemon has.
	gate proxy.Gate
	// history is what the ledger's history has room for, in place of what is configured, if it is not 0. The race detector
	// keeps a clock of a kilobyte for each atomic variable that was ever stored to, and a ledger that begins stores to each
	// bucket.
	history int
	// second makes the second tier of a Weir that has this ledger.
	second func(*cache.Ledger) cache.Tier
	// tables are there beside those that people know.
	tables []virtual.Table
	// notes are those of the second tier, in place of a Redis.
	notes Notes
}
