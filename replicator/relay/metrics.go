package relay

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

type publisherMetrics struct {
	transactions, entries, bytes, failed, overflows, incarnations prometheus.Counter
	delay                                                         prometheus.Histogram
}

func newPublisherMetrics(reg prometheus.Registerer, p *Publisher) *publisherMetrics {
	m := &publisherMetrics{
		transactions: counter("weir_relay_transactions_total", "Transactions that the relay has put into its stream."),
		entries:      counter("weir_relay_entries_total", "Entries of the relay's stream that Redis has taken. Transactions that come fast share one."),
		bytes:        counter("weir_relay_bytes_total", "Bytes of these entries."),
		failed:       counter("weir_relay_send_failures_total", "Attempts to send entries to Redis that have failed; each is repeated."),
		overflows:    counter("weir_relay_overflows_total", "Times that the relay threw away what it had to send, because Redis was away for too long."),
		incarnations: counter("weir_relay_incarnations_total", "Times that the relay's stream began anew; each time consumers begin with an empty cache."),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_relay_publish_seconds",
			Help:    "Time from a transaction's arrival at the relay until Redis has it.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
		}),
	}
	buffered := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weir_relay_buffered_bytes", Help: "Bytes that the relay has to send to Redis.",
	}, func() float64 { return float64(p.buffered()) })
	if reg != nil {
		reg.MustRegister(m.transactions, m.entries, m.bytes, m.failed, m.overflows, m.incarnations, m.delay, buffered)
	}
	return m
}

func (p *Publisher) buffered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

func (m *publisherMetrics) sent(e entry) {
	m.entries.Inc()
	m.bytes.Add(float64(len(e.bytes)))
	m.delay.Observe(time.Since(e.since).Seconds())
}

type relayMetrics struct {
	active, consumers, interests prometheus.Gauge
}

func newRelayMetrics(reg prometheus.Registerer) *relayMetrics {
	m := &relayMetrics{
		active:    gauge("weir_relay_active", "1 while this relay publishes; 0 while it stands by for another one."),
		consumers: gauge("weir_relay_consumers", "Weirs that ask the relay whether they are complete."),
		interests: gauge("weir_relay_interests", "Interests in columns that consumers have left for the relay."),
	}
	if reg != nil {
		reg.MustRegister(m.active, m.consumers, m.interests)
	}
	return m
}

// idle: a relay that stands by knows nobody.
func (m *relayMetrics) idle() {
	for _, g := range [...]prometheus.Gauge{m.active, m.consumers, m.interests} {
		g.Set(0)
	}
}

type consumerMetrics struct {
	entries, reconnects prometheus.Counter
	lost                *prometheus.CounterVec
}

func newConsumerMetrics(reg prometheus.Registerer) *consumerMetrics {
	m := &consumerMetrics{
		entries:    counter("weir_relay_read_entries_total", "Entries of the relay's stream that were read."),
		reconnects: counter("weir_relay_read_failures_total", "Times that the relay's stream could not be read, or was silent, and was looked at again."),
		lost: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_relay_lost_total",
			Help: "Times that the place in the relay's stream was lost and the cache started empty, by reason.",
		}, []string{"reason"}),
	}
	if reg != nil {
		reg.MustRegister(m.entries, m.reconnects, m.lost)
	}
	return m
}
