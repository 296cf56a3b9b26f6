package proxy

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
)

// counters count what sessions do, without two of them writing to one cache line at every miss. There are several, and
// each session uses one of them. Hits are counted by statement, see package digest.
type counters struct {
	misses, joined, refused, inside, second atomic.Uint64
	_                                       [88]byte
}

type metrics struct {
	stripes        [32]counters
	reasons        *prometheus.CounterVec
	fills          *prometheus.CounterVec
	backendSeconds prometheus.Histogram
	backendErrors  *prometheus.CounterVec
	logins         *prometheus.CounterVec
	proofs         *prometheus.CounterVec
	refills        *prometheus.CounterVec
	routeMetrics
}

func newMetrics(reg prometheus.Registerer, s *Server) *metrics {
	m := &metrics{
		reasons: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_not_cacheable_total",
			Help: "Statements that were sent on without a look at storing their result, by reason.",
		}, []string{"reason"}),
		fills: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_fills_total",
			Help: "Misses whose answer was read to be stored, by how finely it depends on the table on which it depends most coarsely: row, range, columns, or table.",
		}, []string{"grain"}),
		backendSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "weir_backend_seconds",
			Help:    "Time from sending a statement to a backend to the end of its response.",
			Buckets: prometheus.ExponentialBuckets(.0001, 2.5, 14),
		}),
		backendErrors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_backend_connect_errors_total",
			Help: "Connections to a backend that could not be made, by backend.",
		}, []string{"backend"}),
		logins: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_logins_total",
			Help: "Clients that came, by what became of them: accepted, denied (wrong account, password or database), failed (no login in time, or garbage), or full (max_connections).",
		}, []string{"outcome"}),
		proofs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_login_proofs_total",
			Help: "Clients accepted, by how they proved their password: listed (it is in the configuration), remembered (it fits one that a backend has taken before), or revealed (Weir asked for it, and a backend has taken it).",
		}, []string{"how"}),
	}
	m.refills = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weir_refills_total",
		Help: "Results that were read again before anybody asked, by what became of it: servable (stored, or there already), behind (no backend is known to have what is recorded), refused (it is not to be read in advance), or failed.",
	}, []string{"outcome"})
	for _, outcome := range [...]string{"servable", "behind", "refused", "failed"} {
		m.refills.WithLabelValues(outcome)
	}
	m.routeMetrics = newRouteMetrics(reg, s)
	for _, b := range s.everyBackend() {
		m.backendErrors.WithLabelValues(b.addr)
	}
	for _, outcome := range [...]string{"accepted", "denied", "failed", "full"} {
		m.logins.WithLabelValues(outcome)
	}
	for _, how := range [...]string{"listed", "remembered", "revealed"} {
		m.proofs.WithLabelValues(how)
	}
	for g := dep.ByTable; g <= dep.ByRow; g++ {
		m.fills.WithLabelValues(g.String())
	}
	if reg != nil {
		reg.MustRegister(m.reasons, m.fills, m.backendSeconds, m.backendErrors, m.logins, m.proofs, m.refills)
		m.registerSums(reg, s)
		registerAnalyses(reg, s.analyses)
	}
	return m
}

func (m *metrics) registerSums(reg prometheus.Registerer, s *Server) {
	sum := func(outcome string, total func() uint64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "weir_statements_total",
			Help:        "Cacheable statements by how they were answered: hit (from the cache), miss (from a backend), joined (by an identical miss under way); and refused (not a read, under writes: reject).",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(total()) }))
	}
	sum("hit", s.digests.Hits)
	sum("miss", func() uint64 { return m.total(missesOf) })
	sum("joined", func() uint64 { return m.total(joinedOf) })
	sum("refused", func() uint64 { return m.total(refusedOf) })
	for state, count := range map[string]func() int64{"idle": s.idleConnections, "used": s.usedConnections} {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "weir_backend_connections",
			Help:        "Connections to backends: idle in a pool, or used by a session, for a statement or for longer.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(count()) }))
	}
	reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "weir_transaction_hits_total",
		Help: "Hits inside read-only transactions, under cache.transactions: snapshot. They count as hits, too.",
	}, func() float64 { return float64(m.total(insideOf)) }))
	reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "weir_second_tier_hits_total",
		Help: "Hits on what was found in the second tier, and not in memory. They count as hits, too.",
	}, func() float64 { return float64(m.total(secondOf)) }))
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weir_clients",
		Help: "Clients connected.",
	}, func() float64 { return float64(s.clients.Load()) }))
}

func insideOf(c *counters) *atomic.Uint64  { return &c.inside }
func secondOf(c *counters) *atomic.Uint64  { return &c.second }
func missesOf(c *counters) *atomic.Uint64  { return &c.misses }
func joinedOf(c *counters) *atomic.Uint64  { return &c.joined }
func refusedOf(c *counters) *atomic.Uint64 { return &c.refused }

func (m *metrics) total(of func(*counters) *atomic.Uint64) (n uint64) {
	for i := range m.stripes {
		n += of(&m.stripes[i]).Load()
	}
	return n
}

func (m *metrics) countersFor(id uint32) *counters { return &m.stripes[id%uint32(len(m.stripes))] }

func (m *metrics) notCacheable(reason string) { m.reasons.WithLabelValues(reason).Inc() }
