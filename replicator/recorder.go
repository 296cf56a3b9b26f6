package replicator

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/lag"
	"weir/replicator/recent"
)

// Schema is what the recorder asks the catalogue. The methods are called for every transaction and must not block.
type Schema interface {
	// Cascades returns every table whose rows may change, through foreign keys, when rows of n do.
	Cascades(n dep.Name) []dep.Name
	// Uncertain reports that foreign keys are just being changed and that nobody knows how.
	Uncertain() bool
	// Blank reports that foreign keys are uncertain because nothing has been read since the epoch began.
	Blank() bool
}

// Recorder is the last stage: it records transactions in the journal and the ledger. From then on nothing that
// depends on what they changed is served.
type Recorder struct {
	ledger  *cache.Ledger
	journal *Journal
	schema  Schema
	log     *slog.Logger
	metrics *recorderMetrics
	now     func() time.Time

	said   string // why everything became unservable last
	saidAt time.Time

	// Watch, if set, is told of everything that is recorded: see [Precision].
	Watch *dep.Watch
	// Lag, if set, gets what weir_commit_to_ledger_seconds gets.
	Lag *lag.Window
	// Visible, if set, is told of each transaction that has changed something.
	Visible *lag.Visible

	// Recent, if set, is told of what changes something, before the ledger is: see its package.
	Recent *recent.Log
}

// NewRecorder returns a recorder; a nil registerer counts without exporting.
func NewRecorder(ledger *cache.Ledger, journal *Journal, schema Schema, log *slog.Logger, reg prometheus.Registerer) *Recorder {
	return &Recorder{ledger: ledger, journal: journal, schema: schema, log: log, metrics: newRecorderMetrics(reg), now: time.Now}
}

// Apply implements [change.Applier].
func (r *Recorder) Apply(_ context.Context, t *change.Transaction) {
	r.record(t)
	if r.Watch != nil {
		r.Watch.Recorded(t.Seq) // not before the ledger has it
	}
}

func (r *Recorder) record(t *change.Transaction) {
	if t.GTID.IsZero() && !touches(t) {
		r.journal.Advance(t.Seq)
		r.ledger.Advance(t.Seq)
		return
	}
	if t.XAThread != 0 {
		r.journal.late.add(t.XAThread, t.Seq)
	}
	r.journal.Append(t.GTID, t.Seq)
	tags := r.tags(t)
	r.remember(t)
	r.ledger.Record(t.Seq, tags)
	r.observe(t)
}

func touches(t *change.Transaction) bool {
	return len(t.Tables) > 0 || len(t.Rows) > 0 || len(t.Tags) > 0 || len(t.Definitions) > 0 || len(t.Layouts) > 0 || len(t.Schemas) > 0 || t.Everything != ""
}

// tags: beside everything, what else the group names counts too, since [dep.Accounts] may be among it.
func (r *Recorder) tags(t *change.Transaction) []cache.Tag {
	tags := make([]cache.Tag, 0, 1+2*len(t.Tables)+len(t.Rows)+len(t.Tags)+len(t.Definitions)+len(t.Layouts)+len(t.Schemas))
	for _, n := range t.Tables {
		tags = append(tags, n.Tag(), n.Anchor())
	}
	for _, n := range t.Rows {
		tags = append(tags, n.Tag())
	}
	tags = append(tags, t.Tags...)
	for _, n := range t.Definitions {
		tags = append(tags, n.Definition())
	}
	for _, n := range t.Layouts {
		tags = append(tags, n.Layout())
	}
	switch {
	case t.Everything != "":
		return append(tags, r.everything(t.Everything))
	case r.schema.Uncertain() && changesRows(t):
		t.Everything = unknownKeys
		return append(tags, r.unknownKeys())
	}
	tags = r.children(tags, t)
	for _, s := range t.Schemas {
		tags = append(tags, dep.Schema(s))
	}
	return tags
}

// changesRows reports whether foreign keys may pass something on: rows that changed, in whatever way. A definition that
// changes passes nothing on, also if it takes rows with it, such as DROP TABLE, or is about foreign keys itself.
func changesRows(t *change.Transaction) bool {
	return len(t.Rows) > 0 || slices.ContainsFunc(t.Tables, func(n dep.Name) bool { return !slices.Contains(t.Definitions, n) })
}

// children adds the tables, maybe the table itself among them, whose rows foreign keys may have changed: those of tables
// that changed as a whole, and of those whose rows have shown a change that is passed on.
func (r *Recorder) children(tags []cache.Tag, t *change.Transaction) []cache.Tag {
	for _, names := range [...][]dep.Name{t.Tables, t.Parents} {
		for _, n := range names {
			for _, child := range r.schema.Cascades(n) {
				tags = append(tags, child.Tag(), child.Anchor())
				t.Did(child, change.Cascade, 0)
			}
		}
	}
	return tags
}

const unknownKeys = "the foreign keys are being read, or changed"

// unknownKeys is for a change of rows that foreign keys may pass on to any table. Before the schema was read in an epoch
// nothing has been cached by it, so that nothing ends, and there is nothing to tell: each epoch begins so.
func (r *Recorder) unknownKeys() cache.Tag {
	if r.schema.Blank() {
		return dep.Everything()
	}
	return r.everything(unknownKeys)
}

// everything says so, but not for each of many changes that come at once.
func (r *Recorder) everything(why string) cache.Tag {
	if now := r.now(); why != r.said || now.Sub(r.saidAt) > time.Second {
		r.log.Info("everything cached became unservable", "reason", why)
		r.said, r.saidAt = why, now
	}
	r.metrics.everything.Inc()
	return dep.Everything()
}

// observe counts a transaction, and how long it has been on its way, if it has changed something.
func (r *Recorder) observe(t *change.Transaction) {
	r.metrics.transactions.Inc()
	if !touches(t) {
		return
	}
	if r.Visible != nil {
		r.Visible.Recorded(cache.Mark{Epoch: r.ledger.Epoch(), Seq: t.Seq})
	}
	now := r.now()
	if !t.Delivered.IsZero() {
		r.metrics.recording.Observe(now.Sub(t.Delivered).Seconds())
	}
	if !t.CommittedAt.IsZero() && !(t.Coarse && redefines(t)) {
		r.observeSinceCommit(t, now)
	}
}

func (r *Recorder) observeSinceCommit(t *change.Transaction, now time.Time) {
	clock := "microseconds"
	if t.Coarse {
		clock = "seconds"
	}
	if !t.Delivered.IsZero() {
		r.metrics.delivery.WithLabelValues(clock).Observe(max(t.Delivered.Sub(t.CommittedAt), 0).Seconds())
	}
	took := max(now.Sub(t.CommittedAt), 0)
	r.metrics.lag.WithLabelValues(clock).Observe(took.Seconds())
	r.metrics.tables.Observe(took, clock, t.Tables, t.Rows)
	if r.Lag != nil {
		r.Lag.Observe(took)
	}
}

// redefines reports whether the group is a statement about definitions. Of such MariaDB tells when it began, which may be
// hours ago.
func redefines(t *change.Transaction) bool {
	return len(t.Definitions) > 0 || len(t.Layouts) > 0 || len(t.Schemas) > 0
}
