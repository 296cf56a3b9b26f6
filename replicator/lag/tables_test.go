package lag

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"weir/cache/dep"
)

// counted is how many changes each label has.
func counted(t *testing.T, reg *prometheus.Registry) map[string]uint64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			counts[labelOf(m, "table")] += m.GetSummary().GetSampleCount()
		}
	}
	return counts
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

func TestTables(t *testing.T) {
	reg := prometheus.NewRegistry()
	tables := NewTables(reg)
	a, b := dep.Fold("shop", "a"), dep.Fold("shop", "b")
	tables.Observe(time.Second, "microseconds", []dep.Name{a}, []dep.Name{a, b})
	tables.Observe(time.Second, "microseconds", nil, []dep.Name{a})
	if got := counted(t, reg); got["shop.a"] != 2 || got["shop.b"] != 1 || len(got) != 2 {
		t.Errorf("the changes are %v; one transaction counts once for each table", got)
	}
}

// TestTablesAreBounded: of many tables the busy ones have labels, the labels are bounded, and no change is lost.
func TestTablesAreBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	tables := NewTables(reg)
	n := uint64(0)
	touch := func(table string, times int) {
		for range times {
			tables.Observe(time.Millisecond, "seconds", []dep.Name{dep.Fold("shop", table)})
			n++
		}
	}
	for i := range 2 * maxCounted {
		touch(fmt.Sprintf("t%d", i), 1)
	}
	for i := range 2 * maxNamed { // each of them is among the busiest at some time
		touch(fmt.Sprintf("t%d", 100+i), 1<<(1+i/15))
	}
	got := counted(t, reg)
	if len(got) > maxNamed+1 {
		t.Errorf("there are %d labels", len(got))
	}
	if got["shop.t150"] == 0 || got["others"] == 0 {
		t.Errorf("a busy table has no label of its own, or the others have none: %v", got)
	}
	for _, c := range got {
		n -= c
	}
	if n != 0 {
		t.Errorf("%d changes were lost", n)
	}
}
