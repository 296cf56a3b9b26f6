package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// sysbenchMix is oltp_read_write without transactions. Each event asks for 60 rows and four ranges, and then changes
// rows by the same distribution: an update of an indexed column and of another one, a delete and an insert. No mix can
// have more than reads / (reads + writes) of its point reads from a cache, since what is changed must be read again.
var sysbenchMix = []string{
	"--table-size=1000", "--tables=1", "--rand-type=uniform", "--skip-trx", "--threads=4", "--time=0", "--events=600",
	"--point-selects=60", "--db-ps-mode=auto",
}

// sysbenchReads is how many reads those events are.
const sysbenchReads = 600 * (60 + 4)

// TestSysbenchReadWrite: with row precision most of the rows and ranges that sysbench's read/write load asks for come from
// the cache; with table precision, in the same run, nearly none.
func TestSysbenchReadWrite(t *testing.T) {
	sandboxtest.EachAlone(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.direct("app", "").run("CREATE DATABASE sb")
		share := map[string]float64{}
		for _, precision := range []string{"row", "table"} {
			w.start(func(c *Config) { c.Writes, c.Cache.Precision = "source", precision })
			share[precision] = w.sysbenchShare()
			w.stop()
		}
		t.Logf("hits: %.1f %% with row precision, %.1f %% with table precision", 100*share["row"], 100*share["table"])
		if share["row"] < 0.8 || share["table"] > 0.1 {
			t.Errorf("%.1f %% of reads are hits with row precision, want at least 80; %.1f %% with table precision, want 10 at most",
				100*share["row"], 100*share["table"])
		}
	})
}

// sysbenchShare runs the load through Weir, on fresh tables, and returns which part of its reads were hits.
func (w *world) sysbenchShare() float64 {
	w.t.Helper()
	prepare := []string{"--table-size=1000", "--tables=1"}
	sysbench(w.t, w.source.Addr(), "oltp_read_write", append(prepare, "cleanup")...)
	sysbench(w.t, w.source.Addr(), "oltp_read_write", append(prepare, "prepare")...)
	w.caughtUp()
	sysbench(w.t, w.weir.Addr(), "oltp_read_write", append(sysbenchMix, "run")...)
	return w.counter("weir_statements_total", "outcome", "hit") / sysbenchReads
}
