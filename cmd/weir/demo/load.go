package demo

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// load is the shop's traffic.
type load struct {
	options Options
	source  string
	readAt  []string // readers take turns

	latency histogram
	commits atomic.Int64
	wrong   wrongs
	samples chan string // of what is read, for who wants to compare; nobody has to take them
}

func newLoad(o Options, source string, readAt ...string) *load {
	return &load{options: o, source: source, readAt: readAt, samples: make(chan string)}
}

// run reads and writes until it is told that it is enough, or the first error.
func (l *load) run(ctx context.Context, enough <-chan struct{}) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range l.options.Readers {
		r := reader{
			addr: l.readAt[i%len(l.readAt)], dice: newDice(l.options.Shop, i),
			latency: &l.latency, wrong: &l.wrong, samples: l.samples,
		}
		g.Go(func() error { return r.run(ctx, enough) })
	}
	every := time.Duration(float64(l.options.Writers) / l.options.Commits * float64(time.Second))
	for i := range l.options.Writers {
		w := writer{addr: l.source, dice: newDice(l.options.Shop, 1000+i), every: every, commits: &l.commits}
		g.Go(func() error { return w.run(ctx, enough) })
	}
	return g.Wait()
}

// queries is how many have been answered so far.
func (l *load) queries() int64 {
	latency := l.latency.counts()
	return int64(latency.total())
}

// phase is what readers and writers did in that time.
func (l *load) phase(took time.Duration) Phase {
	latency := l.latency.counts()
	return Phase{
		Duration: took, Queries: int64(latency.total()), Commits: l.commits.Load(),
		P50: latency.quantile(.5), P99: latency.quantile(.99),
	}
}
