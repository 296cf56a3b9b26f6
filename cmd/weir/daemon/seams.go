package daemon

import "weir/proxy"

// seams are where tests put something else in place of a part, to show that the part is what keeps answers true.
type seams struct {
	// sampler replaces what a backend's sampler says.
	sampler func(proxy.Sampler) proxy.Sampler
}
