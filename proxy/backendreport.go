package proxy

import (
	"math"
	"sync/atomic"
	"time"
)

// BackendReport is how a server is, for those who look.
type BackendReport struct {
	Addr string
	// Source: Weir follows it. Reads: it answers reads, as a backend or as the source if there are none.
	Source, Reads bool
	// Up, Lagging and Errant are what routing goes by; Proved that its answers can be kept.
	Up, Lagging, Errant, Proved bool
	// Lag is for how long it has lacked a change, at least, if LagKnown.
	Lag      time.Duration
	LagKnown bool
	// Outstanding are statements under way, Connections those that are open, Idle the ones of them that nobody uses.
	Outstanding, Connections, Idle int64
	// Latency is the time that its last answers took, on a sliding average; 0 if it gave none.
	Latency time.Duration
}

// Backends tells how all servers are that may be asked, those that answer reads first. It asks none of them.
func (s *Server) Backends() []BackendReport {
	source := s.source()
	all := s.everyBackend()
	out := make([]BackendReport, 0, len(all))
	for _, b := range all {
		r := b.report()
		r.Source, r.Reads = b == source, s.answersReads(b)
		out = append(out, r)
	}
	return out
}

func (s *Server) answersReads(b *backend) bool {
	for _, reads := range s.backends {
		if reads == b {
			return true
		}
	}
	return len(s.backends) == 0 && b == s.source()
}

func (b *backend) report() BackendReport {
	r := BackendReport{
		Addr: b.addr, Up: b.up(), Lagging: b.lagging.Load(), Errant: b.errant.Load(), Proved: !b.unproved.Load(),
		Outstanding: b.outstanding.Load(), Connections: b.conns.count(), Latency: b.latency.average(),
	}
	if lag := b.lag.Load(); lag != noLag {
		r.Lag, r.LagKnown = time.Duration(lag), true
	}
	b.each(func(p *pool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		r.Idle += int64(len(p.idle))
	})
	return r
}

// latency is a sliding average of seconds. Of two answers at the same time one may not count.
type latency struct{ bits atomic.Uint64 }

// weight of the last answer.
const weight = 1. / 16

func (l *latency) observe(d time.Duration) {
	old := math.Float64frombits(l.bits.Load())
	if old == 0 {
		l.bits.Store(math.Float64bits(d.Seconds()))
		return
	}
	l.bits.Store(math.Float64bits(old + weight*(d.Seconds()-old)))
}

func (l *latency) average() time.Duration {
	return time.Duration(math.Float64frombits(l.bits.Load()) * float64(time.Second))
}
