package cache

import (
	"sync"
	"sync/atomic"
	"time"
)

// Yield watches whether it pays to keep results that read one table at one grain. A nil Yield watches nothing.
//
// A result pays if it is used at least once before a change ends it. What was evicted for room, cleared, or too old says
// nothing about changes and does not count. After [yieldWindow] results that a change has ended, the Yield decides: if
// fewer than 2 in 100 were used, results are refused for ten seconds, twice as long each time up to five minutes. Then
// they are tried again, and only those that are stored from then on count. As soon as they pay, the next pause is the
// shortest one.
//
// A pause is gentle: what is refused, and asked for a second time before a change, is stored; see [again].
type Yield struct {
	table, grain string

	resume atomic.Int64 // paused before that, on the ledger's clock
	stores atomic.Uint64
	kept   atomic.Int64 // entries in memory

	mu                 sync.Mutex
	ended, used, hits  uint64
	pauses             uint64
	pause              time.Duration // the last one; 0 once it pays
	window, windowUsed int
}

const (
	yieldWindow   = 256
	shortestPause = 10 * time.Second
	longestPause  = 5 * time.Minute
)

// Paused reports whether results are refused at the moment now, on the ledger's clock.
func (y *Yield) Paused(now time.Duration) bool {
	return y != nil && int64(now) < y.resume.Load()
}

// end notes that a change has ended a result which was stored at the moment stored and was used at least so many times.
// It reports whether that begins a pause, and whether it is the first.
func (y *Yield) end(now, stored time.Duration, hits uint32) (paused, first bool) {
	if y == nil {
		return false, false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.count(hits)
	if int64(stored) < y.resume.Load() { // from before the pause, or from within
		return false, false
	}
	y.window++
	if hits > 0 {
		y.windowUsed++
	}
	if y.window < yieldWindow {
		return false, false
	}
	paused = y.decide(now)
	return paused, paused && y.pauses == 1
}

func (y *Yield) count(hits uint32) {
	y.ended++
	y.hits += uint64(hits)
	if hits > 0 {
		y.used++
	}
}

// decide closes the window.
func (y *Yield) decide(now time.Duration) (paused bool) {
	pays := y.windowUsed*100 >= y.window*2
	y.window, y.windowUsed = 0, 0
	if pays {
		y.pause = 0
		return false
	}
	y.pause = min(max(2*y.pause, shortestPause), longestPause)
	y.pauses++
	y.resume.Store(int64(now + y.pause))
	return true
}

// YieldStats are the numbers of a [Yield], since the start.
type YieldStats struct {
	Table, Grain string
	// Stores are the results stored. Ended are those that a change made unservable, which is noticed when they are
	// replaced or swept. Used are those of them that had been served, Hits how many times at least.
	Stores, Ended, Used, Hits uint64
	// Kept are the entries in memory now, from whatever tier they came.
	Kept int64
	// Pauses are how many times it did not pay. Left is what remains of the present pause, 0 if there is none.
	Pauses uint64
	Left   time.Duration
}

// Stats returns the numbers at the moment now, on the ledger's clock.
func (y *Yield) Stats(now time.Duration) YieldStats {
	y.mu.Lock()
	defer y.mu.Unlock()
	return YieldStats{
		Table: y.table, Grain: y.grain,
		Stores: y.stores.Load(), Kept: y.kept.Load(), Ended: y.ended, Used: y.used, Hits: y.hits,
		Pauses: y.pauses, Left: max(time.Duration(y.resume.Load())-now, 0),
	}
}
