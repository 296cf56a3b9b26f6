package pace

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache/dep"
)

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewPedanticRegistry()
		g := New(narrow(), slog.New(slog.DiscardHandler), reg)
		g.Hold(orders)
		in := enterMany(t.Context(), g, 2, orders)
		ctx, cancel := context.WithCancel(t.Context())
		through, gone := enter(t.Context(), g, orders), enter(ctx, g, orders)
		<-time.After(g.cfg.Wait - time.Second)
		cancel()
		<-gone.done
		<-through.done
		waiting := enter(t.Context(), g, orders)
		want := `
# HELP weir_ddl_gate_inside How many reads of the table are at servers. Only tables with a gate up, and the first 100 of them; (others) is the sum of the rest.
# TYPE weir_ddl_gate_inside gauge
weir_ddl_gate_inside{table="shop.orders"} 3
# HELP weir_ddl_gate_limit How many reads of the table may be at servers. Only tables with a gate up, and the first 100 of them; (others) is the sum of the rest.
# TYPE weir_ddl_gate_limit gauge
weir_ddl_gate_limit{table="shop.orders"} 2
# HELP weir_ddl_gate_stalls_total Times that the reads of a table did not come back and no DDL was known, by what the servers said of it: piled (up behind a metadata lock), slow (they are not), or none (nothing was said in time).
# TYPE weir_ddl_gate_stalls_total counter
weir_ddl_gate_stalls_total{verdict="none"} 0
weir_ddl_gate_stalls_total{verdict="piled"} 0
weir_ddl_gate_stalls_total{verdict="slow"} 0
# HELP weir_ddl_gate_through_total Reads that went to a server beyond the limit, because they had waited for as long as a read may.
# TYPE weir_ddl_gate_through_total counter
weir_ddl_gate_through_total 1
# HELP weir_ddl_gate_waiting How many reads wait at the table's gate. Only tables with a gate up, and the first 100 of them; (others) is the sum of the rest.
# TYPE weir_ddl_gate_waiting gauge
weir_ddl_gate_waiting{table="shop.orders"} 1
# HELP weir_ddl_gate_waits_total Reads that had to wait before they went to a server, by why they began to: stalled, pile-up, ddl, refill, or burst (more came at once than are let in before one has come back).
# TYPE weir_ddl_gate_waits_total counter
weir_ddl_gate_waits_total{phase="burst"} 0
weir_ddl_gate_waits_total{phase="ddl"} 3
weir_ddl_gate_waits_total{phase="pile-up"} 0
weir_ddl_gate_waits_total{phase="refill"} 0
weir_ddl_gate_waits_total{phase="stalled"} 0
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "weir_ddl_gate_inside", "weir_ddl_gate_limit", "weir_ddl_gate_stalls_total",
			"weir_ddl_gate_through_total", "weir_ddl_gate_waiting", "weir_ddl_gate_waits_total"); err != nil {
			t.Error(err)
		}
		drain(t, append(in, through, waiting))
	})
}

// TestMetricsAreBounded: many tables, and names that no scrape could carry twice, or at all.
func TestMetricsAreBounded(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	g := New(narrow(), slog.New(slog.DiscardHandler), reg)
	g.Hold(dep.Name{Schema: "a.b", Table: "c"})
	g.Hold(dep.Name{Schema: "a", Table: "b.c"})
	g.Hold(dep.Name{Schema: "a", Table: "\xff"})
	for i := range 150 {
		g.Hold(dep.Fold("shop", fmt.Sprint("t", i)))
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "weir_ddl_gate_limit" {
			continue
		}
		sum := 0.0
		for _, m := range f.GetMetric() {
			sum += m.GetGauge().GetValue()
		}
		if n := len(f.GetMetric()); n != labelled+1 || sum != 153*2 {
			t.Errorf("%d series with a sum of %v, want %d and %d", n, sum, labelled+1, 153*2)
		}
		return
	}
	t.Error("weir_ddl_gate_limit is missing")
}

func TestNilRegisterer(t *testing.T) {
	g := New(DefaultConfig(), slog.New(slog.DiscardHandler), nil)
	leave, err := g.Enter(t.Context(), []dep.Name{orders})
	if err != nil {
		t.Fatal(err)
	}
	leave()
}
