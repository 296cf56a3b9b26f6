package replicator

import (
	"sync"

	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/replicator/lag"
)

type recorderMetrics struct {
	transactions prometheus.Counter
	everything   prometheus.Counter
	delivery     *prometheus.HistogramVec // from the commit to the delivery
	recording    prometheus.Histogram     // from there to the ledger
	lag          *prometheus.HistogramVec // both
	tables       *lag.Tables
}

func newRecorderMetrics(reg prometheus.Registerer) *recorderMetrics {
	m := &recorderMetrics{
		transactions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_stream_transactions_total",
			Help: "Transactions recorded in the ledger.",
		}),
		everything: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_stream_everything_total",
			Help: "Transactions that had to be taken for a change to everything, but for those before the schema was read in an epoch.",
		}),
		lag: prometheus.NewHistogramVec(lag.Histogram("weir_commit_to_ledger_seconds",
			"Time from a commit on the source to its record in the ledger. The label says how finely the source's clock tells: MySQL gives microseconds, MariaDB whole seconds, so that its values are up to a second too large."),
			[]string{"clock"}),
		delivery: prometheus.NewHistogramVec(lag.Histogram("weir_commit_to_delivered_seconds",
			"Time from a commit on the source until all of the transaction has come to Weir, by how finely the source's clock tells."),
			[]string{"clock"}),
		recording: prometheus.NewHistogram(lag.Histogram("weir_delivered_to_ledger_seconds",
			"Time from when all of a transaction has come to Weir to its record in the ledger, by one clock.")),
		tables: lag.NewTables(reg),
	}
	if reg != nil {
		reg.MustRegister(m.transactions, m.everything, m.lag, m.delivery, m.recording)
	}
	return m
}

type readerMetrics struct {
	events, bytes, reconnects, lost, warm prometheus.Counter
	unknown                               *prometheus.CounterVec
	told                                  toldCounters

	mu   sync.Mutex
	seen map[replication.EventType]bool
}

func newReaderMetrics(reg prometheus.Registerer, r *Reader) *readerMetrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &readerMetrics{
		events:     counter("weir_stream_events_total", "Binlog events received."),
		bytes:      counter("weir_stream_bytes_total", "Bytes of binlog events received."),
		reconnects: counter("weir_stream_reconnects_total", "Times that the binlog stream ended and was opened again."),
		lost:       counter("weir_stream_lost_total", "Times that the place in the binlog was lost and the cache started empty, other than by a move to another one of source.addrs."),
		warm:       counter("weir_stream_warm_starts_total", "Times that the binlog was followed from a place where Weir had been before it was started."),
		unknown: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_stream_unknown_events_total",
			Help: "Binlog events that Weir could not read and took for a change to everything, by type.",
		}, []string{"type"}),
		told: newToldCounters(reg),
		seen: map[replication.EventType]bool{},
	}
	if reg != nil {
		reg.MustRegister(m.events, m.bytes, m.reconnects, m.lost, m.warm, m.unknown, newPositionCollector(r.ledger, r.State, r.behind.Load))
	}
	return m
}

// unknownEvent counts, and reports whether it is the first of its type.
func (m *readerMetrics) unknownEvent(t replication.EventType) bool {
	m.unknown.WithLabelValues(t.String()).Inc()
	m.mu.Lock()
	defer m.mu.Unlock()
	first := !m.seen[t]
	m.seen[t] = true
	return first
}

// NewPositionCollector exports how far the ledger is, for whoever follows the stream through somebody else.
func NewPositionCollector(l *cache.Ledger, state func() State) prometheus.Collector {
	return newPositionCollector(l, state, func() uint64 { return 0 })
}

// positionCollector reads the stream's place once a scrape.
type positionCollector struct {
	ledger                                        *cache.Ledger
	state                                         func() State
	left                                          func() uint64 // bytes that are still to be read
	file, pos, connected, complete, epoch, behind *prometheus.Desc
}

func newPositionCollector(l *cache.Ledger, state func() State, left func() uint64) *positionCollector {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &positionCollector{
		ledger: l, state: state, left: left,
		file:      desc("weir_stream_file_number", "Number of the source's binlog file up to which the ledger has recorded everything."),
		pos:       desc("weir_stream_position_bytes", "Position in that file."),
		connected: desc("weir_stream_connected", "1 while the binlog stream is open."),
		complete:  desc("weir_stream_complete_age_seconds", "Age of the last moment as of which the ledger is known to be complete; -1 if there is none. Cached results are served while it is below max_staleness."),
		behind:    desc("weir_stream_behind_bytes", "Bytes of the source's binlog that are still to be read after the stream was opened at a place in the past; cached results are not served before it is 0. The sizes of files between are known after a warm start only."),
		epoch:     desc("weir_stream_epoch", "Times that the ledger started with nothing."),
	}
}

func (c *positionCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range [...]*prometheus.Desc{c.file, c.pos, c.connected, c.complete, c.epoch, c.behind} {
		ch <- d
	}
}

func (c *positionCollector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	ledger := c.ledger
	head := ledger.Head()
	gauge(c.file, float64(head.File()))
	gauge(c.pos, float64(head.Pos()))
	gauge(c.behind, float64(c.left()))
	gauge(c.epoch, float64(ledger.Epoch()))
	age := -1.0
	if at, ok := ledger.CompleteAsOf(); ok {
		age = (ledger.Now() - at).Seconds()
	}
	gauge(c.complete, age)
	connected := 0.0
	if c.state().Connected {
		connected = 1
	}
	gauge(c.connected, connected)
}
