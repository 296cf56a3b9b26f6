package proxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

const (
	// maxIdle is how many connections a pool keeps that nobody uses.
	maxIdle = 64
	// idleTimeout is how long it keeps them.
	idleTimeout = 10 * time.Minute
)

// poolKey is what cannot be changed on a connection, or only at the price of a new login.
type poolKey struct {
	user      string
	password  secret // see [account]
	collation uint8  // of the handshake
	flags     wire.Capability
}

// pool keeps connections of one account to one backend that no session needs at the moment.
type pool struct {
	backend  *backend
	key      poolKey
	readOnly bool

	mu     sync.Mutex
	idle   []*conn // the one that was used last is last
	closed bool
}

// get returns a connection in the wanted state: one that has the same settings, or a new one. Settings are never
// taken back on a connection, since RESET CONNECTION does that for more than was asked. One from before the last change
// of accounts is not used again.
func (p *pool) get(ctx context.Context, want state, accounts cache.Mark) (*conn, error) {
	p.drop(accounts)
	for {
		c := p.take(want)
		if c == nil {
			if c = p.refit(ctx, want); c != nil {
				return c, nil
			}
			return p.connect(ctx, want, accounts)
		}
		if !alive(c.net) { // its server has restarted, or found it idle for too long
			c.close()
			continue
		}
		if !c.current(ctx, time.Now()) {
			c.quit()
			continue
		}
		err := c.useWithin(ctx, want.schema)
		if err == nil {
			return c, nil
		}
		if !c.broken {
			p.put(c)
			return nil, err
		}
		c.close()
	}
}

// take removes from the idle ones the last that fits.
func (p *pool) take(want state) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		c := p.idle[i]
		if c.fits(want) {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return c
		}
	}
	return nil
}

// fits: a connection that has a default database cannot be made to have none.
func (c *conn) fits(want state) bool {
	return (want.schema != "" || c.state.schema == "") && slices.Equal(c.state.settings, want.settings)
}

// use changes the default database if need be.
func (c *conn) use(schema string) error {
	if c.state.schema == schema {
		return nil
	}
	return c.initDB(schema)
}

// useWithin is use, until ctx ends: a server that hangs must not keep the end of serving, or of a statement, waiting.
func (c *conn) useWithin(ctx context.Context, schema string) error {
	if c.state.schema == schema {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	err := c.use(schema)
	if !stop() {
		c.broken = true
		return context.Cause(ctx)
	}
	return err
}

// initDB makes a schema the default database, and fails if it does not exist.
func (c *conn) initDB(schema string) error {
	r := response{hold: maxOwn}
	if err := c.roundTrip(wire.ComInitDB, []byte(schema), &r); err != nil {
		return err
	}
	if err := r.err(); err != nil {
		return err
	}
	c.state.schema = schema
	return nil
}

// put takes a connection back, if it is as one that has just been set up.
func (p *pool) put(c *conn) {
	switch {
	case c.broken:
		c.close()
	case !p.keep(c):
		c.quit()
	}
}

func (p *pool) keep(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.elsewhere || time.Now().After(c.until) || c.odd || c.spent || !c.keepable() || len(p.idle) >= maxIdle {
		return false
	}
	c.idle = time.Now()
	p.idle = append(p.idle, c)
	return true
}

// drop closes the idle connections that the server may have let in for rights that the account no longer has.
func (p *pool) drop(accounts cache.Mark) {
	var old []*conn
	now := time.Now()
	p.mu.Lock()
	p.idle = slices.DeleteFunc(p.idle, func(c *conn) bool {
		if c.trusted(accounts, now) {
			return false
		}
		old = append(old, c)
		return true
	})
	p.mu.Unlock()
	closeAll(old)
}

// expire closes what has been idle for too long.
func (p *pool) expire(now time.Time) {
	var old []*conn
	p.mu.Lock()
	p.idle = slices.DeleteFunc(p.idle, func(c *conn) bool {
		if !c.expired(now) {
			return false
		}
		old = append(old, c)
		return true
	})
	p.mu.Unlock()
	closeAll(old)
}

func (p *pool) close() {
	p.mu.Lock()
	all := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	closeAll(all)
}

func closeAll(cs []*conn) {
	for _, c := range cs {
		c.quit()
	}
}

// quit takes leave, so that the server does not count an aborted client.
func (c *conn) quit() {
	_ = c.send(wire.ComQuit, nil) // it is closed either way
	c.close()
}
