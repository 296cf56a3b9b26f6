package redistier

import "sync/atomic"

const (
	// failuresToOpen in a row put a server out. Four pipelines may be under way to it, so one hiccup is not enough.
	failuresToOpen = 5
	// goodToClose probes in a row let it back.
	goodToClose = 3
)

// breaker remembers whether a server is out. Only the prober lets it back: what is asked of a server that is out costs one
// atomic load, and no client is the one to find out whether it is well again.
type breaker struct {
	failures atomic.Int32
	out      atomic.Bool
	good     int // probes in a row; only the prober looks at it
}

func (b *breaker) open() bool { return b.out.Load() }

// fail reports whether this is the failure that puts the server out.
func (b *breaker) fail() bool {
	return b.failures.Add(1) >= failuresToOpen && b.out.CompareAndSwap(false, true)
}

func (b *breaker) ok() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
}

// probed takes the outcome of a probe, and reports whether the server is back.
func (b *breaker) probed(good bool) bool {
	if !good {
		b.good = 0
		return false
	}
	if b.good++; b.good < goodToClose {
		return false
	}
	b.good = 0
	b.failures.Store(0)
	b.out.Store(false)
	return true
}
