package catalog

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	loads            *prometheus.CounterVec
	seconds, partial prometheus.Histogram
}

func newMetrics(reg prometheus.Registerer, c *Catalog) *metrics {
	m := &metrics{
		loads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_catalog_loads_total",
			Help: "Attempts to read the source's schema, by result: ok or failed.",
		}, []string{"result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_catalog_load_seconds",
			Help:    "Time that the queries of one load of the source's whole schema took.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 14),
		}),
		partial: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_catalog_reload_seconds",
			Help:    "Time that the queries took that read again only the names that had changed.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}),
	}
	for _, result := range []string{"ok", "failed"} {
		m.loads.WithLabelValues(result)
	}
	if reg != nil {
		reg.MustRegister(m.loads, m.seconds, m.partial, newGauges(c))
	}
	return m
}

// took is the histogram for a load of all names, or of some.
func (m *metrics) took(whole bool) prometheus.Histogram {
	if whole {
		return m.seconds
	}
	return m.partial
}

// gauges reads the catalogue once a scrape.
type gauges struct {
	catalog                    *Catalog
	names, changing, uncertain *prometheus.Desc
}

func newGauges(c *Catalog) *gauges {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &gauges{
		catalog:   c,
		names:     desc("weir_catalog_names", "Tables, views and sequences that the catalogue knows."),
		changing:  desc("weir_catalog_changing", "Names and schemas that changed and are not yet read again; results that read them are not cached."),
		uncertain: desc("weir_catalog_uncertain", "1 while foreign keys may have changed unseen: each change of a row then makes everything cached unservable."),
	}
}

func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range [...]*prometheus.Desc{g.names, g.changing, g.uncertain} {
		ch <- d
	}
}

func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	s := g.catalog.State()
	uncertain := 0.0
	if s.Uncertain() {
		uncertain = 1
	}
	ch <- prometheus.MustNewConstMetric(g.names, prometheus.GaugeValue, float64(s.snapshot.Len()))
	ch <- prometheus.MustNewConstMetric(g.changing, prometheus.GaugeValue, float64(s.marks.count()))
	ch <- prometheus.MustNewConstMetric(g.uncertain, prometheus.GaugeValue, uncertain)
}
