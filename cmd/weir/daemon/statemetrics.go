package daemon

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/replicator/lag"
)

// registerState exports what a Weir is and in which state: what dashboards name it by, and what alerts compare with.
func (d *Daemon) registerState() {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "weir_build_info", Help: "1, with the version of Weir and of Go as labels.",
		ConstLabels: prometheus.Labels{"version": Version(), "go_version": runtime.Version()},
	})
	info.Set(1)
	d.registry.MustRegister(info)
	d.gauge("weir_ready", "1 while cached results may be served: what /readyz says.", func() float64 {
		return truth(d.notReady() == "")
	})
	d.gauge("weir_max_staleness_seconds", "max_staleness: how old what is served from the cache may be.", func() float64 {
		return time.Duration(d.cfg.MaxStaleness).Seconds()
	})
	d.registry.MustRegister(cacheTypeCollector{
		desc: prometheus.NewDesc("weir_query_cache_type", "1 for the query_cache_type that holds now, 0 for the others.", []string{"type"}, nil),
		now:  d.cacheType,
	})
}

func (d *Daemon) gauge(name, help string, value func() float64) {
	d.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// cacheTypes are the values of query_cache_type.
var cacheTypes = [...]string{"ON", "OFF", "DEMAND", "OBSERVE"}

// cacheType is the one that holds now.
func (d *Daemon) cacheType() string { return d.proxy.QueryCache().Type().String() }

// cacheTypeCollector exports one gauge for each type.
type cacheTypeCollector struct {
	desc *prometheus.Desc
	now  func() string
}

// Describe implements [prometheus.Collector].
func (c cacheTypeCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect implements [prometheus.Collector].
func (c cacheTypeCollector) Collect(ch chan<- prometheus.Metric) {
	now := c.now()
	for _, t := range cacheTypes {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, truth(t == now), t)
	}
}

// newVisible measures how long changes take from the ledger to each server that may answer reads.
func (d *Daemon) newVisible() *lag.Visible {
	var addrs []string
	for _, addr := range append(slices.Clone(d.cfg.proxy().Backends), d.cfg.sources()...) {
		if !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
			d.sampler(addr) // while nobody else looks for one
		}
	}
	return lag.NewVisible(d.shows, addrs, d.registry)
}

// shows implements [lag.Shows].
func (d *Daemon) shows(ctx context.Context, addr string, mark cache.Mark) (bool, error) {
	if d.ledger.Epoch() != mark.Epoch {
		return false, lag.ErrOver
	}
	return d.hasApplied(ctx, addr, mark)
}
