package pace

import (
	"time"

	"weir/cache/dep"
)

// Pressure is what the servers' buffer pools say about more reads. That of the server that is worst counts.
type Pressure uint8

// The pressures.
const (
	// Relaxed: more reads do no harm. It is also for when nothing is known, and for a pool that is warming up: warming
	// it up is what a refill does.
	Relaxed Pressure = iota
	// Pressed: there are too many now. The limit is halved at once, and each second for as long as it lasts.
	Pressed
	// Cold: reads go to the disk. The limit is halved once, and rises no further.
	Cold
)

// Times of a refill, in ticks.
const (
	tick = 100 * time.Millisecond

	// pressedTicks are between two decreases: it takes a while until one shows.
	pressedTicks = 10
	// quietTicks without anybody waiting end a refill.
	quietTicks = 10
	// topTicks at Max end a refill, whoever waits.
	topTicks = 300
	// longestTicks end a refill in any case. What waits after two minutes is no refill but the load of every day.
	longestTicks = 1200
)

// refill paces the reads of a table whose results have become unservable. The lock guards it.
//
// While readers wait, the limit rises by two in each tick, and by one once it has had to fall; when the buffer pool
// suffers, it is halved. Between Min and Max.
type refill struct {
	since   time.Time
	limit   int
	careful bool // it has had to fall
	cold    bool // it has fallen because the pool is cold
	rest    int  // ticks until it may fall again because the pool is pressed
	ticks   int  // of pacing; while something else limits the table, none is counted
	quiet   int  // ticks in a row without anybody waiting
	top     int  // ticks at Max
	waited  bool // somebody has begun to wait since the last tick

	peak                    int
	entered, waits, through uint64
}

// Refill says that results of n are about to become unservable: the one ordered applier calls it before it touches the
// ledger, see P3. During a refill the limit begins anew, but never with a jump up.
func (g *Gates) Refill(n dep.Name) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.beginRefill(g.table(n))
}

// beginRefill begins a refill, or lets the one under way begin anew. The lock is held.
func (g *Gates) beginRefill(t *table) {
	gt := g.raise(t)
	if gt.refill == nil {
		gt.refill = &refill{since: time.Now(), limit: g.cfg.Limit, peak: g.cfg.Limit}
		return
	}
	r := gt.refill
	r.limit = min(r.limit, g.cfg.Limit)
	r.ticks, r.quiet, r.top = 0, 0, 0
}

// step is one tick of pacing. waited says that somebody waits, or has waited since the last one. It reports whether the
// refill is over: nobody has waited for a second, or the limit has been at Max for half a minute, or two minutes have
// gone.
func (r *refill) step(cfg Config, p Pressure, waited bool) (over bool) {
	r.adapt(cfg, p, waited)
	r.peak = max(r.peak, r.limit)
	r.ticks++
	r.quiet = countIf(!waited, r.quiet)
	r.top = countIf(r.limit >= cfg.Max, r.top)
	return r.quiet >= quietTicks || r.top >= topTicks || r.ticks >= longestTicks
}

// countIf counts how often in a row something was so.
func countIf(so bool, n int) int {
	if so {
		return n + 1
	}
	return 0
}

func (r *refill) adapt(cfg Config, p Pressure, waited bool) {
	r.rest--
	switch {
	case p == Pressed && r.rest <= 0:
		r.halve(cfg)
		r.rest = pressedTicks
	case p == Cold && !r.cold:
		r.halve(cfg)
	case p == Relaxed && waited:
		r.grow(cfg)
	}
	r.cold = p == Cold
}

func (r *refill) halve(cfg Config) {
	r.limit = max(r.limit/2, cfg.Min)
	r.careful = true
}

func (r *refill) grow(cfg Config) {
	step := 2
	if r.careful {
		step = 1
	}
	r.limit = min(r.limit+step, cfg.Max)
}

// Pressure says how the servers bear it. It counts for all refills, from the next tick until it is called again.
func (g *Gates) Pressure(p Pressure) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pressure = p
}
