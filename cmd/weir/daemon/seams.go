package daemon

import "weir/proxy"

// seams are where tests put something else in place of a part, to show that the part is what keeps answers true, or
// make something shorter that people have no reason to.
type seams struct {
	// sampler replaces what a backend's sampler says.
	sampler func(proxy.Sampler) proxy.Sampler
	// proxy changes the proxy's configuration.
	proxy func(*proxy.Config)
}
