package pace

import (
	"time"

	"weir/cache/dep"
)

const (
	// verdictWait is how long a suspicion holds readers up at most. To ask a server takes some milliseconds.
	verdictWait = 250 * time.Millisecond
	// trustFor is for how long after a verdict for the table its reads may be slow: perhaps they always are.
	trustFor = 5 * time.Second
)

// stalls reports whether so many reads of a table whose gate has no reason have not come back for so long that they may
// be piled up behind a metadata lock that nobody has seen yet. The lock is held.
func (g *Gates) stalls(t *table) bool {
	if g.OnStall == nil || t.inside < g.cfg.StallReads || t.gate != nil && t.gate.needed() {
		return false
	}
	now := time.Now()
	return now.Sub(t.moved) >= g.cfg.Stall && !now.Before(t.trusted)
}

// suspect puts the table's gate up until there is a verdict, or none has come. The lock is held.
func (g *Gates) suspect(t *table) {
	gt := g.raise(t)
	var timer *time.Timer
	timer = time.AfterFunc(verdictWait, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if t.gate == gt && gt.verdict == timer {
			g.acquit(t, verdictNone)
		}
	})
	gt.verdict = timer
}

// Verdict answers OnStall: readers of n pile up behind a metadata lock, as if [Gates.Piled] had been called, or are
// only slow, and those held up go on. One that comes too late still counts if it is true.
func (g *Gates) Verdict(n dep.Name, piled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.table(n)
	if piled {
		g.setPiled(n, true)
	}
	if t.gate == nil || t.gate.verdict == nil {
		g.forget()
		return
	}
	t.gate.verdict.Stop()
	if piled {
		g.sentence(t)
	} else {
		g.acquit(t, verdictSlow)
	}
}

// sentence ends a suspicion that was right. The lock is held.
func (g *Gates) sentence(t *table) {
	g.metrics.stalls.WithLabelValues(verdictPiled).Inc()
	t.gate.verdict = nil
	g.settle(t)
}

// acquit ends a suspicion without effect: who was held up goes on at once, unless something else limits the table. The
// lock is held.
func (g *Gates) acquit(t *table, verdict string) {
	g.metrics.stalls.WithLabelValues(verdict).Inc()
	t.trusted = time.Now().Add(trustFor)
	t.gate.verdict = nil
	g.settle(t)
}
