package replicator

import "github.com/prometheus/client_golang/prometheus"

type candidateMetrics struct {
	followed, writable *prometheus.GaugeVec
	doubt              prometheus.Gauge
	moves              prometheus.Counter
}

func newCandidateMetrics(reg prometheus.Registerer, addrs []string) *candidateMetrics {
	gauges := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"server"})
	}
	m := &candidateMetrics{
		followed: gauges("weir_source_followed", "1 for the server that is followed as the source, 0 for the other candidates."),
		writable: gauges("weir_source_writable", "1 if the candidate answered and takes writes when it was looked at last."),
		doubt: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "weir_source_doubtful",
			Help: "1 while more than one candidate takes writes and nobody can tell which one is the source. Cached results are not served then.",
		}),
		moves: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_source_moves_total",
			Help: "Times that another server was followed as the source from then on.",
		}),
	}
	for _, addr := range addrs {
		m.followed.WithLabelValues(addr).Set(0)
		m.writable.WithLabelValues(addr).Set(0)
	}
	if reg != nil {
		reg.MustRegister(m.followed, m.writable, m.doubt, m.moves)
	}
	return m
}

// saw shows a look at all candidates. Without one that was found, the one before stays.
func (m *candidateMetrics) saw(seen sightings, found *candidate, doubt bool) {
	for _, s := range seen {
		m.writable.WithLabelValues(s.candidate.addr).Set(number(s.writable()))
		if found != nil {
			m.followed.WithLabelValues(s.candidate.addr).Set(number(s.candidate == found))
		}
	}
	m.doubt.Set(number(doubt))
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
