package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// loginOptions says whom to let in, and how.
func (s *Server) loginOptions(id uint32) login.ServerOptions {
	o := login.ServerOptions{
		Version: s.facts.Version, Collation: s.facts.Collation, ConnectionID: id, Plugin: s.plugin(), Timeout: s.cfg.LoginTimeout,
		TLS: s.tls.Load(), RequireTLS: s.cfg.RequireTLS, Key: s.key, Password: s.users.password,
	}
	if s.users.listed == nil {
		o.Remembered = s.users.passwords
	}
	return o
}

// makeKey makes what clients need to reveal their passwords, if they are to: a key pair, and a certificate if there is
// none. The certificate is for clients that use TLS where they can: MariaDB's, told so but not offered TLS, sends the
// password in clear where everybody can listen, when it is asked for it.
func (s *Server) makeKey() error {
	if s.users.listed != nil {
		return nil
	}
	var err error
	if s.key, err = login.NewKeyPair(); err != nil || s.tls.Load() != nil {
		return err
	}
	certificate, err := s.key.Certificate()
	if err != nil {
		return err
	}
	s.SetTLS(&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	return nil
}

// admit returns a connection for a session that has just logged in. What an error means for the login, refusal says.
func (s *Server) admit(ctx context.Context, sess *session) (*conn, error) {
	if sess.account.listed || s.current(sess.account) {
		return s.borrow(ctx, sess, false)
	}
	return s.prove(ctx, sess)
}

// current reports whether it is known that the account's password is right.
func (s *Server) current(a *account) bool {
	return a.provedSince(s.accounts()) && s.upToDate()
}

// prove logs in on a backend with the session's account, and remembers the account if that succeeds. It makes a new
// connection for that, and no pool before: whoever tries passwords must not fill memory.
func (s *Server) prove(ctx context.Context, sess *session) (*conn, error) {
	change := s.accounts()
	var last error
	for _, b := range s.order(nil) {
		p := b.outside(sess.poolKey, s.cfg.Writes == Reject)
		c, err := p.connect(ctx, sess.state, change)
		if err = s.judged(ctx, sess, p, change, c, err); err == nil {
			c.pool = b.pool(sess.poolKey, s.cfg.Writes == Reject)
			s.users.remember(sess.account)
			return c, nil
		}
		if ctx.Err() != nil || !isBackendsFault(err) {
			return nil, err
		}
		last = err
	}
	return nil, fmt.Errorf("no backend can be reached: %w", last)
}

// behindError is the refusal of an account by a backend that may not have the account's last change: another backend may
// know better.
type behindError struct{ error }

// Unwrap returns what the backend said.
func (e behindError) Unwrap() error { return e.error }

// judged notes what it says about account and backend that a session got a connection, or none. It returns the error to
// pass on.
func (s *Server) judged(ctx context.Context, sess *session, p *pool, change cache.Mark, c *conn, err error) error {
	var said *wire.Error
	switch {
	case err == nil:
		s.proved(sess, c)
	case ctx.Err() != nil:
	case errors.As(err, &said) && said.Code == wire.CodeAccessDenied:
		if !p.backend.hasSoon(ctx, change) {
			return behindError{err}
		}
		s.denied(sess)
	case isBackendsFault(err):
		s.metrics.backendErrors.WithLabelValues(p.backend.addr).Inc()
		p.backend.failed(p, err, s.log)
	}
	return err
}

// proved notes what a connection says about the session's account: the server that let it in had these changes.
func (s *Server) proved(sess *session, c *conn) {
	if !c.doubtful {
		sess.account.prove(c.accounts)
	}
}

// denied makes Weir forget an account that a backend has refused, and closes its connections.
func (s *Server) denied(sess *session) {
	if sess.account.listed {
		return
	}
	s.users.forget(sess.account)
	for _, b := range s.everyBackend() {
		b.retire(sess.account)
	}
}

// refusal is what a client is told that cannot be let in; nil if it can. A backend that cannot be reached keeps nobody
// out whose account is known: the next statement will tell.
func (s *Server) refusal(sess *session, err error) *wire.Error {
	var said *wire.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Code == wire.CodeAccessDenied:
		return sess.client.Denied() // the server names Weir's host
	case said != nil:
		return said
	case sess.account.listed || s.current(sess.account):
		return nil
	}
	return wire.Errorf(wire.CodeUnknown, "Weir cannot ask a server about account '%.48s': %v", sess.account.user, err)
}

// cached returns what the cache has under the key, if the session may have it; nil otherwise. Every lookup for a client
// goes through it. Under OBSERVE there is nothing for anybody.
func (s *session) cached(key []byte) *cache.Entry {
	if s.server.observing() {
		return nil
	}
	if e := s.server.cache.Get(key, s.bound()); e != nil && s.entitled() {
		return e
	}
	return nil
}

// hit counts an answer from the cache with its statement, and tells the cache, which wants to know what is asked for most. A
// session without a client counts nothing.
func (s *session) hit(e *cache.Entry) {
	if s.absence == nil {
		s.tally.hits++
		s.server.cache.Served(e, s.server.digests.Hit(digest.Label(e.Label), s.id))
	}
}

// cachedAt is cached, as of a snapshot.
func (s *session) cachedAt(key []byte, at cache.Snapshot) *cache.Entry {
	if s.server.observing() {
		return nil
	}
	if e := s.server.cache.GetAt(key, at); e != nil && s.entitled() {
		return e
	}
	return nil
}

// entitled reports whether the session may have what the cache has for its user: nothing about accounts has changed
// since a backend let its account in. It is asked after the lookup, see [account].
func (s *session) entitled() bool {
	return s.account.listed || s.account.provedSince(s.server.accounts())
}

// howProved names the way in which the client has proved its password, for the counter.
func (s *session) howProved() string {
	switch {
	case s.account.listed:
		return "listed"
	case s.client.Revealed:
		return "revealed"
	}
	return "remembered"
}

// loginLevel: people who run Weir have to hear of clients that cannot log in as Weir is configured.
func loginLevel(err error) slog.Level {
	if errors.Is(err, login.ErrCannotReveal) {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}
