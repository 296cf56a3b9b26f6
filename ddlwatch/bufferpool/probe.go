package bufferpool

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/ddlwatch/target"
)

// Probe asks the servers. Its methods are safe for concurrent use.
type Probe struct {
	// OnReading, if set before Run, is called with each reading, from one goroutine for each server. It must not block.
	OnReading func(Reading)

	cfg     Config
	log     *slog.Logger
	metrics *metrics
	servers []*server
	busy    atomic.Int64
}

// server is one server, and what is known of it.
type server struct {
	target *target.Server
	wake   chan struct{} // has room for one

	mu    sync.Mutex
	judge *judge
	now   Reading
	due   time.Time // by when there must be another reading
	small bool      // it has been said that its pool is small
}

// New returns a probe of servers, whose addresses must differ. A nil log is silent, a nil reg counts for nobody.
func New(servers []*target.Server, cfg Config, log *slog.Logger, reg prometheus.Registerer) *Probe {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p := &Probe{cfg: cfg.withDefaults(), log: log}
	for _, t := range servers {
		p.servers = append(p.servers, &server{
			target: t, wake: make(chan struct{}, 1), judge: newJudge(t.Addr, p.cfg), now: nothing(t.Addr, time.Time{}),
		})
	}
	p.metrics = newMetrics(reg, servers)
	return p
}

// Run asks until ctx ends. A server that is slow to answer does not keep the others waiting.
func (p *Probe) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range p.servers {
		all.Go(func() { p.watch(ctx, s) })
	}
	all.Wait()
}

func (p *Probe) watch(ctx context.Context, s *server) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		interval := p.interval()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.wake:
		}
		p.ask(ctx, s, interval)
		timer.Reset(p.interval())
	}
}

func (p *Probe) interval() time.Duration {
	if p.busy.Load() > 0 {
		return p.cfg.Busy
	}
	return p.cfg.Idle
}

// Busy asks all servers at once, and more often until release is called: a schema change or a refill runs. The baseline
// stays what it was before. Calls add up; calling release again does nothing.
func (p *Probe) Busy() (release func()) {
	if p.busy.Add(1) == 1 {
		for _, s := range p.servers {
			select {
			case s.wake <- struct{}{}:
			default:
			}
		}
	}
	return sync.OnceFunc(func() { p.busy.Add(-1) })
}

// ask asks s once. The interval is the one that it waited for.
func (p *Probe) ask(ctx context.Context, s *server, interval time.Duration) {
	at := time.Now()
	s.expect(at.Add(gapAfter(p.interval())))
	answer, err := ask(ctx, s.target)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.silent(s, at, err)
	default:
		p.answered(s, answer, gapAfter(interval))
	}
}

func (s *server) expect(by time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = by
}

// silent: the server has not answered. That is one reading and one gap, however long it lasts.
func (p *Probe) silent(s *server, at time.Time, err error) {
	s.mu.Lock()
	again := s.judge.missed
	s.now = s.judge.silent(at)
	r := s.now
	s.mu.Unlock()
	if again {
		return
	}
	p.log.Warn("a server does not say how its buffer pool is", "server", r.Server, "error", err)
	p.metrics.gaps.WithLabelValues(r.Server).Inc()
	p.tell(r)
}

func (p *Probe) answered(s *server, answer sample, due time.Duration) {
	s.mu.Lock()
	again := s.judge.missed
	s.now = s.judge.next(answer, due, p.busy.Load() > 0)
	r := s.now
	s.mu.Unlock()
	switch {
	case again:
		p.log.Info("a server says again how its buffer pool is", "server", r.Server, "state", r.State)
	case r.Gap:
		p.metrics.gaps.WithLabelValues(r.Server).Inc()
	}
	p.tell(r)
	p.advise(s)
}

func (p *Probe) tell(r Reading) {
	p.metrics.show(r)
	if p.OnReading != nil {
		p.OnReading(r)
	}
}

// gapAfter is how long after a sample the next one must come.
func gapAfter(interval time.Duration) time.Duration { return max(3*interval, time.Second) }
