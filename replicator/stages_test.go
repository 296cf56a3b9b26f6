package replicator

import (
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/lag"
)

// TestRecorderMeasuresStages: each stage gets its own part, of the changes for which it can be told, and native histograms
// beside the classic ones.
func TestRecorderMeasuresStages(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	table := []dep.Name{dep.Fold("shop", "t")}
	const commit, delivered, both = "weir_commit_to_delivered_seconds", "weir_delivered_to_ledger_seconds", "weir_commit_to_ledger_seconds"
	for _, c := range []struct {
		name   string
		change change.Transaction
		want   map[string]float64 // the sums; what is not there has none
	}{
		{"a change", change.Transaction{Tables: table, CommittedAt: now.Add(-3 * time.Second), Delivered: now.Add(-time.Second)}, map[string]float64{commit: 2, delivered: 1, both: 3}},
		{"by a clock that is ahead", change.Transaction{Tables: table, CommittedAt: now.Add(time.Second), Delivered: now}, map[string]float64{commit: 0, delivered: 0, both: 0}},
		{"without a commit time", change.Transaction{Tables: table, Delivered: now.Add(-time.Second)}, map[string]float64{delivered: 1}},
		{"of nobody knows when delivered", change.Transaction{Tables: table, CommittedAt: now.Add(-3 * time.Second)}, map[string]float64{both: 3}},
		{"DDL on MariaDB", change.Transaction{Definitions: table, Coarse: true, CommittedAt: now.Add(-time.Hour), Delivered: now.Add(-time.Second)}, map[string]float64{delivered: 1}},
		{"nothing", change.Transaction{CommittedAt: now.Add(-time.Second), Delivered: now}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, j, reg := cache.NewLedger(1<<10), NewJournal(), prometheus.NewRegistry()
			j.Restart(l.Restart(1), gtid.New(gtid.MySQL))
			r := NewRecorder(l, j, family{}, slog.New(slog.DiscardHandler), reg)
			r.now, r.Lag = func() time.Time { return now }, &lag.Window{}
			c.change.Seq, c.change.GTID = 20, gtid.OfMariaDB(0, 1, 7)
			r.Apply(t.Context(), &c.change)
			for _, name := range []string{commit, delivered, both} {
				want, counted := c.want[name]
				h := histogramOf(t, reg, name)
				if got := h.GetSampleCount() > 0; got != counted || math.Abs(h.GetSampleSum()-want) > 1e-9 {
					t.Errorf("%s: counted %v, %v s; want %v, %v s", name, got, h.GetSampleSum(), counted, want)
				}
				if counted && (len(h.GetBucket()) == 0 || h.Schema == nil) {
					t.Errorf("%s has %d classic buckets, and as a native histogram the schema %v", name, len(h.GetBucket()), h.Schema)
				}
			}
			if _, counted := c.want[both]; counted != (r.Lag.Take().N == 1) {
				t.Error("the window does not have what the histogram has")
			}
		})
	}
}

func histogramOf(t *testing.T, reg *prometheus.Registry, name string) *dto.Histogram {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetHistogram()
		}
	}
	return nil
}
