package timeline

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// effects are the classes that [weir/ddlwatch] gives. Any other counts as unknown.
var effects = [...]string{"none", "shape", "gone", "swap", "schema", "routine", "view", "trigger", "account", "data", "unknown"}

// metrics count schema changes.
type metrics struct {
	total      *prometheus.CounterVec
	last       *prometheus.GaugeVec
	unservable prometheus.Counter
	refill     prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer, running func() int) *metrics {
	m := &metrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_ddl_total",
			Help: "Schema changes read from the binlog, by what they do to cached results.",
		}, []string{"effect"}),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "weir_ddl_last_timestamp_seconds",
			Help: "When the last schema change with that effect was recorded, as Unix time; 0 if there was none.",
		}, []string{"effect"}),
		unservable: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_ddl_unservable_total",
			Help: "Cached results that schema changes made unservable.",
		}),
		refill: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_ddl_refill_seconds",
			Help:    "Time from a schema change until what it made unservable was read again.",
			Buckets: prometheus.ExponentialBuckets(.05, 2.5, 10),
		}),
	}
	for _, e := range effects {
		m.total.WithLabelValues(e)
		m.last.WithLabelValues(e)
	}
	if reg != nil {
		reg.MustRegister(m.total, m.last, m.unservable, m.refill, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "weir_ddl_running",
			Help: "Schema changes that are seen to run on the servers; one that replicas apply, too, counts once.",
		}, func() float64 { return float64(running()) }))
	}
	return m
}

func (m *metrics) recorded(e Event) {
	effect := e.Effect
	if !slices.Contains(effects[:], effect) {
		effect = "unknown"
	}
	m.total.WithLabelValues(effect).Inc()
	m.last.WithLabelValues(effect).Set(float64(e.Recorded.UnixMilli()) / 1000)
}
