package bufferpool

import (
	"math"
	"time"
)

// baseline is how a pool usually is: averages in which the past counts less the older it is. The hit ratio is weighted by
// requests, the shares by time.
type baseline struct {
	memory time.Duration

	at                     time.Time
	requests, reads        float64 // decayed counts
	seconds                float64 // decayed time with shares
	free, dirty, data      float64 // decayed sums of share times seconds
	traffic                float64 // seconds with traffic, not decayed
	decayed, waitFreeCount float64 // decayed time, and waits in it
}

// learn takes in what happened from before to s, which must be of one run of the server.
func (b *baseline) learn(before, s sample) {
	dt := s.at.Sub(before.at).Seconds()
	if dt <= 0 {
		return
	}
	requests := s.requests - before.requests
	b.decay(math.Exp(-dt / b.memory.Seconds()))
	b.at = s.at
	b.requests += requests
	b.reads += s.reads - before.reads
	b.decayed += dt
	if w := s.waitFree - before.waitFree; w > 0 {
		b.waitFreeCount += w
	}
	if requests/dt >= minRequests/10 {
		b.traffic += dt
	}
	b.shares(s, dt)
}

func (b *baseline) decay(by float64) {
	for _, v := range []*float64{&b.requests, &b.reads, &b.seconds, &b.free, &b.dirty, &b.data, &b.decayed, &b.waitFreeCount} {
		*v *= by
	}
}

func (b *baseline) shares(s sample, dt float64) {
	free, dirty, data := s.share(s.free), s.share(s.dirty), s.share(s.data)
	if math.IsNaN(free + dirty + data) {
		return
	}
	b.seconds += dt
	b.free += free * dt
	b.dirty += dirty * dt
	b.data += data * dt
}

// miss is the usual share of requests that are not found. Of a server that has had no traffic worth the name it is not
// known.
func (b *baseline) miss() (m float64, known bool) {
	if b.requests < 2*minRequests {
		return unknownMiss, false
	}
	return b.reads / b.requests, true
}

// held is the usual share of pages with data, NaN if it is not known.
func (b *baseline) held() float64 { return b.data / b.seconds } // 0/0 is NaN

func (b *baseline) reading(server string) Reading {
	r := nothing(server, b.at)
	if b.decayed > 0 {
		r.State = Warm
		r.Requests, r.Reads, r.WaitFree = b.requests/b.decayed, b.reads/b.decayed, b.waitFreeCount/b.decayed
	}
	if m, known := b.miss(); known {
		r.HitRatio, r.telling = 1-m, true
	}
	r.Free, r.Dirty, r.Data = b.free/b.seconds, b.dirty/b.seconds, b.held()
	return r
}

// worse and farWorse are the shares of misses from which a pool is clearly, and far, worse than one that usually has b.
func worse(b float64) float64    { return b + min(max(b, 0.03), (1-b)/3) }
func farWorse(b float64) float64 { return b + min(max(4*b, 0.10), (1-b)*2/3) }
