package ddlwatch

import "github.com/prometheus/client_golang/prometheus"

// metrics counts statements.
type metrics struct {
	statements *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_ddl_statements_total",
			Help: "Statements that the binlog carries as text, by kind and by how much of the cache they touched.",
		}, []string{"kind", "touched"}),
	}
	if reg != nil {
		reg.MustRegister(m.statements)
	}
	return m
}

func (m *metrics) count(kind, touched string) { m.statements.WithLabelValues(kind, touched).Inc() }

// reach is how far an effect goes.
func reach(e Effect) string {
	switch {
	case e.Everything != "":
		return "everything"
	case e.CatalogOnly, e.Empty():
		return "nothing"
	case e.Class == None:
		return "layout"
	case len(e.Schemas) > 0:
		return "schemas"
	}
	return "tables"
}
