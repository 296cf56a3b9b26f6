package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

// Routing says which backend a read that is not answered from the cache goes to.
type Routing string

// The settings of routing.
const (
	// Balanced is the one with the least to do, of those that are up and within max_lag.
	Balanced Routing = "balanced"
	// Fresh is one that is known to have every change to the statement's tables that is recorded, or else the source.
	Fresh Routing = "fresh"
)

// route is what a statement wants of the connection that it runs on. Its zero value wants any backend.
type route struct {
	source bool          // nothing but the source will do
	has    cache.Mark    // what the server must be known to contain, unless it is the source
	wait   time.Duration // how long to wait for a server that does
	why    string        // it has to: a label of weir_reads_to_source_total
	orNone bool          // rather no connection at all than one to the source in its place
	back   bool          // it asks what the statement before it has left
	avoid  *backend      // it failed a moment ago: only if there is nobody else
}

// askTimeout bounds how long a read waits to hear what a backend has applied, before it looks elsewhere.
const askTimeout = 250 * time.Millisecond

// pollPause is how long a read that waits for a backend leaves them alone.
const pollPause = 2 * time.Millisecond

// borrow takes a connection for the session from the source, or from the backend with the least to do.
func (s *Server) borrow(ctx context.Context, sess *session, toSource bool) (*conn, error) {
	return s.borrowFor(ctx, sess, route{source: toSource})
}

// borrowFor takes a connection for the session that fits the route. If another server has become the source meanwhile, it
// looks once more: the one before may have been the only one to ask.
func (s *Server) borrowFor(ctx context.Context, sess *session, r route) (*conn, error) {
	source := s.source()
	c, err := s.borrowNow(ctx, sess, r)
	if err != nil && isBackendsFault(err) && s.source() != source && ctx.Err() == nil {
		return s.borrowNow(ctx, sess, r)
	}
	return c, err
}

func (s *Server) borrowNow(ctx context.Context, sess *session, r route) (*conn, error) {
	switch {
	case r.source:
		return s.first(ctx, sess, []*backend{s.source()})
	case r.has.Seq == 0:
		return s.first(ctx, sess, s.order(r.avoid))
	}
	c, err := s.covering(ctx, sess, r)
	if c != nil || err != nil {
		return c, err
	}
	if r.orNone {
		return nil, ErrBehind
	}
	s.metrics.toSource.WithLabelValues(r.why).Inc()
	return s.first(ctx, sess, []*backend{s.source()})
}

// first takes a connection from the first of the backends that gives one.
func (s *Server) first(ctx context.Context, sess *session, from []*backend) (*conn, error) {
	var last error
	for _, b := range from {
		c, err := s.from(ctx, sess, b)
		if err == nil {
			if b.lagging.Load() {
				s.metrics.atLagging.Inc()
			}
			return c, nil
		}
		if ctx.Err() != nil { // a statement that was ended says nothing about the backends
			return nil, context.Cause(ctx)
		}
		if !isBackendsFault(err) {
			return nil, err
		}
		last = err
	}
	return nil, fmt.Errorf("no backend can be reached: %w", last)
}

