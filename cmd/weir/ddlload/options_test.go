package ddlload

import (
	"flag"
	"time"

	"weir/deployments/sandbox"
)

var (
	full    = flag.Bool("full", false, "measure, over a table larger than half of the buffer pool; takes minutes")
	flavor  = flag.String("flavor", "", "the only flavor to measure, MySQL or MariaDB; both if empty")
	out     = flag.String("out", "", "the folder that reports and plots are written to; none if empty")
	rows    = flag.Int("rows", 0, "rows of the large table; 0 is the run's own")
	readers = flag.Int("readers", 0, "readers; 0 is the run's own")
	share   = flag.Float64("share", 0.8, "which share of the most that the server alone answers is asked for")
	before  = flag.Duration("before", 0, "how long is read before each change; 0 is the run's own")
	after   = flag.Duration("after", 0, "how long is read after each change; 0 is the run's own")
	writes  = flag.Int("writes", 0, "updates of the large table per second; answers are then not compared while they run")
)

// options say how large a run is.
type options struct {
	rows, spare   int // of the large table, and of the one that is truncated
	pool          int64
	statements    int
	readers       int
	before, after time.Duration
	calibrate     time.Duration
	rate          float64 // requests per second; 0: a share of what the server can do
	share         float64
	writes        int
	herd          herdOptions
}

// herdOptions are those of the run that counts reads at the server.
type herdOptions struct {
	rows, keys, readers int
	before, after       time.Duration
}

// smoke is the run that shows that everything works.
func smoke() options {
	return options{
		rows: 5000, spare: 1000, pool: 64 << 20, statements: 60, readers: 8,
		before: 400 * time.Millisecond, after: 400 * time.Millisecond, calibrate: 200 * time.Millisecond, rate: 200, share: *share, writes: *writes,
		herd: herdOptions{rows: 5000, keys: 500, readers: 32, before: 100 * time.Millisecond, after: 400 * time.Millisecond},
	}
}

// large is the run with figures: the large table has about 660 MB.
func large() options {
	return options{
		rows: 2_500_000, spare: 500_000, pool: 1 << 30, statements: 2000, readers: 64,
		before: 10 * time.Second, after: 15 * time.Second, calibrate: 10 * time.Second, share: *share, writes: *writes,
		herd: herdOptions{rows: 100_000, keys: 50_000, readers: 256, before: 4 * time.Second, after: 40 * time.Second},
	}
}

// chosen are the options that the command line asks for.
func chosen() options {
	o := smoke()
	if *full {
		o = large()
	}
	if *rows > 0 {
		o.rows, o.spare = *rows, max(*rows/5, 1000)
	}
	if *readers > 0 {
		o.readers = *readers
	}
	if *before > 0 {
		o.before = *before
	}
	if *after > 0 {
		o.after = *after
	}
	return o
}

// server is what the run needs of the server. The redo log is that of a server which is meant to take writes; the
// sandbox's own would make every rebuild wait for checkpoints.
func (o options) server(f sandbox.Flavor) sandbox.Options {
	s := sandbox.Options{Flavor: f, BufferPool: o.pool, Extra: []string{"--max-connections=600"}}
	if !*full {
		return s
	}
	if f == sandbox.MySQL {
		s.Extra = append(s.Extra, "--innodb-redo-log-capacity=1G")
	} else {
		s.Extra = append(s.Extra, "--innodb-log-file-size=1G")
	}
	return s
}

// flavors are those that are measured, one after the other.
func flavors() []sandbox.Flavor {
	if *flavor != "" {
		return []sandbox.Flavor{sandbox.Flavor(*flavor)}
	}
	return []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB}
}
