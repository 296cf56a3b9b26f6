package replicator

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
)

// Schema is what the recorder asks the catalogue. Both methods are called for every transaction and must not block.
type Schema interface {
	// Cascades returns every table whose rows may change, through foreign keys, when rows of n do.
	Cascades(n dep.Name) []dep.Name
	// Uncertain reports that foreign keys are just being changed and that nobody knows how.
	Uncertain() bool
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
}

// NewRecorder returns a recorder; a nil registerer counts without exporting.
func NewRecorder(ledger *cache.Ledger, journal *Journal, schema Schema, log *slog.Logger, reg prometheus.Registerer) *Recorder {
	return &Recorder{ledger: ledger, journal: journal, schema: schema, log: log, metrics: newRecorderMetrics(reg), now: time.Now}
}

// Apply implements [change.Applier].
func (r *Recorder) Apply(_ context.Context, t *change.Transaction) {
	if t.GTID.IsZero() && !touches(t) {
		r.journal.Advance(t.Seq)
		r.ledger.Advance(t.Seq)
		return
	}
	if t.XAThread != 0 {
		r.journal.late.add(t.XAThread, t.Seq)
	}
	r.journal.Append(t.GTID, t.Seq)
	r.ledger.Record(t.Seq, r.tags(t))
	r.observe(t)
}

func touches(t *change.Transaction) bool {
	return len(t.Tables) > 0 || len(t.Definitions) > 0 || len(t.Schemas) > 0 || t.Everything != ""
}

// tags: beside everything, the tables that the group names count too, since [dep.Accounts] may be one of them.
func (r *Recorder) tags(t *change.Transaction) []cache.Tag {
	tags := make([]cache.Tag, 0, 1+len(t.Tables)+len(t.Definitions)+len(t.Schemas))
	for _, n := range t.Tables {
		tags = append(tags, n.Tag())
	}
	for _, n := range t.Definitions {
		tags = append(tags, n.Definition())
	}
	switch {
	case t.Everything != "":
		return append(tags, r.everything(t.Everything))
	case len(t.Tables) > 0 && r.schema.Uncertain():
		return append(tags, r.everything("foreign keys are being changed"))
	}
	for _, n := range t.Tables {
		for _, child := range r.schema.Cascades(n) {
			tags = append(tags, child.Tag())
		}
	}
	for _, s := range t.Schemas {
		tags = append(tags, dep.Schema(s))
	}
	return tags
}

func (r *Recorder) everything(why string) cache.Tag {
	r.log.Info("everything cached became unservable", "reason", why)
	r.metrics.everything.Inc()
	return dep.Everything()
}

func (r *Recorder) observe(t *change.Transaction) {
	r.metrics.transactions.Inc()
	if t.CommittedAt.IsZero() || !touches(t) {
		return
	}
	clock := "microseconds"
	if t.Coarse {
		clock = "seconds"
	}
	r.metrics.lag.WithLabelValues(clock).Observe(max(r.now().Sub(t.CommittedAt).Seconds(), 0))
}
