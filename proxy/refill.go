package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/login"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

var (
	// ErrNotRefillable says that a result will not be read in advance: nobody who could ask for it is known, the account's
	// rights may have changed since it was asked for, or the answer is not to be stored any more.
	ErrNotRefillable = errors.New("the result is not read again in advance")
	// ErrBehind says that no server is known to have applied what is recorded for the tables, or that the ledger is not
	// current; later there may be one.
	ErrBehind = errors.New("no backend is known to have applied what is recorded for the tables")
)

// Refill reads the result of a key again and stores it, as if a client had asked that has this key, and nobody waits for
// it: the same analysis, gate, flight and sample, and the rights of the account, at the server, as they are now. It does
// nothing if the result is servable, and waits for a client that is just reading the same. It reads only from a backend
// that is known to have applied what is recorded for the statement's tables, since nothing else could be stored; it does
// not turn to the source unless that is one of the backends. Results of texts and of executions can be read, and
// descriptions of prepared statements, for the sessions that have stored something lately.
//
// The error is nil if the result is servable now. It wraps ErrBehind if it makes sense to try again a little later, and
// ErrNotRefillable if it does not; any other is of a backend that could not be asked, or of ctx. It may be called from any goroutine, many times at once, while Serve runs.
func (s *Server) Refill(ctx context.Context, key []byte) error {
	err := s.refill(ctx, key)
	s.metrics.refills.WithLabelValues(refillOutcome(err)).Inc()
	return err
}

func refillOutcome(err error) string {
	switch {
	case err == nil:
		return "servable"
	case errors.Is(err, ErrBehind):
		return "behind"
	case errors.Is(err, ErrNotRefillable):
		return "refused"
	}
	return "failed"
}

func (s *Server) refill(ctx context.Context, key []byte) error {
	if s.cache.Servable(key, s.cfg.MaxStaleness) {
		return nil
	}
	return s.inAbsence(ctx, key, func(ctx context.Context, sess *session, q question) error { return sess.repeat(ctx, q, key) })
}

// inAbsence has a session without a client ask the question of a key.
func (s *Server) inAbsence(ctx context.Context, key []byte, ask func(context.Context, *session, question) error) (err error) {
	prefix, q, ok := splitKey(key)
	if !ok {
		return fmt.Errorf("%w: it is not the key of a result", ErrNotRefillable)
	}
	r, ok := s.recipes.get(prefix)
	if !ok {
		return fmt.Errorf("%w: no session is known that has such keys", ErrNotRefillable)
	}
	sess := s.absent(r)
	defer sess.leave()
	defer func() { // as for a client's session: one fault must not end the others
		if r := recover(); r != nil {
			s.log.Error("reading a result in advance panicked", "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", ErrNotRefillable, r)
		}
	}()
	if !sess.entitled() {
		return fmt.Errorf("%w: accounts have changed since it was asked for", ErrNotRefillable)
	}
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	sess.cancel = cancel
	stop := context.AfterFunc(ctx, func() { // as for a client that has hung up: its statement must not run on at the server
		err := sess.interrupt(hard, false)
		sess.cut(context.Cause(ctx), err != nil)
	})
	defer stop()
	err = ask(hard, sess, q)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// absence is of a session that has no client.
type absence struct {
	err error         // what a client would have been told
	why cache.Refusal // why nothing was stored
	// audits says that what is read is not stored, but put into read, for the auditor.
	audits bool
	read   *cache.Entry
}

// nowhere is where it writes.
type nowhere struct{ net.Conn }

func (nowhere) Write(b []byte) (int, error)      { return len(b), nil }
func (nowhere) SetWriteDeadline(time.Time) error { return nil }
func (nowhere) Close() error                     { return nil }

// absent makes a session without a client. It counts for itself: what it does is neither a hit nor a miss of a client's.
func (s *Server) absent(r recipe) *session {
	sess := &session{
		server: s, net: nowhere{}, client: &login.Session{User: r.account.user}, reader: wire.NewReader(nil), counters: &counters{},
		account: r.account, poolKey: r.poolKey, initial: r.state, defaults: r.defaults, absence: &absence{},
		calledSince: s.accounts(),
	}
	sess.owner.Store(&r.account.user)
	sess.forget()
	return sess
}

// repeat asks the question again.
func (s *session) repeat(ctx context.Context, q question, key []byte) error {
	before := bytes.Clone(s.prefix)
	if err := s.pose(ctx, q, key); err != nil {
		return err
	}
	switch {
	case s.server.cache.Servable(key, s.server.cfg.MaxStaleness):
		return nil
	case !bytes.Equal(s.prefix, before):
		return fmt.Errorf("%w: sessions start with other settings than when it was asked for", ErrNotRefillable)
	}
	return s.absence.outcome()
}

// pose puts the question as a client would. That what is asked has just this key is looked at, and not taken for granted.
func (s *session) pose(ctx context.Context, q question, key []byte) error {
	switch q.protocol {
	case protocolDescription:
		return s.prepare(ctx, q.text)
	case protocolText:
		if !sameKey(s.makeKey(q.text), key) {
			return errOtherKey
		}
		return s.miss(ctx, q.text)
	}
	if err := s.prepare(ctx, q.text); err != nil || s.handles.last == nil {
		return err
	}
	args, ok := q.execute(s.handles.last)
	if !ok {
		return fmt.Errorf("%w: it has other parameters now, or some that were sent ahead", ErrNotRefillable)
	}
	x, refusal := s.handles.last.bind(args)
	if refusal != nil || !sameKey(s.executionKey(&x), key) {
		return errOtherKey
	}
	s.absence.why = cache.Stored // of the description
	return s.executeMiss(ctx, &x)
}

var errOtherKey = fmt.Errorf("%w: the question does not have the key that it was made of", ErrNotRefillable)

// sameKey leaves out whether the text has a directive, which shows when it is read.
func sameKey(a, b []byte) bool {
	return a[0]&^directedMark == b[0]&^directedMark && bytes.Equal(a[1:], b[1:])
}

// unstored notes why what was read is not stored, for a session without a client.
func (s *session) unstored(why cache.Refusal) {
	if s.absence != nil {
		s.absence.why = why
	}
}

// passed is in place of an answer that would not be stored.
func (a *absence) passed() error {
	if a.why == cache.Stored && a.err == nil {
		a.err = fmt.Errorf("%w: its statement is not one any more whose answers are stored", ErrNotRefillable)
	}
	return nil
}

// outcome says why nothing is servable.
func (a *absence) outcome() error {
	switch a.why {
	case cache.RefusedBehind, cache.RefusedUnproved, cache.RefusedNoStream, cache.RefusedOwnWrite:
		return fmt.Errorf("%w: %s", ErrBehind, a.why)
	case cache.Stored:
	default:
		return fmt.Errorf("%w: %s", ErrNotRefillable, a.why)
	}
	if a.err != nil {
		return a.err
	}
	return fmt.Errorf("%w: it changed at once", ErrBehind)
}

// refillRoute leads to a backend that has what is recorded for the statement's tables, or nowhere.
func (s *session) refillRoute(st statement.Statement) route {
	return route{has: s.server.cache.Ledger().Need(dep.Tags(st.Tables)), orNone: true}
}
