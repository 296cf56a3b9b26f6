package proxy

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache"
	"weir/proxy/login"
	"weir/replicator/identity"
)

// Sampler tells what a backend has applied; see [cache.Mark]. The result is visible to statements that start after
// the call. An answer from before the moment since is not used: it may be of a server process that has died since.
// An error means that nothing can be proved.
type Sampler interface {
	Sample(ctx context.Context, need cache.Mark, since time.Time) (at cache.Mark, server identity.Identity, err error)
}

// backend is a server that answers statements.
type backend struct {
	addr    string
	sampler Sampler
	tls     login.ServerTLS

	outstanding atomic.Int64 // statements under way
	latency     latency
	unproved    atomic.Bool // the sampler failed the last time
	health
	conns connections

	globals globals

	mu    sync.Mutex
	pools map[poolKey]*pool
}

func newBackend(addr string, s Sampler) *backend {
	b := &backend{addr: addr, sampler: s, pools: map[poolKey]*pool{}}
	b.look, b.born = make(chan struct{}, 1), time.Now()
	b.lag.Store(noLag)
	return b
}

func (b *backend) pool(key poolKey, readOnly bool) *pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pools[key]
	if p == nil {
		p = &pool{backend: b, key: key, readOnly: readOnly}
		b.pools[key] = p
	}
	return p
}

// has reports whether the backend is known to have every change up to the mark.
func (b *backend) has(ctx context.Context, m cache.Mark) bool {
	if m.Seq == 0 || b.sampler == nil {
		return m.Seq == 0
	}
	at, _, err := b.sampler.Sample(ctx, m, time.Time{})
	return err == nil && at.Epoch == m.Epoch && at.Seq >= m.Seq
}

func (b *backend) each(f func(*pool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pools {
		f(p)
	}
}

// sampled notes whether the sampler could tell what the backend has applied, and logs when that changes: without it
// nothing that the backend answers is cached.
func (b *backend) sampled(err error, log *slog.Logger) {
	if b.unproved.Swap(err != nil) == (err != nil) {
		return
	}
	if err != nil {
		log.Warn("cannot tell what a backend has applied; its answers are passed on but not cached", "backend", b.addr, "error", err)
	} else {
		log.Info("answers of a backend are cached again", "backend", b.addr)
	}
}

// idleConnections counts those in pools.
func (s *Server) idleConnections() (n int64) {
	s.eachPool(func(p *pool) {
		p.mu.Lock()
		n += int64(len(p.idle))
		p.mu.Unlock()
	})
	return n
}

// usedConnections counts the others.
func (s *Server) usedConnections() int64 {
	var open int64
	for _, b := range s.everyBackend() {
		open += b.conns.count()
	}
	return max(open-s.idleConnections(), 0)
}
