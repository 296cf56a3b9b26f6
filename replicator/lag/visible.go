package lag

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
)

// ErrOver says that whether a server shows a change will never be known, since the mark's epoch is over.
var ErrOver = errors.New("the epoch of the change is over")

// Shows reports whether the server at addr is known to show every change up to the mark. It may ask the server, and must
// return soon after ctx ends. Any error but ErrOver is of a moment.
type Shows func(ctx context.Context, addr string, at cache.Mark) (bool, error)

// Visible measures from when a change is recorded until a server is known to show it. It does so for some changes, not for
// all: for each server one at a time, and a quarter of a second after that the next one that comes. An idle source costs the
// servers no questions.
type Visible struct {
	shows     Shows
	followers []*follower
}

// follower follows changes to one server.
type follower struct {
	addr    string
	changes chan recorded
	seconds prometheus.Observer
}

type recorded struct {
	at   cache.Mark
	when time.Time
}

const (
	// rest is how long after one change the next one is followed.
	rest = 250 * time.Millisecond
	// A server that does not show a change is asked again after a tenth of the time that it has been taking, so that this
	// time becomes known to a tenth.
	shortest, longest = time.Millisecond, time.Second
)

// NewVisible returns one for these servers; Run starts it. A nil registerer counts without exporting.
func NewVisible(shows Shows, addrs []string, reg prometheus.Registerer) *Visible {
	seconds := prometheus.NewHistogramVec(Histogram("weir_ledger_to_visible_seconds",
		"Time from a change's record in the ledger until a backend is known to show it, of some changes, by backend; at most a tenth and a round trip too large."),
		[]string{"backend"})
	v := &Visible{shows: shows}
	for _, addr := range addrs {
		v.followers = append(v.followers, &follower{addr: addr, changes: make(chan recorded), seconds: seconds.WithLabelValues(addr)})
	}
	if reg != nil {
		reg.MustRegister(seconds)
	}
	return v
}

// Recorded tells that a change has just been recorded. It never waits: a follower that is busy leaves the change out.
func (v *Visible) Recorded(at cache.Mark) {
	now := time.Now()
	for _, f := range v.followers {
		select {
		case f.changes <- recorded{at, now}:
		default:
		}
	}
}

// Run follows changes until ctx ends.
func (v *Visible) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, f := range v.followers {
		all.Go(func() { f.run(ctx, v.shows) })
	}
	all.Wait()
}

func (f *follower) run(ctx context.Context, shows Shows) {
	for {
		select {
		case c := <-f.changes:
			if f.await(ctx, shows, c) {
				f.seconds.Observe(time.Since(c.when).Seconds())
			}
		case <-ctx.Done():
			return
		}
		if !pause(ctx, rest) {
			return
		}
	}
}

// await returns true once the server shows the change, and false if ctx ends or that will never be known. A server that
// cannot be asked is asked again: the time for which it is away counts.
func (f *follower) await(ctx context.Context, shows Shows, c recorded) bool {
	for {
		shown, err := shows(ctx, f.addr, c.at)
		switch {
		case err == nil && shown:
			return true
		case errors.Is(err, ErrOver):
			return false
		case !pause(ctx, min(max(time.Since(c.when)/10, shortest), longest)):
			return false
		}
	}
}

// pause waits; false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
