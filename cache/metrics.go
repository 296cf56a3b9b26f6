package cache

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	stores  prometheus.Counter
	refused *prometheus.CounterVec
	swept   prometheus.Counter
	joined  prometheus.Counter
	ended   prometheus.Counter
	unused  prometheus.Counter
	pauses  prometheus.Counter

	promotions *prometheus.CounterVec
	spilled    prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, c *Cache) *metrics {
	m := &metrics{
		stores: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_stores_total",
			Help: "Results stored in tier 1.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_cache_stores_refused_total",
			Help: "Results of cacheable statements that were not stored, by reason.",
		}, []string{"reason"}),
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_swept_total",
			Help: "Entries that had become unservable and whose memory was reclaimed by the sweep.",
		}),
		joined: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_joined_total",
			Help: "Misses that were answered by an identical read already under way.",
		}),
		ended: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_ended_total",
			Help: "Entries that a change made unservable, counted when they are replaced or swept.",
		}),
		unused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_ended_unused_total",
			Help: "Entries that a change made unservable before they were used.",
		}),
		pauses: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_cache_pauses_total",
			Help: "Times that the results of a table were refused for a while, because they are seldom used before a change.",
		}),
		promotions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_cache_promotions_total",
			Help: "Results found in the second tier, by what the ledger made of them: stored in tier 1 and served, served alone, changed since, not_current, unproved, or too_old (max_age).",
		}, []string{"outcome"}),
	}
	m.spilled = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "weir_cache_kept_warm_total",
		Help: "Entries handed to the second tier again because they are asked for often, for those who start.",
	})
	for _, outcome := range []string{promotedStored, servedOnly, changedSince, string(RefusedNoStream), string(RefusedUnproved), tooOld} {
		m.promotions.WithLabelValues(outcome)
	}
	for _, why := range []Refusal{RefusedBehind, RefusedUnproved, RefusedNoStream, RefusedOwnWrite, RefusedTooLarge, RefusedWarnings, RefusedError, RefusedOtherRows, RefusedNotPaying} {
		m.refused.WithLabelValues(string(why))
	}
	if reg != nil {
		reg.MustRegister(m.stores, m.refused, m.swept, m.joined, m.ended, m.unused, m.pauses, m.promotions, m.spilled, newStatsCollector(c), newPausedCollector(c))
	}
	return m
}

// end counts an entry that a change has ended, and that was used at least so many times.
func (m *metrics) end(hits uint32) {
	m.ended.Inc()
	if hits == 0 {
		m.unused.Inc()
	}
}

// statsCollector reads the store once a scrape.
type statsCollector struct {
	cache                                    *Cache
	entries, bytes, aside, budget, evictions *prometheus.Desc
}

func newStatsCollector(c *Cache) *statsCollector {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &statsCollector{
		cache:     c,
		entries:   desc("weir_cache_entries", "Entries in tier 1, servable or not yet reclaimed."),
		bytes:     desc("weir_cache_bytes", "Bytes that tier 1 counts against its budget: keys, results, overheads, and the cells of the ledger."),
		aside:     desc("weir_cache_aside_bytes", "Bytes of the entries that eviction has passed over and set aside, because what they depend on is protected."),
		budget:    desc("weir_cache_budget_bytes", "Budget of tier 1 in bytes (query_cache_size)."),
		evictions: desc("weir_cache_evictions_total", "Entries evicted from tier 1 to keep its budget."),
	}
}

func (s *statsCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range [...]*prometheus.Desc{s.entries, s.bytes, s.aside, s.budget, s.evictions} {
		ch <- d
	}
}

func (s *statsCollector) Collect(ch chan<- prometheus.Metric) {
	st := s.cache.Stats()
	ch <- prometheus.MustNewConstMetric(s.entries, prometheus.GaugeValue, float64(st.Entries))
	ch <- prometheus.MustNewConstMetric(s.bytes, prometheus.GaugeValue, float64(st.Bytes))
	ch <- prometheus.MustNewConstMetric(s.aside, prometheus.GaugeValue, float64(st.Aside))
	ch <- prometheus.MustNewConstMetric(s.budget, prometheus.GaugeValue, float64(st.Budget))
	ch <- prometheus.MustNewConstMetric(s.evictions, prometheus.CounterValue, float64(st.Evictions))
}

// pausedCollector tells once a scrape which tables are paused, of those that ever were.
type pausedCollector struct {
	cache  *Cache
	paused *prometheus.Desc
}

func newPausedCollector(c *Cache) *pausedCollector {
	help := "Whether results that read the table at this grain are refused now; only of those that ever were."
	return &pausedCollector{c, prometheus.NewDesc("weir_cache_paused", help, []string{"table", "grain"}, nil)}
}

func (p *pausedCollector) Describe(ch chan<- *prometheus.Desc) { ch <- p.paused }

func (p *pausedCollector) Collect(ch chan<- prometheus.Metric) {
	now := p.cache.ledger.Now()
	for _, y := range p.cache.yields.everPaused() {
		value := 0.0
		if y.Paused(now) {
			value = 1
		}
		ch <- prometheus.MustNewConstMetric(p.paused, prometheus.GaugeValue, value, y.table, y.grain)
	}
}
