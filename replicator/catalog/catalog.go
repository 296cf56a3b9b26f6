package catalog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/trouble"
)

// Catalog is the schema of the source as far as the stream has told it. What it answers holds for the place in the
// stream that is being applied, though it is read from a source that is ahead; the package comment says how.
//
// Changed and Restart belong to the goroutine that applies the stream. All other methods may be called from anywhere.
// None but Run blocks.
type Catalog struct {
	querier Querier
	stream  Stream
	log     *slog.Logger
	metrics *metrics

	state atomic.Pointer[State]
	wake  chan struct{} // there are marks

	trouble  trouble.Trouble // for Run
	progress progress

	loading sync.Mutex  // a load sets what the session is to be like, and nobody else reads meanwhile
	fell    atomic.Bool // see Fell

	mu      sync.Mutex // guards changes of state, and what follows
	started bool       // Restart was called; Run does nothing before
	abandon context.CancelCauseFunc
	warned  string
	// foreseen is for the next Restart.
	foreseen *Snapshot
}

// New returns a catalogue that knows nothing: every name is dep.Unknown and foreign keys are uncertain. A nil
// registerer counts for nobody; a nil log is silent.
func New(q Querier, s Stream, log *slog.Logger, reg prometheus.Registerer) *Catalog {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &Catalog{querier: q, stream: s, log: log, wake: make(chan struct{}, 1)}
	c.state.Store(&State{snapshot: &Snapshot{}, marks: marks{}.with(everything(0))})
	c.metrics = newMetrics(reg, c)
	return c
}

// everything is the change that leaves nothing known.
func everything(seq cache.Seq) alteration { return alteration{seq: seq, all: true, keys: true} }

// State returns what is known now. An analysis that asks several questions asks one state.
func (c *Catalog) State() *State { return c.state.Load() }

// Relation is [State.Relation] of now.
func (c *Catalog) Relation(n dep.Name) dep.Relation { return c.State().Relation(n) }

// IsView is [State.IsView] of now.
func (c *Catalog) IsView(n dep.Name) bool { return c.State().IsView(n) }

// IsInnoDB is [State.IsInnoDB] of now.
func (c *Catalog) IsInnoDB(n dep.Name) bool { return c.State().IsInnoDB(n) }

// HasPrimaryKey is [State.HasPrimaryKey] of now.
func (c *Catalog) HasPrimaryKey(n dep.Name) bool { return c.State().HasPrimaryKey(n) }

// Shape is [State.Shape] of now.
func (c *Catalog) Shape(n dep.Name) *dep.Shape { return c.State().Shape(n) }

// TimeColumns is [State.TimeColumns] of now.
func (c *Catalog) TimeColumns(n dep.Name) []string { return c.State().TimeColumns(n) }

// Triggers is [State.Triggers] of now.
func (c *Catalog) Triggers(n dep.Name) (has, known bool) { return c.State().Triggers(n) }

// Cascades is [State.Cascades] of now.
func (c *Catalog) Cascades(n dep.Name) []dep.Name { return c.State().Cascades(n) }

// Referenced is [State.Referenced] of now.
func (c *Catalog) Referenced(n dep.Name) (columns []string, known bool) {
	return c.State().Referenced(n)
}

// Uncertain is [State.Uncertain] of now.
func (c *Catalog) Uncertain() bool { return c.State().Uncertain() }

// Version increases whenever any answer may change. What was worked out from answers may be kept under a version that
// was read before the first question.
func (c *Catalog) Version() uint64 { return c.State().Version() }

// Changed says that definitions changed at seq: of the given names, of all names in the given schemas, or all there
// are. It must be called before the ledger's head comes to seq. From the moment it returns they are dep.Unknown, until
// they have been read again. With maybeForeignKeys, foreign keys may have been added or renamed, on any table, and
// Uncertain holds until they have been read again. Without, keys of the names may have been dropped. The slices are not kept.
func (c *Catalog) Changed(seq cache.Seq, names []dep.Name, schemas []string, all bool, maybeForeignKeys bool) {
	c.mark(alteration{seq: seq, names: names, schemas: schemas, all: all, keys: maybeForeignKeys})
}

// Moved is Changed for tables that were renamed, or of which a column or a constraint was, or that have lost a constraint.
// Names are those of before, of after, and those between. Uncertain holds if one of them may have to do with a foreign key:
// see "Tables that move" in the package comment.
func (c *Catalog) Moved(seq cache.Seq, names []dep.Name) {
	c.mark(alteration{seq: seq, names: names, moves: true})
}

// Reindexed says that indexes, or partitions, of the tables changed at seq, or that they were rebuilt, while columns, types,
// the primary key, rows, triggers and foreign keys stayed as they were. It must be called before the ledger's head comes to
// seq. From the moment it returns the tables have no keys but the primary one, until they have been read again. The slice
// is not kept.
func (c *Catalog) Reindexed(seq cache.Seq, names []dep.Name) {
	c.mark(alteration{seq: seq, indexes: names})
}

func (c *Catalog) mark(a alteration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.state.Load()
	a.keys = a.keys || a.moves && slices.ContainsFunc(a.names, old.related)
	next := &State{snapshot: old.snapshot, marks: old.marks.with(a), provisional: old.provisional}
	if old.provisional != nil && !a.leavesRows() {
		next.provisional = nil
		c.fell.Store(true)
	}
	c.store(next)
}

var errRestarted = errors.New("the stream has started anew")

// Restart says that the stream starts, or starts anew, with nothing known before floor: everything is forgotten, and
// read once the ledger's head has come to floor. Call it each time the ledger is restarted: after that, so that a head
// of the old epoch is not taken for one of the new, and before the first change of the new epoch is applied.
func (c *Catalog) Restart(floor cache.Seq) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = true
	old := c.state.Load()
	c.fell.Store(false)
	c.store(&State{snapshot: &Snapshot{}, marks: old.marks.with(everything(floor)), provisional: c.foreseen})
	c.foreseen = nil
	if c.abandon != nil {
		c.abandon(errRestarted)
	}
}

// store makes a state the present one and wakes Run if something is to be read. The lock is held.
func (c *Catalog) store(s *State) {
	s.version = c.state.Load().version + 1
	c.state.Store(s)
	if s.marks.empty() {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
