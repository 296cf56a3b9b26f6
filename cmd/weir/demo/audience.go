package demo

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// audience are those who watch the load through Weir: they measure, compare, and report each second.
type audience struct {
	demo     *demo
	load     *load
	prober   prober
	auditor  auditor
	findings findings
	lag      histogram
	asked    atomic.Int64 // through Weir, by others than the readers
	pools    []*sql.DB
	hits0    int64 // the cache's, before the load
}

func (d *demo) newAudience(l *load) (a *audience, err error) {
	a = &audience{demo: d, load: l}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	source, replica, through := d.servers.source.Addr(), d.servers.replica.Addr(), d.weir.Addr()
	a.auditor = auditor{maxStaleness: d.weir.maxStaleness, findings: &a.findings}
	a.prober = prober{maxStaleness: d.weir.maxStaleness, findings: &a.findings, lag: &a.lag}
	for _, who := range []struct {
		addr        string
		connections int
		asker       *asker
	}{
		{source, auditorConnections, &a.auditor.source},
		{replica, auditorConnections, &a.auditor.replica},
		{through, auditorConnections, &a.auditor.weir},
		{through, 1, &a.prober.weir},
	} {
		if *who.asker, err = a.asker(who.addr, who.connections); err != nil {
			return a, err
		}
	}
	a.auditor.weir, a.prober.weir = counted(a.auditor.weir, &a.asked), counted(a.prober.weir, &a.asked)
	a.prober.replica = a.auditor.replica
	if a.prober.change, err = a.changer(source); err != nil {
		return a, err
	}
	a.hits0, err = d.weir.hits()
	return a, err
}

// auditorConnections to each server are shared by all samples, which wait most of the time.
const auditorConnections = 4

func (a *audience) asker(addr string, connections int) (asker, error) {
	db, err := a.pool(addr, connections)
	return func(ctx context.Context, text string) (answer, error) { return ask(ctx, db, text) }, err
}

func (a *audience) changer(addr string) (func(context.Context, string) error, error) {
	db, err := a.pool(addr, 1)
	return func(ctx context.Context, statement string) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	}, err
}

// pool is closed with the audience.
func (a *audience) pool(addr string, connections int) (*sql.DB, error) {
	db, err := open(addr, connections)
	if err == nil {
		a.pools = append(a.pools, db)
	}
	return db, err
}

func counted(ask asker, n *atomic.Int64) asker {
	return func(ctx context.Context, text string) (answer, error) {
		n.Add(1)
		return ask(ctx, text)
	}
}

func (a *audience) close() {
	for _, db := range a.pools {
		db.Close()
	}
}

// run runs the load and watches it, until it is told that it is enough, or the first error.
func (a *audience) run(ctx context.Context, enough <-chan struct{}) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.load.run(ctx, enough) })
	g.Go(func() error { return a.prober.run(ctx, enough) })
	g.Go(func() error { return a.auditor.run(ctx, enough, a.load.samples, a.demo.Samples) })
	g.Go(func() error { return a.report(ctx, enough) })
	return g.Wait()
}

// state is what has been counted up to a moment.
type state struct {
	at            time.Time
	queries, hits int64
	lag           counts
}

// hits of the readers since the load began: all but as many as others have asked.
func (a *audience) hits() (int64, error) {
	all, err := a.demo.weir.hits()
	return max(0, all-a.hits0-a.asked.Load()), err
}

// state of now. To read Weir's metrics takes a while when the machine is busy, so the queries are those of its middle.
func (a *audience) state() (s state, err error) {
	before := a.load.queries()
	s.hits, err = a.hits()
	s.queries = (before + a.load.queries()) / 2
	s.at, s.lag = time.Now(), a.lag.counts()
	return s, err
}

// report writes a line each second, and one for what is left in the end.
func (a *audience) report(ctx context.Context, enough <-chan struct{}) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	start := time.Now()
	before := state{at: start}
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-enough:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		now, err := a.state()
		if err != nil {
			return err
		}
		if now.at.Sub(before.at) >= leastSecond {
			a.print(n, a.second(start, before, now))
		}
		if over(enough) {
			return nil
		}
		before = now
	}
}

// leastSecond is the shortest time that gets a line: rates over less say little.
const leastSecond = time.Second / 2

func (a *audience) print(n int, s second) {
	if n%headerEvery == 0 {
		fmt.Fprintln(a.demo.Out, header(a.demo.paint))
	}
	fmt.Fprintln(a.demo.Out, s.line(a.demo.paint))
}

func (a *audience) second(start time.Time, before, now state) second {
	lag := now.lag.minus(before.lag)
	part := now.at.Sub(before.at).Seconds()
	each := func(n int64) int64 { return int64(float64(n)/part + .5) }
	queries := now.queries - before.queries
	return second{
		at: now.at.Sub(start), queries: each(queries), hits: each(min(now.hits-before.hits, queries)),
		lagP50: lag.quantile(.5), lagP99: lag.quantile(.99),
		compared: a.findings.compared.Load(), stale: a.findings.stale.n.Load() + a.load.wrong.n.Load(),
	}
}

// tell puts into the summary what was found.
func (a *audience) tell(s *Summary) {
	lag := a.lag.counts()
	s.Probes, s.LagP50, s.LagP99 = int64(lag.total()), lag.quantile(.5), lag.quantile(.99)
	s.Compared, s.Undecided = a.findings.compared.Load(), a.findings.undecided.Load()
	s.Stale, s.Behind, s.Wrong = a.findings.stale.n.Load(), a.findings.behind.Load(), a.load.wrong.n.Load()
	if s.Example = a.findings.stale.example(); s.Example == "" {
		s.Example = a.load.wrong.example()
	}
}
