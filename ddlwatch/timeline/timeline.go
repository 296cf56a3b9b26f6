package timeline

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Timeline keeps events. Its methods are safe for concurrent use and never wait for anything but each other. Those that
// take an id do nothing if that event has gone.
type Timeline struct {
	max     int
	metrics *metrics

	mu     sync.Mutex
	last   uint64   // the last ID that was given
	events []*Event // by ID
}

// New returns a timeline of up to max events, 1,000 if that is not positive. A nil reg counts for nobody.
func New(max int, reg prometheus.Registerer) *Timeline {
	if max <= 0 {
		max = 1000
	}
	t := &Timeline{max: max}
	t.metrics = newMetrics(reg, t.running)
	return t
}

// Started says that a schema change was seen to run on e.Server, and returns the id of its event: a new one, that of the
// source's change which a replica applies, or that of one which is recorded already. It wants Statement, Kind, Tables,
// Server and Source, and Started if the server tells it.
func (t *Timeline) Started(e Event) uint64 {
	e = e.bounded()
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.newest(func(k *Event) bool { return k.isTold(&e) }); known != nil {
		known.Started, known.Tool, known.flew = e.Begins(), e.Tool, true
		return known.ID
	}
	if known := t.newest(func(k *Event) bool { return k.isApplied(&e) }); known != nil {
		note(&known.Applying, e.Server, e.Begins())
		return known.ID
	}
	e.State, e.flew = Running, true
	return t.add(e)
}

// Vanished says that at that time the server was found to run the change no more. If its commit is read from the binlog
// later it was one after all.
func (t *Timeline) Vanished(id uint64, server string, at time.Time) {
	t.with(id, func(e *Event) {
		if e.State == Running && e.Server == server {
			e.State, e.Vanished = Vanished, at
		}
	})
}

// Recorded says that the binlog brought a schema change, and returns the id of its event: that of one that was seen to
// run, or a new one. It wants all that the binlog tells: Statement, Kind, Effect, Tables, Server, Committed, Recorded, Seq.
func (t *Timeline) Recorded(e Event) uint64 {
	e = e.bounded()
	e.Source, e.State = true, Committed
	if e.Recorded.IsZero() {
		e.Recorded = e.Seen
	}
	t.metrics.recorded(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.oldest(func(k *Event) bool { return k.becomes(&e) }); known != nil {
		known.Statement, known.Effect, known.Seq = e.Statement, e.Effect, e.Seq
		known.Committed, known.Recorded, known.Vanished = e.Committed, e.Recorded, time.Time{}
		known.State = Committed
		return known.ID
	}
	return t.add(e)
}

// Applied says that a server is known to have applied the change since that time.
func (t *Timeline) Applied(id uint64, server string, at time.Time) {
	t.with(id, func(e *Event) { note(&e.Applied, server, at) })
}

// Waited says for how long the change has waited for metadata locks, and who held them, in words, if that is known.
func (t *Timeline) Waited(id uint64, waited time.Duration, blocker string) {
	t.with(id, func(e *Event) {
		e.Waited = max(e.Waited, waited)
		if blocker != "" {
			e.Blocker = blocker
		}
	})
}

// Unservable says that so many entries became unservable.
func (t *Timeline) Unservable(id uint64, entries int) {
	t.with(id, func(e *Event) {
		e.Unservable += entries
		t.metrics.unservable.Add(float64(entries))
	})
}

// RefillBegan says that what became unservable is being read again.
func (t *Timeline) RefillBegan(id uint64, at time.Time) {
	t.with(id, func(e *Event) { e.State, e.Refill = Refilling, Refill{Began: at} })
}

// RefillEnded says that the refill is over: so many statements were read, at most so many at one time.
func (t *Timeline) RefillEnded(id uint64, at time.Time, statements, peakLimit int) {
	t.with(id, func(e *Event) {
		if e.State != Refilling {
			return
		}
		e.State = Done
		e.Refill.Ended, e.Refill.Statements, e.Refill.PeakLimit = at, statements, peakLimit
		t.metrics.refill.Observe(at.Sub(e.Refill.Began).Seconds())
	})
}

// Done says that nothing more comes of a change that is committed and has no refill.
func (t *Timeline) Done(id uint64) {
	t.with(id, func(e *Event) {
		if e.State == Committed {
			e.State = Done
		}
	})
}

// PoolLow says a hit ratio that the server's buffer pool had while the change mattered; the lowest counts. NaN says
// nothing.
func (t *Timeline) PoolLow(id uint64, server string, ratio float64) {
	t.with(id, func(e *Event) {
		if low, known := e.PoolLow[server]; math.IsNaN(ratio) || known && low <= ratio {
			return
		}
		if e.PoolLow == nil {
			e.PoolLow = map[string]float64{}
		}
		e.PoolLow[server] = ratio
	})
}

// Events are those that mattered at some time between from and to, newest first. A zero time is no limit. The caller may
// keep and change them.
func (t *Timeline) Events(from, to time.Time) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := []Event{}
	for _, e := range slices.Backward(t.events) {
		ended := e.Ends()
		if (to.IsZero() || !e.Begins().After(to)) && (ended.IsZero() || !ended.Before(from)) {
			found = append(found, e.clone())
		}
	}
	return found
}
