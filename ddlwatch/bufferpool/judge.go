package bufferpool

import (
	"math"
	"time"
)

const (
	// minRequests is how many page requests say something about the hit ratio: a hundred or two point reads.
	minRequests = 500
	// unknownMiss stands for the usual share of misses while there is no baseline.
	unknownMiss = 0.05
	// window is how far a reading looks back, and shortest how far at least. Less is noise. Four intervals of a quarter of a
	// second fit in, even if they take a little longer.
	window, shortest = 1100 * time.Millisecond, 200 * time.Millisecond
	// noFree and muchDirty are the shares of the pool at which it has no pages left to give.
	noFree, muchDirty = 0.02, 0.75
	// recovered is by how much the hit ratio has risen in a pool that fills.
	recovered = 0.10
)

// judge turns the samples of one server into readings.
type judge struct {
	server string
	settle time.Duration
	base   baseline
	low    lows

	past    []sample  // of this run of the server, oldest first: the window, and one before it
	emptied time.Time // since when the pool counts as emptied; zero if it does not
	worst   float64   // the lowest hit ratio since
	missed  bool      // the last question had no answer
}

func newJudge(server string, cfg Config) *judge {
	return &judge{server: server, settle: cfg.Settle, base: baseline{memory: cfg.Memory}}
}

// silent says that the server did not answer at that time.
func (j *judge) silent(at time.Time) Reading {
	j.missed = true
	r := nothing(j.server, at)
	r.Gap = true
	return r
}

// next takes in a sample. It should have come no later than due after the one before. While busy, the baseline stays.
func (j *judge) next(s sample, due time.Duration, busy bool) Reading {
	late := j.missed || len(j.past) > 0 && s.at.Sub(j.past[len(j.past)-1].at) > due
	j.missed = false
	j.age(s)
	j.past = append(j.past, s)
	r := j.measure(s)
	r.Gap = late
	r.State = j.state(r)
	if n := len(j.past); n > 1 && !busy && !late && (r.State == Warm || r.State == Pressed) {
		j.base.learn(j.past[n-2], s)
	}
	if r.telling {
		j.low.add(s.at, r.HitRatio)
	}
	j.forget()
	return r
}

// age finds out whether the server has lost its pool, before s is added.
func (j *judge) age(s sample) {
	switch n := len(j.past); {
	case n == 0 && s.uptime < j.settle.Seconds():
		j.empty(s.at.Add(-time.Duration(s.uptime * float64(time.Second))))
	case n > 0 && !s.follows(j.past[n-1]):
		j.past = j.past[:0]
		j.empty(s.at)
	}
	held, has := j.base.held(), s.share(s.data)
	if j.emptied.IsZero() && has < held/2 && held-has >= 0.10 {
		j.empty(s.at)
	}
	if !j.emptied.IsZero() && s.at.Sub(j.emptied) > j.settle {
		j.emptied = time.Time{}
		j.base = baseline{memory: j.base.memory}
	}
}

func (j *judge) empty(since time.Time) { j.emptied, j.worst = since, 1 }

// measure makes a reading of s and of what the window shows.
func (j *judge) measure(s sample) Reading {
	r := nothing(j.server, s.at)
	r.Free, r.Dirty, r.Data, r.Loading = s.share(s.free), s.share(s.dirty), s.share(s.data), s.loading()
	if bytes := s.total * s.pageSize; bytes > 0 {
		r.PoolBytes = int64(bytes)
	}
	from := j.from()
	dt := s.at.Sub(from.at).Seconds()
	if dt <= 0 {
		return r
	}
	requests, reads := s.requests-from.requests, s.reads-from.reads
	r.Requests, r.Reads, r.WaitFree = requests/dt, reads/dt, (s.waitFree-from.waitFree)/dt
	if requests > 0 {
		// The server counts both on their own, and a read can be counted before its request.
		r.HitRatio = max(0, 1-reads/requests)
		r.telling = requests >= minRequests
	}
	return r
}

// from is the sample with which the window begins: the oldest in it, or, if that is too young, the one before.
func (j *judge) from() sample {
	last := len(j.past) - 1
	begin := last
	for i := last - 1; i >= 0 && (j.span(i) <= window || j.span(begin) < shortest); i-- {
		begin = i
	}
	return j.past[begin]
}

// span is how long before the last sample number i was.
func (j *judge) span(i int) time.Duration { return j.past[len(j.past)-1].at.Sub(j.past[i].at) }

// forget keeps the window and one sample before it.
func (j *judge) forget() {
	keep := 0
	for i := 1; i < len(j.past) && j.span(i) > window; i++ {
		keep = i
	}
	j.past = append(j.past[:0], j.past[keep:]...)
}

// state is the table in the package's documentation.
func (j *judge) state(r Reading) State {
	b, known := j.base.miss()
	after := j.afterwards(r, b)
	switch m := r.miss(); {
	case after == Cold:
		return Cold
	case r.WaitFree > 0, r.Free < noFree && r.Dirty > muchDirty:
		return Pressed
	case after == Warming:
		return Warming
	case known && j.emptied.IsZero() && m > worse(b):
		return Pressed
	case math.IsNaN(r.Requests):
		return Unknown // one sample
	}
	return Warm
}

// afterwards is the state of a pool that was emptied, as far as that goes; Warm ends it if there is traffic to show it.
func (j *judge) afterwards(r Reading, b float64) State {
	if j.emptied.IsZero() {
		return Warm
	}
	m := r.miss()
	if r.telling {
		j.worst = min(j.worst, r.HitRatio)
	}
	switch {
	case r.Loading != "":
		return Warming
	case !r.telling && r.Data < j.base.held()/2, m > farWorse(b) && r.HitRatio < j.worst+recovered:
		return Cold
	case m > worse(b):
		return Warming
	case r.telling:
		j.emptied = time.Time{}
	}
	return Warm
}
