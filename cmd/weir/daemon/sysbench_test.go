package daemon

import (
	"net"
	"os/exec"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall43Sysbench: sysbench, with prepared statements and without, gets most of its answers from the cache: there
// are many more questions than there are different ones.
func TestPitfall43Sysbench(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.direct("app", "").run("CREATE DATABASE sb")
		sysbench(t, w.source.Addr(), "oltp_point_select", "--table-size=50", "prepare")
		w.caughtUp()
		tests := []struct {
			workload, prepares string
			events             string
			questions          float64
		}{
			{"oltp_point_select", "disable", "1000", 1000},
			{"oltp_point_select", "auto", "1000", 1000},
			{"oltp_read_only", "disable", "150", 150 * 14}, // ten rows and four ranges
			{"oltp_read_only", "auto", "150", 150 * 14},
		}
		for _, tc := range tests {
			before := w.counter("weir_statements_total", "outcome", "hit")
			sysbench(t, w.weir.Addr(), tc.workload, "--table-size=50", "--rand-type=uniform", "--skip-trx", "--threads=2",
				"--time=0", "--events="+tc.events, "--db-ps-mode="+tc.prepares, "run")
			if hits := w.counter("weir_statements_total", "outcome", "hit") - before; hits < tc.questions/2 || hits > tc.questions {
				t.Errorf("%s, prepared statements %s: %v hits of %v: %s", tc.workload, tc.prepares, hits, tc.questions, w.counters())
			}
		}
	})
}

func sysbench(t testing.TB, addr, workload string, args ...string) (report string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{workload, "--db-driver=mysql", "--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=app",
		"--mysql-password=app-secret", "--mysql-db=sb"}, args...)
	out, err := exec.CommandContext(t.Context(), "sysbench", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("sysbench %s: %v\n%s", workload, err, out)
	}
	return string(out)
}
