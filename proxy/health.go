package proxy

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

// ErrAnswered wraps a sampler's error if the server did answer, but proved nothing: it refuses Weir's own account, for
// example. Any other error means that the server could not be reached.
var ErrAnswered = errors.New("the server answers")

// ErrLacksBase wraps a sampler's error if the server answered that it lacks what the source had when the epoch began.
var ErrLacksBase = errors.New("the server lacks what the source had when Weir began to follow it")

// health is what is known of a backend. Its checks are its watch's; all others read it, and report what goes wrong.
//
// A backend is down once it has left two checks in a row without an answer, or a connection to it could not be made, and
// up again after a check: clients' statements are never the ones to find out. It lags while it has lacked a change for
// longer than max_lag, and is within it again as soon as a check shows it.
type health struct {
	down     atomic.Bool
	lagging  atomic.Bool
	lag      atomic.Int64         // nanoseconds, at least; noLag if it cannot be told
	errant   atomic.Bool          // it has what the source has not
	leftAt   atomic.Uint64        // it was the source until before this epoch, and was not vetted since; 0 if not
	born     time.Time            // of the clock for answered
	answered atomic.Int64         // when the server last answered anything: nanoseconds since born
	refused  atomic.Pointer[pool] // whose connection could not be made: it has to be made before the backend is up
	look     chan struct{}        // asks for a check at once
}

const noLag = math.MinInt64

func (b *backend) up() bool { return !b.down.Load() }

// heard notes that the server has answered.
func (b *backend) heard() { b.answered.Store(int64(time.Since(b.born))) }

// silent is for how long the server has answered nothing.
func (b *backend) silent() time.Duration {
	return time.Since(b.born) - time.Duration(b.answered.Load())
}

// failed notes that a connection of a pool could not be made. What the server itself says, such as a wrong password, is
// no such failure, unless it says that it stops.
func (b *backend) failed(p *pool, err error, log *slog.Logger) {
	var said *wire.Error
	if errors.As(err, &said) && !goesAway(said.Code) && said.Code != wire.CodeHostBlocked {
		return
	}
	b.refused.Store(p)
	b.goDown(err, log)
	b.suspect()
}

// suspect asks for a check at once: a connection broke.
func (b *backend) suspect() {
	select {
	case b.look <- struct{}{}:
	default:
	}
}

func (b *backend) goDown(err error, log *slog.Logger) {
	if !b.down.Swap(true) {
		log.Warn("a backend is down; reads go elsewhere until it answers again", "backend", b.addr, "error", err)
	}
}

func (b *backend) comeUp(log *slog.Logger) {
	if b.down.Swap(false) {
		log.Info("a backend is up again", "backend", b.addr)
	}
}

// watch checks one backend until its context ends.
type watch struct {
	server  *Server
	backend *backend
	heads   heads
	misses  int // checks without an answer, in a row
}

const (
	// checkTimeout bounds one question to a backend, beside the sampler's own bound.
	checkTimeout = 2 * time.Second
	// missesDown is how many unanswered checks in a row make a backend down.
	missesDown = 2
	// recheckPause is the least time between two checks: a backend that refuses connections is asked for so often.
	recheckPause = 100 * time.Millisecond
)

// checkEvery is how often backends are checked: often enough to see in time that max_lag is exceeded.
func (c Config) checkEvery() time.Duration {
	if c.MaxLag == 0 {
		return time.Second
	}
	return min(max(c.MaxLag/4, 50*time.Millisecond), time.Second)
}

func (w *watch) run(ctx context.Context) {
	every := time.NewTicker(w.server.cfg.checkEvery())
	defer every.Stop()
	w.backend.heard() // the time without an answer counts from here
	for {
		w.check(ctx)
		select {
		case <-every.C:
		case <-w.backend.look:
			select {
			case <-time.After(recheckPause):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// check asks the backend once. The question is for all that is recorded, and the answer from after the call, so that it
// is put to the server in any case.
func (w *watch) check(ctx context.Context) {
	b := w.backend
	ledger := w.server.cache.Ledger()
	head, asked := ledger.Mark(), time.Now()
	w.heads.note(head, ledger.Now())
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	at, err := b.ask(bounded, head, asked)
	if ctx.Err() != nil {
		return
	}
	w.measure(at, err)
	w.vet(at.Epoch, err)
	if err != nil && !errors.Is(err, ErrAnswered) && !errors.Is(err, ErrLacksBase) && !errors.Is(err, ErrErrant) && b.silent() > time.Since(asked) {
		w.unanswered(err)
		return
	}
	b.heard()
	w.misses = 0
	if w.connects(bounded) {
		b.comeUp(w.server.log)
	}
}

// ask asks the server what it has applied. Without a sampler nothing is known to be wrong with it.
func (b *backend) ask(ctx context.Context, need cache.Mark, since time.Time) (cache.Mark, error) {
	if b.sampler == nil {
		return cache.Mark{}, ErrAnswered
	}
	at, _, err := b.sampler.Sample(ctx, need, since)
	return at, err
}

// unanswered counts a check without an answer. A server that has been silent for too long, to everybody, is taken for
// dead, and its connections for broken: what can be asked elsewhere then is, and the rest fails, as it would if the
// server had crashed. Without that a client would wait for as long as the server, or the network, is frozen.
func (w *watch) unanswered(err error) {
	b := w.backend
	if w.misses++; w.misses >= missesDown {
		b.goDown(err, w.server.log)
	}
	if silent := b.silent(); w.misses >= missesDown && silent > w.server.cfg.SilenceTimeout {
		if n := b.conns.cut(); n > 0 {
			w.server.log.Warn("a backend has not answered anything for long; its connections are given up", "backend", b.addr, "silent", silent, "connections", n)
		}
	}
}

// connects reports whether the connection that could not be made can be made now. If it can, it is kept for whoever
// comes next.
func (w *watch) connects(ctx context.Context) bool {
	p := w.backend.refused.Load()
	if p == nil {
		return true
	}
	c, err := p.connect(ctx, state{}, w.server.accounts())
	if err != nil && isBackendsFault(err) {
		return false
	}
	if err == nil {
		p.put(c)
	}
	w.backend.refused.CompareAndSwap(p, nil)
	return w.backend.refused.Load() == nil
}

// measure decides whether the backend lags. The source never does, whatever it has not made visible yet. A backend whose
// position cannot be told stays where it is, but one that has never had what the source had when the epoch began has
// lacked it since then at least.
func (w *watch) measure(at cache.Mark, err error) {
	b, cfg := w.backend, w.server.cfg
	if errors.Is(err, ErrLacksBase) {
		at, err = cache.Mark{Epoch: w.heads.epoch}, nil
	}
	lag, known := w.heads.lag(at, w.server.cache.Ledger().Now())
	if err != nil || !known {
		b.lag.Store(noLag)
		return
	}
	b.lag.Store(int64(lag))
	lags := cfg.MaxLag > 0 && lag > cfg.MaxLag && b != w.server.source()
	if b.lagging.Swap(lags) == lags {
		return
	}
	if lags {
		w.server.log.Warn("a backend lags beyond max_lag; reads go elsewhere until it has caught up", "backend", b.addr, "lag", lag)
	} else {
		w.server.log.Info("a backend is within max_lag again", "backend", b.addr)
	}
}

// watchBackends checks all backends, and the source, until ctx ends.
func (s *Server) watchBackends(ctx context.Context) {
	var all sync.WaitGroup
	for _, b := range s.everyBackend() {
		all.Go(func() { (&watch{server: s, backend: b}).run(ctx) })
	}
	all.Wait()
}