// covering takes a connection from a backend that contains what the route says. It returns none, and no error, if there
// is no such backend.
func (s *Server) covering(ctx context.Context, sess *session, r route) (*conn, error) {
	for deadline := time.Now().Add(r.wait); ; {
		for _, b := range s.order(r.avoid) {
			c, err := s.coveringFrom(ctx, sess, b, r)
			if c != nil || err != nil && !isBackendsFault(err) {
				return c, err
			}
		}
		if !time.Now().Before(deadline) {
			return nil, nil
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// coveringFrom asks before it connects, and then once more if the connection is younger than the answer: the server may
// have come back with less in between, see [replicator.Sampler.Sample]. The source contains whatever a route can ask
// for.
func (s *Server) coveringFrom(ctx context.Context, sess *session, b *backend, r route) (*conn, error) {
	switch {
	case b == r.avoid || !b.up() || s.class(b, nil) == theSource:
		return nil, nil
	case b == s.source():
		return s.from(ctx, sess, b)
	case !b.hasSoon(ctx, r.has):
		return nil, nil
	}
	c, err := s.from(ctx, sess, b)
	if err != nil {
		return nil, err
	}
	if !c.covers(ctx, r.has) {
		c.pool.put(c)
		return nil, nil
	}
	return c, nil
}

func (s *Server) from(ctx context.Context, sess *session, b *backend) (*conn, error) {
	p, change := b.pool(sess.poolKey, s.cfg.Writes == Reject), s.accounts()
	c, err := p.get(ctx, sess.state, change)
	return c, s.judged(ctx, sess, p, change, c, err)
}

// hasSoon is has, for a client that waits.
func (b *backend) hasSoon(ctx context.Context, need cache.Mark) bool {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return b.has(ctx, need)
}

// covers reports whether the very server at the other end is known to contain every change up to the mark.
func (c *conn) covers(ctx context.Context, need cache.Mark) bool {
	if c.backend.sampler == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	at, server, err := c.backend.sampler.Sample(ctx, need, c.since)
	return err == nil && server == c.server && at.Epoch == need.Epoch && at.Seq >= need.Seq
}

// How good a choice a backend is for a read; the less the better.
const (
	fit       = iota // up, and within max_lag
	theSource        // which answers reads if no other can, under writes: source
	lags             // beyond max_lag: rather an old answer than none
	isDown           // it may have come back since
	failedUs         // a moment ago
)

// order returns the backends in the order in which a read tries them: those that are fit, least busy first, where equals
// take turns; then, under writes: source, the source; then those that lag, by how much; and then those that are down,
// since what is known of them may be wrong and there is nobody else.
func (s *Server) order(avoid *backend) []*backend {
	all := s.inTurn()
	if len(all) == 1 {
		return all
	}
	slices.SortStableFunc(all, func(a, b *backend) int {
		ca, cb := s.class(a, avoid), s.class(b, avoid)
		if ca == cb && ca == lags {
			return cmp.Compare(a.lag.Load(), b.lag.Load())
		}
		return cmp.Or(cmp.Compare(ca, cb), cmp.Compare(a.outstanding.Load(), b.outstanding.Load()))
	})
	return all
}

// inTurn returns the backends that may answer a read, beginning with another one each time. If none of them may, the
// source may.
func (s *Server) inTurn() []*backend {
	readers, source := s.readers(), s.source()
	n := int(s.turn.Add(1) % uint64(len(readers)))
	all := append(slices.Clone(readers[n:]), readers[:n]...)
	all = slices.DeleteFunc(all, func(b *backend) bool { return !b.mayRead(source) })
	if (s.cfg.Writes == ToSource || len(all) == 0) && !slices.Contains(all, source) {
		all = append(all, source)
	}
	return all
}

func (s *Server) class(b, avoid *backend) int {
	switch {
	case b == avoid:
		return failedUs
	case !b.up():
		return isDown
	case b.lagging.Load():
		return lags
	case b == s.source() && !slices.Contains(s.readers(), b):
		return theSource
	}
	return fit
}

// isBackendsFault reports whether the reason for which there is no connection is one that another backend may not have:
// that it cannot be reached, is full, or takes nobody at the moment. That an account, a password or a database is wrong
// is the client's to hear.
func isBackendsFault(err error) bool {
	var said *wire.Error
	var behind behindError
	return errors.As(err, &behind) || !errors.As(err, &said) || said.Code == wire.CodeTooManyConnections || said.Code == wire.CodeTooManyUserSessions ||
		said.Code == wire.CodeUserLimitReached || said.Code == wire.CodeHostBlocked || goesAway(said.Code)
}

// goesAway reports whether a server says with the code that it stops serving. MySQL gives 1053 to a connection that
// somebody has killed, too, which cannot be told apart.
func goesAway(code wire.Code) bool {
	return code == wire.CodeServerShutdown || code == wire.CodeOfflineMode
}
