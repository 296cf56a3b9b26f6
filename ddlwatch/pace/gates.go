package pace

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
)

// Gates are the gates of all tables. All methods may be called by anybody at any time, and none but Enter and Run blocks.
type Gates struct {
	// OnStall, if not nil, is called when reads of n do not come back and no DDL on n is known. Whoever is told asks the
	// servers and calls Verdict. It is called once for each suspicion, by the reader that had it or by a timer, and must
	// not block. If it is nil, there are no windows either: nobody could say that those who wait for one may go.
	OnStall func(n dep.Name)
	// OnDone, if not nil, is called by Run when a refill of n has ended. It must not block for long: no limit changes
	// meanwhile. Both functions are set before Run and before the first Enter.
	OnDone func(n dep.Name, s State)

	cfg     Config
	log     *slog.Logger
	metrics *metrics

	mu         sync.Mutex
	tables     map[dep.Name]*table
	crowded    int // how many tables there may be before those are looked for that can be forgotten
	up         map[*table]struct{}
	tickets    uint64
	pressure   Pressure
	everything everything
}

// New makes gates, none of which is up. It starts nothing. The configuration must be valid.
func New(cfg Config, log *slog.Logger, reg prometheus.Registerer) *Gates {
	g := &Gates{cfg: cfg, log: log, tables: map[dep.Name]*table{}, crowded: manyTables, up: map[*table]struct{}{}}
	g.metrics = newMetrics(reg, g)
	return g
}

// fewTables is how many tables of a read cost no allocation.
const fewTables = 4

// Enter returns when a read of the tables may go to a server, and counts it there. leave must be called exactly once,
// when the server's part of the read has ended; it may be called by any goroutine. If ctx ends before, Enter returns its
// cause, and nothing is counted. It does not keep names.
//
// Whoever enters again before it has left may wait for itself. A read of nothing never waits.
func (g *Gates) Enter(ctx context.Context, names []dep.Name) (leave func(), err error) {
	var few [fewTables]*table
	g.mu.Lock()
	tables := g.find(few[:0], names)
	at, stalls := g.obstacle(tables)
	if at == nil {
		g.admit(tables)
		g.mu.Unlock()
		return g.leaving(tables), nil
	}
	w := g.enqueue(slices.Clone(tables), at)
	g.mu.Unlock()
	if stalls {
		g.OnStall(at.name)
	}
	return g.wait(ctx, w)
}

// obstacle returns the table at which a newcomer has to wait, nil if it may go, and whether its readers have only just
// been found to stall. The lock is held.
func (g *Gates) obstacle(tables []*table) (at *table, stalls bool) {
	for _, t := range tables {
		if g.stalls(t) {
			g.suspect(t)
			return t, true
		}
		if !g.room(t) {
			return t, false
		}
	}
	return nil, false
}

// full returns the first table without room. The lock is held.
func (g *Gates) full(tables []*table) *table {
	for _, t := range tables {
		if !g.room(t) {
			return t
		}
	}
	return nil
}

func (g *Gates) room(t *table) bool {
	if t.gate == nil {
		return t.inside < g.window(t)
	}
	return t.inside < g.limit(t)
}

// admit counts a read at all its tables. The lock is held.
func (g *Gates) admit(tables []*table) {
	for _, t := range tables {
		t.inside++
		if t.inside == g.cfg.StallReads {
			t.moved = time.Now()
		}
		g.use(t)
		if t.gate != nil && t.gate.refill != nil {
			t.gate.refill.entered++
		}
	}
}

var nothing = func() {}

// leaving returns what takes a read off its tables. It does not keep the slice.
func (g *Gates) leaving(tables []*table) func() {
	switch len(tables) {
	case 0:
		return nothing
	case 1:
		return tables[0].leave
	}
	kept := slices.Clone(tables)
	return func() { g.leave(kept...) }
}

func (g *Gates) leave(tables ...*table) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left(tables)
}

// left takes a read off its tables, all of them first, and then lets in who has room. The lock is held.
func (g *Gates) left(tables []*table) {
	for _, t := range tables {
		if t.inside >= g.cfg.StallReads {
			t.back()
		}
		t.inside--
	}
	for _, t := range tables {
		g.settle(t)
	}
}
