package daemon

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestWhoAnswers: while every server is down, the page does not say that servers answer everything.
func TestWhoAnswers(t *testing.T) {
	for _, c := range []struct {
		up   []float64
		want string
	}{
		{nil, "servers answer everything"}, // not known yet
		{[]float64{1}, "servers answer everything"}, {[]float64{0, 1}, "servers answer everything"},
		{[]float64{0}, "no server answers"}, {[]float64{0, 0}, "no server answers"},
	} {
		up := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "weir_backend_up"}, []string{"backend"})
		for i, v := range c.up {
			up.WithLabelValues(string(rune('a' + i))).Set(v)
		}
		from := prometheus.NewRegistry()
		from.MustRegister(up)
		if got := whoAnswers(readFigures(from)); got != c.want {
			t.Errorf("%v: %s", c.up, got)
		}
	}
}
