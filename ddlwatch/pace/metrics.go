package pace

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Verdicts of a suspicion.
const (
	verdictPiled = "piled"
	verdictSlow  = "slow"
	verdictNone  = "none"
)

type metrics struct {
	waits   *prometheus.CounterVec
	through prometheus.Counter
	seconds prometheus.Histogram
	stalls  *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, g *Gates) *metrics {
	m := &metrics{
		waits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_ddl_gate_waits_total",
			Help: "Reads that had to wait before they went to a server, by why they began to: stalled, pile-up, ddl, refill, or burst (more came at once than are let in before one has come back).",
		}, []string{"phase"}),
		through: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_ddl_gate_through_total",
			Help: "Reads that went to a server beyond the limit, because they had waited for as long as a read may.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_ddl_gate_wait_seconds",
			Help:    "How long reads have waited that had to, whether they went to a server then or their client gave up.",
			Buckets: prometheus.ExponentialBuckets(.001, 2.5, 14),
		}),
		stalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_ddl_gate_stalls_total",
			Help: "Times that the reads of a table did not come back and no DDL was known, by what the servers said of it: piled (up behind a metadata lock), slow (they are not), or none (nothing was said in time).",
		}, []string{"verdict"}),
	}
	for _, verdict := range []string{verdictPiled, verdictSlow, verdictNone} {
		m.stalls.WithLabelValues(verdict)
	}
	for _, phase := range []Phase{PhaseStalled, PhasePileUp, PhaseDDL, PhaseRefill, PhaseBurst} {
		m.waits.WithLabelValues(string(phase))
	}
	if reg != nil {
		reg.MustRegister(m.waits, m.through, m.seconds, m.stalls, newCollector(g))
	}
	return m
}

// waited notes a wait that ends now.
func (m *metrics) waited(since time.Time) { m.seconds.Observe(time.Since(since).Seconds()) }

// collector reads the gates once a scrape.
type collector struct {
	gates                  *Gates
	limit, inside, waiting *prometheus.Desc
}

func newCollector(g *Gates) *collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help+" Only tables with a gate up, and the first 100 of them; (others) is the sum of the rest.", []string{"table"}, nil)
	}
	return &collector{
		gates:   g,
		limit:   desc("weir_ddl_gate_limit", "How many reads of the table may be at servers."),
		inside:  desc("weir_ddl_gate_inside", "How many reads of the table are at servers."),
		waiting: desc("weir_ddl_gate_waiting", "How many reads wait at the table's gate."),
	}
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.limit
	ch <- c.inside
	ch <- c.waiting
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	for _, s := range series(c.gates.State()) {
		gauge := func(d *prometheus.Desc, n int) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), s.Table)
		}
		gauge(c.limit, s.Limit)
		gauge(c.inside, s.Inside)
		gauge(c.waiting, s.Waiting)
	}
}

const (
	// labelled is how many gates have series of their own.
	labelled = 100
	// others is no table: the name of one has a dot between its parts.
	others = "(others)"
)

// series gives each label once, or the whole scrape would fail: a client can ask for names that are no UTF-8, and `a.b`.c
// is written like a.`b.c`. Gates that share a label are summed.
func series(all []State) (labels []State) {
	at := map[string]int{}
	for _, s := range all {
		s.Table = strings.ToValidUTF8(s.Table, "\uFFFD")
		if _, known := at[s.Table]; !known && len(labels) >= labelled {
			s.Table = others
		}
		i, known := at[s.Table]
		if !known {
			at[s.Table] = len(labels)
			labels = append(labels, s)
			continue
		}
		labels[i].Limit += s.Limit
		labels[i].Inside += s.Inside
		labels[i].Waiting += s.Waiting
	}
	return labels
}
