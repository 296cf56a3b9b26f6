package daemon

import (
	"regexp"
	"strconv"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// sysbenchMix is oltp_read_write without transactions, with more reads of single rows: eighty for each event, beside four
// ranges. Then it changes rows by the same distribution: it updates an indexed column and another one, deletes and
// inserts. What is changed must be read again, so with the ten reads of the default no cache can have more than 83 % of
// them, and next to none of the ranges, over which there are hundreds of changes for each time that the same one is asked
// for. Without transactions two threads may insert one row; sysbench is to bear that.
var sysbenchMix = []string{
	"--table-size=1500", "--rand-type=uniform", "--skip-trx", "--mysql-ignore-errors=1213,1020,1205,1062", "--threads=4",
	"--time=0", "--events=400", "--point-selects=80", "--db-ps-mode=auto",
}

// TestSysbenchReadWrite: with row precision most of the rows and ranges that sysbench's read/write load asks for come from
// the cache; with table precision, in the same run, nearly none.
func TestSysbenchReadWrite(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
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
	const size = "--table-size=1500"
	sysbench(w.t, w.source.Addr(), "oltp_read_write", size, "cleanup")
	sysbench(w.t, w.source.Addr(), "oltp_read_write", size, "prepare")
	w.caughtUp()
	report := sysbench(w.t, w.weir.Addr(), "oltp_read_write", append(sysbenchMix, "run")...)
	reads := regexp.MustCompile(`read: +(\d+)`).FindStringSubmatch(report)
	if reads == nil {
		w.t.Fatalf("sysbench does not say how much it has read:\n%s", report)
	}
	n, err := strconv.ParseFloat(reads[1], 64)
	w.must(err)
	return w.counter("weir_statements_total", "outcome", "hit") / n
}

// TestPitfall2AnInterestThatIsNewerThanTheReplica replays the steps at type reads of package proxy: what a replica that
// lags answers may be from before anybody watched the column by which it was asked.
func TestPitfall2AnInterestThatIsNewerThanTheReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 1, nil, nil)
		d.run("CREATE TABLE n (id INT PRIMARY KEY, name VARCHAR(20), v VARCHAR(20)) ENGINE=InnoDB")
		d.run("INSERT INTO n VALUES (1, 'a', 'old'), (9, 'z', 'far')")
		w.caughtUp()
		w.must(replicas[0].CatchUp(t.Context()))
		p.warm("SELECT v FROM n WHERE id = 9") // from here on rows are told by their ids, and not as a change to the table
		w.stopApplying(replicas[0])
		d.run("UPDATE n SET v = 'new' WHERE id = 1")
		w.caughtUp()
		const byName = "SELECT v FROM n WHERE name = 'a'"
		p.always(byName, oldRow)
		w.applyAgain(replicas[0])
		p.always(byName, newRow)
		p.warm(byName)
		d.run("UPDATE n SET v = 'newer' WHERE id = 9")
		w.caughtUp()
		if got, hit := p.asked(byName); got != newRow || !hit {
			t.Errorf("after a change to another row: %q, hit: %v", got, hit)
		}
	})
}
