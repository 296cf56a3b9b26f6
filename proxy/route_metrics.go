package proxy

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// routeMetrics count where reads went, and why not elsewhere.
type routeMetrics struct {
	toSource   *prometheus.CounterVec
	atLagging  prometheus.Counter
	askedAgain prometheus.Counter
}

func newRouteMetrics(reg prometheus.Registerer, s *Server) routeMetrics {
	m := routeMetrics{
		toSource: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_reads_to_source_total",
			Help: "Reads that went to the source because no backend was known to contain what they had to, by reason: fresh (routing: fresh), own_write, or wait_for (weir_wait_for).",
		}, []string{"reason"}),
		atLagging: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_reads_at_lagging_backend_total",
			Help: "Connections taken from a backend that lags beyond max_lag, because there was no other; its answers are older than max_lag.",
		}),
		askedAgain: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_reads_asked_again_total",
			Help: "Reads that were asked once more elsewhere, because the first connection broke or its server stopped.",
		}),
	}
	for _, why := range [...]string{"fresh", "own_write", "wait_for"} {
		m.toSource.WithLabelValues(why)
	}
	if reg != nil {
		reg.MustRegister(m.toSource, m.atLagging, m.askedAgain)
		for _, b := range s.everyBackend() {
			registerBackend(reg, b)
		}
	}
	return m
}

func registerBackend(reg prometheus.Registerer, b *backend) {
	gauge := func(name, help string, value func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: name, Help: help, ConstLabels: prometheus.Labels{"backend": b.addr},
		}, value))
	}
	gauge("weir_backend_up", "1 if the backend answers, 0 if it is down.", func() float64 {
		if b.up() {
			return 1
		}
		return 0
	})
	gauge("weir_backend_lag_seconds", "For how long, at least, the backend has lacked a change that is recorded; 0 if it lacks none, NaN if that cannot be told.", func() float64 {
		if lag := b.lag.Load(); lag != noLag {
			return time.Duration(lag).Seconds()
		}
		return math.NaN()
	})
	gauge("weir_backend_errant", "1 if the backend has transactions that the source does not have. It gets no reads.", func() float64 {
		if b.errant.Load() {
			return 1
		}
		return 0
	})
	gauge("weir_backend_outstanding", "Statements under way at the backend.", func() float64 { return float64(b.outstanding.Load()) })
}
