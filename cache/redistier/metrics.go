package redistier

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// lookupOutcome is the label of weir_redis_lookups_total.
type lookupOutcome string

const (
	lookupHit        lookupOutcome = "hit"
	lookupMiss       lookupOutcome = "miss"
	lookupLate       lookupOutcome = "late"          // the budget ended
	lookupError      lookupOutcome = "error"         // Redis cannot be reached, or says no
	lookupOpen       lookupOutcome = "open"          // not asked: the server is out
	lookupCheap      lookupOutcome = "cheap"         // not asked: a server answers faster
	lookupUnreadable lookupOutcome = "unreadable"    // see weir_redis_unreadable_total
	lookupOther      lookupOutcome = "other_history" // not of the history that is followed, or nothing is followed yet
)

// writeOutcome is the label of weir_redis_writes_total.
type writeOutcome string

const (
	writeDone     writeOutcome = "written"
	writeFull     writeOutcome = "queue_full"
	writeTooLarge writeOutcome = "too_large"
	writeOpen     writeOutcome = "open"
	writeCheap    writeOutcome = "cheap"
	writeUnplaced writeOutcome = "unplaced" // where its mark is in the source's history cannot be told, yet or any more
	writeRefused  writeOutcome = "refused"  // Redis says no
	writeFailed   writeOutcome = "failed"   // Redis cannot be reached, or takes too long
)

type metrics struct {
	lookups  atomic.Uint64 // that asked
	outcomes *prometheus.CounterVec
	seconds  prometheus.Histogram
	batch    prometheus.Histogram
	read     prometheus.Counter
	unreads  *prometheus.CounterVec
	writes   *prometheus.CounterVec
	written  prometheus.Counter
	opened   prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, t *Tier) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	m := &metrics{
		outcomes: vector("weir_redis_lookups_total", "Lookups in tier 2, by outcome.", "outcome"),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_redis_lookup_seconds", Help: "How long lookups that asked Redis waited for it.",
			Buckets: prometheus.ExponentialBuckets(50e-6, 2, 12),

			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160, NativeHistogramMinResetDuration: time.Hour,
		}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_redis_batch_lookups", Help: "Lookups that went to Redis together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 7),
		}),
		read:    counter("weir_redis_read_bytes_total", "Bytes of values read from Redis."),
		unreads: vector("weir_redis_unreadable_total", "Values in Redis that were not taken for one, by reason.", "reason"),
		writes:  vector("weir_redis_writes_total", "Results offered to tier 2, by outcome.", "outcome"),
		written: counter("weir_redis_written_bytes_total", "Bytes of values written to Redis."),
		opened:  counter("weir_redis_breaker_opened_total", "Times that a Redis server was put out."),
	}
	m.announce()
	if reg != nil {
		reg.MustRegister(m.outcomes, m.seconds, m.batch, m.read, m.unreads, m.writes, m.written, m.opened)
		reg.MustRegister(gauges(t)...)
	}
	return m
}

// announce has labels there before there is anything to count.
func (m *metrics) announce() {
	for _, o := range []lookupOutcome{lookupHit, lookupMiss, lookupLate, lookupError, lookupOpen, lookupCheap, lookupUnreadable, lookupOther} {
		m.outcomes.WithLabelValues(string(o))
	}
	for _, o := range []writeOutcome{writeDone, writeFull, writeTooLarge, writeOpen, writeCheap, writeUnplaced, writeRefused, writeFailed} {
		m.writes.WithLabelValues(string(o))
	}
	for _, why := range allUnreadable {
		m.unreads.WithLabelValues(string(why))
	}
}

// gauges are read once a scrape.
func gauges(t *Tier) []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return []prometheus.Collector{
		gauge("weir_redis_queue_bytes", "Bytes of the results that wait to be written to Redis.",
			func() float64 { return float64(t.queue.size()) }),
		gauge("weir_redis_servers_out", "Redis servers that are not asked, because they fail or are late.",
			func() float64 { return float64(t.nodes.open()) }),
		gauge("weir_redis_round_trip_seconds", "What a lookup takes, as a moving average. Statements that a server answers faster are not looked up.",
			func() float64 { return t.costs.lookup().Seconds() }),
	}
}

func (m *metrics) lookup(o lookupOutcome) { m.outcomes.WithLabelValues(string(o)).Inc() }

// asked counts a lookup that went to Redis.
func (m *metrics) asked(took time.Duration, bytes int) {
	m.lookups.Add(1)
	m.seconds.Observe(took.Seconds())
	m.read.Add(float64(bytes))
}

func (m *metrics) unread(why unreadable) { m.unreads.WithLabelValues(string(why)).Inc() }

func (m *metrics) write(o writeOutcome) { m.writes.WithLabelValues(string(o)).Inc() }
