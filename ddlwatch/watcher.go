package ddlwatch

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/cache/dep"
	"weir/ddlwatch/bufferpool"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/pace"
	"weir/ddlwatch/target"
	"weir/ddlwatch/timeline"
)

// Watcher keeps schema changes from hurting: it sees them before they commit, keeps the results of their tables in
// memory while they run, lets only so many misses through to the servers, and sees to it that what a change has made
// unservable is read again at a pace that the servers' buffer pools bear. It decides nothing about what may be served:
// that is the ledger's.
//
// The life of a change, of its tables T:
//
//  1. It runs on a server: [inflight.Watch] sees it. The results of T are protected from eviction, and misses on T pass
//     a gate. They are answered from the cache all the while, so that the change has the server to itself.
//  2. It commits, and comes through the stream. [Watcher.Touching] closes the gate of T before the ledger is touched:
//     the first reader that finds its result unservable finds the gate.
//  3. The ledger is touched. From here on no result of T is served.
//  4. The hottest statements of T are read again, by Weir itself, and then all others as they are asked for, through the
//     gate, which opens by and by. Their old results give their memory back.
//  5. Each server is asked when it has applied the change.
//
// What takes time is done by one goroutine, follow; all others leave word there.
type Watcher struct {
	parts Parts
	cfg   Config
	log   *slog.Logger

	gates    *pace.Gates
	flying   *inflight.Watch
	pool     *bufferpool.Probe
	timeline *timeline.Timeline
	applied  []*applications // one for each server

	touching []recorded // the applier's: those that the ledger is about to hear of

	woken chan struct{} // there is something for follow
	mu    sync.Mutex    // guards what follows
	// What has come since follow looked, and what runs on the servers.
	recorded []recorded
	suspects []dep.Name
	// convicted are tables of which a gate was told that their readers pile up.
	convicted []dep.Name
	flies     []inflight.DDL
	// pressures are of the servers' buffer pools.
	pressures map[string]pace.Pressure
}

// Parts are what a watcher works with.
type Parts struct {
	// Servers are the source and the backends, each once, the source first.
	Servers []*target.Server
	Cache   *cache.Cache
	// Read reads again what is stored under the key, as a client would that asks for it, and stores the answer. It
	// passes the gate. ErrBehind means that no server has applied the change yet.
	Read func(ctx context.Context, key []byte) error
	// Ours, if not nil, reports whether a connection to a server is one of Weir's clients'. It must not wait.
	Ours func(addr string, id uint64) bool
	// Applied reports whether a server is known to have applied everything up to the mark.
	Applied func(ctx context.Context, addr string, mark cache.Mark) (bool, error)
	Log     *slog.Logger
	// Registry may be nil.
	Registry prometheus.Registerer
}

// Config says how a change is followed up. It must be valid, see [pace.Config.Validate].
type Config struct {
	Pace pace.Config
	// Refill is how many statements Weir itself reads again after a change, at most; 0 is none.
	Refill int
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config { return Config{Pace: pace.DefaultConfig(), Refill: 200} }

// NewWatcher puts the parts together; Run starts it.
func NewWatcher(cfg Config, parts Parts) *Watcher {
	if parts.Log == nil {
		parts.Log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{parts: parts, cfg: cfg, log: parts.Log, woken: make(chan struct{}, 1)}
	w.pressures = map[string]pace.Pressure{}
	w.gates = pace.New(cfg.Pace, parts.Log, parts.Registry)
	w.flying = inflight.New(parts.Servers, inflight.DefaultConfig(), reads, parts.Log, parts.Registry)
	w.pool = bufferpool.New(parts.Servers, bufferpool.Config{}, parts.Log, parts.Registry)
	w.timeline = timeline.New(0, parts.Registry)
	w.flying.Ours = parts.Ours
	w.gates.OnStall, w.flying.OnChange, w.pool.OnReading = w.stalled, w.flew, w.pressure
	for _, s := range parts.Servers {
		w.applied = append(w.applied, &applications{w: w, addr: s.Addr, owed: make(chan owed, maxOwed)})
	}
	return w
}

// Gates are what the proxy asks before it sends a read.
func (w *Watcher) Gates() *pace.Gates { return w.gates }

// Timeline has the changes that were seen.
func (w *Watcher) Timeline() *timeline.Timeline { return w.timeline }

// InFlight are the changes that run now, with texts for people to read: see [shown].
func (w *Watcher) InFlight() []inflight.DDL {
	all := slices.Clone(w.flying.Now())
	for i := range all {
		all[i].Statement = shownText(all[i].Statement)
	}
	return all
}

// Pool is the probe of the servers' buffer pools.
func (w *Watcher) Pool() *bufferpool.Probe { return w.pool }

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, run := range []func(context.Context){w.flying.Run, w.pool.Run, w.gates.Run, w.follow} {
		all.Go(func() { run(ctx) })
	}
	all.Wait()
}

// reads implements [inflight.Reader]. Of what is not understood, that counts which begins like a schema change.
func reads(schema, sql string) (kind string, tables []dep.Name, ddl bool) {
	e := Read(schema, sql, nil)
	switch e.Class {
	case Shape, Swap, Gone, View, Schema:
		ddl = e.Kind != temporaryTable
	case None, Trigger: // CREATE TRIGGER locks its table as an ALTER does
		ddl = len(e.Tables) > 0
	case Unknown:
		verb, _, _ := strings.Cut(firstWords(sql), " ")
		ddl = slices.Contains([]string{"ALTER", "CREATE", "DROP", "RENAME", "TRUNCATE", "OPTIMIZE", "REPAIR"}, verb)
	}
	return e.Kind, e.Tables, ddl
}
