package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"weir/proxy/statement"
)

// registerAnalyses shows what the analyses of reads have cost.
func registerAnalyses(reg prometheus.Registerer, analyses *statement.Cache) {
	for by, count := range map[string]func(statement.Stats) uint64{
		"text":     func(st statement.Stats) uint64 { return st.Hits },
		"template": func(st statement.Stats) uint64 { return st.TemplateHits },
		"parser":   func(st statement.Stats) uint64 { return st.Misses },
	} {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "weir_analyses_total",
			Help:        "Analyses of reads that were not hits, by what it took: text (the same text was known), template (one that differs in its literals was known), or parser.",
			ConstLabels: prometheus.Labels{"by": by},
		}, func() float64 { return float64(count(analyses.Stats())) }))
	}
}
