package status

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Over which times rates are. The short one is long enough for a list that is sorted by it to be read.
const (
	short = 10 * time.Second
	long  = time.Minute
)

// Sampler makes overviews of readings. [Sampler.Run] is called once; [Sampler.Last] may be called from anywhere.
type Sampler struct {
	read func() Reading
	feed *Feed
	page *page

	past    []Reading // of the last minute, oldest first; statements and tables are not kept in it
	ranking ranking
	history History
	last    atomic.Pointer[Overview]
}

// NewSampler returns a sampler that starts nothing. It calls read once a second, from one goroutine.
func NewSampler(read func() Reading) *Sampler {
	return &Sampler{read: read, feed: newFeed(), page: newPage()}
}

// Run samples until ctx ends, and then ends all streams of events.
func (s *Sampler) Run(ctx context.Context) {
	defer s.feed.close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		s.sample()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Last is the newest overview, with all of the history. There is one from the first moment of Run.
func (s *Sampler) Last() (Overview, bool) {
	o := s.last.Load()
	if o == nil {
		return Overview{}, false
	}
	return *o, true
}

func (s *Sampler) sample() {
	o := s.overview(s.read())
	s.last.Store(&o)
	s.feed.publish(o)
}

// overview takes the reading into the past, and says what follows from both.
func (s *Sampler) overview(r Reading) Overview {
	o := r.Now
	before := s.since(r.At, 0)
	minute, ten := s.since(r.At, long), s.since(r.At, short)
	o.Rates = Rates{Second: rateBetween(before, r), Minute: rateBetween(minute, r)}
	o.Lag.Second, o.Lag.Minute = r.Lag, lagBetween(minute, r).upTo(s.slowest(r))
	o.Refused = refusedBetween(ten, r)
	o.Memory.Evictions = perSecond(ten.Counted.Evictions, r.Counted.Evictions, r.At.Sub(ten.At))
	o.Second.Hits = perSecond(before.Counted.SecondHits, r.Counted.SecondHits, r.At.Sub(before.At))
	s.ranking.take(r)
	o.Statements, o.Tables = s.ranking.statements, s.ranking.tables
	s.keep(r)
	s.history.Append(point(o))
	o.History = s.history
	return o
}

// since is the newest reading that is at least so old, or else the oldest one; without any, it is now's own, of which
// nothing is a rate.
func (s *Sampler) since(now time.Time, age time.Duration) Reading {
	for _, r := range slices.Backward(s.past) {
		if now.Sub(r.At) >= age {
			return r
		}
	}
	if len(s.past) > 0 {
		return s.past[0]
	}
	return Reading{At: now}
}

func (s *Sampler) keep(r Reading) {
	r.Now, r.Statements, r.Tables = Overview{}, nil, nil
	s.past = append(s.past, r)
	for len(s.past) > 1 && r.At.Sub(s.past[1].At) >= long {
		s.past = s.past[1:]
	}
}

// slowest is the longest lag of the minute, as far as it was measured.
func (s *Sampler) slowest(r Reading) Figure {
	worst := r.Lag.Max
	for _, p := range s.past {
		if p.Lag.Max.Known() && !(worst >= p.Lag.Max) {
			worst = p.Lag.Max
		}
	}
	return worst
}

func point(o Overview) History {
	r := o.Rates.Second
	return History{
		Times: []int64{o.Now.Unix()}, QPS: []Figure{r.Statements}, HitRatio: []Figure{r.HitRatio},
		LagP50: []Figure{o.Lag.Second.P50}, LagP99: []Figure{o.Lag.Second.P99}, LagMax: []Figure{o.Lag.Second.Max},
		Bound: []Figure{o.Bound.CompleteAge},
	}
}
