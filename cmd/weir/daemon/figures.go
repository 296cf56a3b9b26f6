package daemon

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// figures are what the metrics say at one moment: what people see on the page is what Prometheus sees.
type figures map[string][]*dto.Metric

// readFigures asks all collectors of the process. None of them waits for a server. What one cannot tell is missing.
func readFigures(from prometheus.Gatherer) figures {
	families, _ := from.Gather() // has what could be had, whatever the error
	f := make(figures, len(families))
	for _, family := range families {
		f[family.GetName()] = family.GetMetric()
	}
	return f
}

// sum adds the metrics of the name that have the label, all of them without one.
func (f figures) sum(name string, label ...string) (total float64) {
	for _, m := range f[name] {
		if len(label) == 0 || labelOf(m, label[0]) == label[1] {
			total += valueOf(m)
		}
	}
	return total
}

// by has the metrics of the name by the value of a label.
func (f figures) by(name, label string) map[string]float64 {
	all := make(map[string]float64, len(f[name]))
	for _, m := range f[name] {
		all[labelOf(m, label)] += valueOf(m)
	}
	return all
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

func valueOf(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.GetCounter().GetValue()
	case m.Gauge != nil:
		return m.GetGauge().GetValue()
	}
	return 0
}
