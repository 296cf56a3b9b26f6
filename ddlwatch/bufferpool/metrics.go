package bufferpool

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/ddlwatch/target"
)

// metrics show the last reading of each server.
type metrics struct {
	hit, free, dirty, state, small *prometheus.GaugeVec
	gaps                           *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, servers []*target.Server) *metrics {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append([]string{"server"}, labels...))
	}
	m := &metrics{
		hit:   gauge("weir_buffer_pool_hit_ratio", "Share of page requests that found their page in the server's buffer pool, over the last interval; NaN without requests."),
		free:  gauge("weir_buffer_pool_free_ratio", "Share of the server's buffer pool that is free."),
		dirty: gauge("weir_buffer_pool_dirty_ratio", "Share of the server's buffer pool that is not written to disk yet."),
		state: gauge("weir_buffer_pool_state", "1 for the state that the server's buffer pool is in: warm, pressed, cold, warming, or unknown.", "state"),
		small: gauge("weir_buffer_pool_small", "1 while the hit ratio of the server's buffer pool was under 80 % over minutes of traffic."),
		gaps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_buffer_pool_gaps_total",
			Help: "Times that a server did not say for much longer than it should how its buffer pool is.",
		}, []string{"server"}),
	}
	for _, s := range servers {
		m.gaps.WithLabelValues(s.Addr)
		m.show(nothing(s.Addr, time.Time{}))
		m.showSmall(s.Addr, false)
	}
	if reg != nil {
		reg.MustRegister(m.hit, m.free, m.dirty, m.state, m.small, m.gaps)
	}
	return m
}

func (m *metrics) show(r Reading) {
	m.hit.WithLabelValues(r.Server).Set(r.HitRatio)
	m.free.WithLabelValues(r.Server).Set(r.Free)
	m.dirty.WithLabelValues(r.Server).Set(r.Dirty)
	for _, s := range states {
		m.state.WithLabelValues(r.Server, string(s)).Set(oneIf(s == r.State))
	}
}

func (m *metrics) showSmall(server string, small bool) {
	m.small.WithLabelValues(server).Set(oneIf(small))
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
