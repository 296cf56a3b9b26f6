package inflight

import "github.com/prometheus/client_golang/prometheus"

// metrics shows what the looks at each server say. Servers are those of the configuration.
type metrics struct {
	inFlight, waiters *prometheus.GaugeVec
	polls             *prometheus.CounterVec
}

// How a look at a server went.
const (
	answered = "ok"
	failed   = "failed" // the server could not be asked
	denied   = "denied" // the account may not see what others run
)

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "weir_ddl_in_flight",
			Help: "DDL statements, and online schema changes of tools, that are under way on a server.",
		}, []string{"server"}),
		waiters: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "weir_ddl_metadata_lock_waiters",
			Help: "Statements on a server that wait for the metadata lock of a table, DDL among them.",
		}, []string{"server"}),
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_ddl_polls_total",
			Help: "Looks at a server for DDL under way, by result.",
		}, []string{"server", "result"}),
	}
	if reg != nil {
		reg.MustRegister(m.inFlight, m.waiters, m.polls)
	}
	return m
}

// begin makes a server's figures be there from the start.
func (m *metrics) begin(server string) {
	m.set(server, view{})
	for _, result := range [...]string{answered, failed, denied} {
		m.polls.WithLabelValues(server, result)
	}
}

func (m *metrics) set(server string, v view) {
	m.inFlight.WithLabelValues(server).Set(float64(len(v.ddls)))
	m.waiters.WithLabelValues(server).Set(float64(v.waiters))
}

func (m *metrics) polled(server, result string) { m.polls.WithLabelValues(server, result).Inc() }
