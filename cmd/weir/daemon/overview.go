package daemon

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"weir/cmd/weir/status"
	"weir/proxy"
	"weir/replicator/lag"
)

// observer says how the daemon is, once a second, to whoever looks at the page. It asks nobody outside the process.
type observer struct {
	d       *Daemon
	started time.Time
	facts   proxy.Facts
	// lag has what was committed since the reading before. It is taken from by nobody else.
	lag  *lag.Window
	turn int
}

// observe makes what is on the page, from now on. It is called when all parts are there.
func (d *Daemon) observe(facts proxy.Facts, commits *lag.Window) {
	o := &observer{d: d, started: time.Now(), facts: facts, lag: commits}
	d.overview = status.NewSampler(o.read)
}

// read is called by the sampler alone.
func (o *observer) read() status.Reading {
	f, now := readFigures(o.d.registry), time.Now()
	r := status.Reading{At: now, Counted: countsOf(f), Lags: lagBuckets(f), Lag: o.lags()}
	r.Now = status.Overview{
		Version: Version(), Now: now.UTC(), Uptime: status.Figure(now.Sub(o.started).Seconds()),
		State: o.d.state(f), Type: o.d.cacheType(), Source: o.source(f), Bound: o.d.bound(), Clients: int(f.sum("weir_clients")),
		Memory: o.d.memory(), Second: o.d.secondState(f), Backends: o.d.backends(), DDL: o.d.recentDDL(),
	}
	r.Now.Lag.Clock = clockOf(f)
	o.rank(&r)
	return r
}

func countsOf(f figures) status.Counted {
	outcomes := f.by("weir_statements_total", "outcome")
	refused := map[string]status.Figure{}
	for reason, n := range f.by("weir_cache_stores_refused_total", "reason") {
		refused[reason] = status.Figure(n)
	}
	return status.Counted{
		Hits: status.Figure(outcomes["hit"]), Misses: status.Figure(outcomes["miss"]), Joined: status.Figure(outcomes["joined"]),
		NotCacheable: status.Figure(f.sum("weir_not_cacheable_total")),
		SecondHits:   status.Figure(f.sum("weir_second_tier_hits_total")), Evictions: status.Figure(f.sum("weir_cache_evictions_total")),
		Refused: refused,
	}
}

// lags are of the commits since the reading before; those that a relay has told are among them.
func (o *observer) lags() status.Lag {
	s := o.lag.Take()
	if s.N == 0 {
		return status.Lag{P50: status.Unknown(), P99: status.Unknown(), Max: status.Unknown()}
	}
	seconds := func(d time.Duration) status.Figure { return status.Figure(d.Seconds()) }
	return status.Lag{P50: seconds(s.P50), P99: seconds(s.P99), Max: seconds(s.Max), Commits: s.N}
}

const lagMetric = "weir_commit_to_ledger_seconds"

// lagBuckets adds up what either clock has told: a source has but one.
func lagBuckets(f figures) (all []status.Bucket) {
	for _, m := range f[lagMetric] {
		for i, b := range m.GetHistogram().GetBucket() {
			if i == len(all) {
				all = append(all, status.Bucket{Le: status.Figure(b.GetUpperBound())})
			}
			all[i].Count += b.GetCumulativeCount()
		}
	}
	if all != nil {
		beyond := status.Bucket{Le: status.Unknown()}
		for _, m := range f[lagMetric] {
			beyond.Count += m.GetHistogram().GetSampleCount()
		}
		all = append(all, beyond)
	}
	return all
}

// clockOf is how finely the source tells when it committed.
func clockOf(f figures) string {
	for _, m := range f[lagMetric] {
		if m.GetHistogram().GetSampleCount() > 0 {
			return labelOf(m, "clock")
		}
	}
	return ""
}

func (o *observer) source(f figures) status.Source {
	return status.Source{
		Addr: o.d.sourceAddr(), Flavor: strings.ToLower(string(o.d.following().Flavor)), Version: o.facts.Version,
		Position: o.d.ledger.Head().String(), Connected: f.sum("weir_stream_connected") > 0,
	}
}

func (d *Daemon) bound() status.Bound {
	b := status.Bound{CompleteAge: status.Unknown(), MaxStaleness: status.Figure(time.Duration(d.cfg.MaxStaleness).Seconds())}
	if at, ok := d.ledger.CompleteAsOf(); ok {
		b.CompleteAge = status.Figure((d.ledger.Now() - at).Seconds())
	}
	return b
}

func (d *Daemon) memory() status.Memory {
	s := d.cache.Stats()
	return status.Memory{Bytes: s.Bytes, Budget: s.Budget, Entries: s.Entries}
}

// backends are all servers that may be asked, the source first: what weir.backends has.
func (d *Daemon) backends() []status.Backend {
	all := []status.Backend{}
	for _, b := range d.proxy.Backends() {
		one := status.Backend{
			Addr: b.Addr, Role: roleOf(b), Up: b.Up, Sentence: d.backendState(b), Lag: status.Unknown(),
			Outstanding: int(b.Outstanding), Connections: status.Figure(b.Connections),
		}
		if b.LagKnown {
			one.Lag = status.Figure(b.Lag.Seconds())
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b status.Backend) int {
		return cmp.Or(-cmp.Compare(a.Role, b.Role), cmp.Compare(a.Addr, b.Addr))
	})
	return all
}
