package proxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache"
	"weir/proxy/wire"
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

	outstanding atomic.Int64 // statements under way
	downUntil   atomic.Int64 // Unix nanoseconds; a connection failed a moment ago

	mu    sync.Mutex
	pools map[poolKey]*pool
}

// downFor is how long a backend is left alone after a connection to it failed.
const downFor = time.Second

func newBackend(addr string, s Sampler) *backend {
	return &backend{addr: addr, sampler: s, pools: map[poolKey]*pool{}}
}

func (b *backend) pool(key poolKey, password string, readOnly bool) *pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pools[key]
	if p == nil {
		p = &pool{backend: b, key: key, password: password, readOnly: readOnly}
		b.pools[key] = p
	}
	return p
}

func (b *backend) each(f func(*pool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pools {
		f(p)
	}
}

func (b *backend) up(now time.Time) bool { return now.UnixNano() >= b.downUntil.Load() }

// failed notes that a connection could not be made. What the server itself says, such as a wrong password, is not that.
func (b *backend) failed(err error) {
	var said *wire.Error
	if !errors.As(err, &said) {
		b.downUntil.Store(time.Now().Add(downFor).UnixNano())
	}
}
