package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// request is a statement, or a command about one, for a backend.
type request struct {
	st   statement.Statement
	said said
	// mark is the ledger's, from before the analysis; zero if it is not known.
	mark cache.Mark
	// execution is what run executes, if it is that.
	execution *execution
	// run sends it on a connection and reads the response. It may be called again with another connection.
	run    func(*conn, *response) error
	before func(*conn) // called with the connection before that, if not nil
	also   func()      // called when a server has done it, and before the client is told, if not nil
	clean  bool        // not on the pinned connection, see connFor
	route  route
}

// succeeded does what is to be done also, if the response is OK.
func (q *request) succeeded(r *response) {
	if q.also != nil && r.kind == wire.KindOK {
		q.also()
	}
}

// command is what runs a command as it is.
func command(com wire.Command, args []byte) func(*conn, *response) error {
	return func(c *conn, r *response) error { return c.roundTrip(com, args, r) }
}

// querying is the request for a text, of which sent is what the server is to get.
func querying(text, sent []byte, st statement.Statement) request {
	return request{st: st, said: said{text: text}, run: command(wire.ComQuery, sent)}
}

// said is a statement that a client has sent: a text, and the values of its parameters if it was prepared. The zero said
// stands for one that cannot be repeated.
type said struct {
	text      []byte
	execution execution // of no handle if the text came as it is
}

func (s said) known() bool { return s.text != nil }

// clone makes a said that stays when the next packet comes.
func (s said) clone() said {
	if s.execution.handle == nil {
		return said{text: bytes.Clone(s.text)}
	}
	return said{text: s.text, execution: s.execution.clone()}
}

// again runs the statement on a connection.
func (s said) again(c *conn, r *response) error {
	if s.execution.handle == nil {
		return c.roundTrip(wire.ComQuery, s.text, r)
	}
	return c.execute(&s.execution, wire.NoCursor, r)
}

// pass passes a request on, and the response back as it comes. Nobody is there to get it from a session without a client.
func (s *session) pass(ctx context.Context, q request) error {
	if s.absence != nil {
		return s.absence.passed()
	}
	if err := s.fixSnapshot(ctx, q.st); err != nil {
		return s.backendError(err, &response{})
	}
	p, err := s.enterGate(ctx, &q, func() { s.renew(ctx, &q) })
	if err != nil {
		return s.backendError(err, &response{})
	}
	defer p.end()
	return s.passInside(ctx, q, p)
}

// passInside passes a request on that has entered the gate.
func (s *session) passInside(ctx context.Context, q request, p *passage) error {
	buf := getBuffer()
	defer putBuffer(buf)
	r := response{hold: passHold, out: p.streaming(s.writeSlowly), buf: (*buf)[:0]}
	q.before = s.replay(q.said.text, q.st)
	c, err := s.ask(ctx, q, &r)
	p.end()
	*buf = r.buf
	if err != nil {
		return s.backendError(err, &r)
	}
	s.finished(c, q, &r)
	q.succeeded(&r)
	if err := s.writeSlowly(r.buf); err != nil {
		return err
	}
	if q.st.Transaction.Release {
		return errQuit
	}
	return nil
}

// finished is [session.done], and what an execution with a cursor leaves.
func (s *session) finished(c *conn, q request, r *response) {
	if h := q.said.execution.handle; h != nil && c.scanner.Cursor() && !c.broken {
		s.opened(c, h)
	}
	s.done(c, q.said, q.st, r)
}

// ask runs a request, and once more elsewhere if that may help: see mayAskAgain.
func (s *session) ask(ctx context.Context, q request, r *response) (*conn, error) {
	q.route = s.routeOf(q.st)
	q.route.back = s.looksBack(q)
	for {
		c, err := s.connFor(ctx, q)
		if err != nil {
			return nil, err
		}
		tied := s.tiedTo(c) || c == s.pinned && q.st.Stateful
		if q.before != nil {
			q.before(c)
		}
		err = s.run1(ctx, c, q, r)
		again := s.mayAskAgain(ctx, q, c, tied, r, err)
		if err == nil && !again {
			s.answered(q, r.took)
			return c, nil
		}
		s.drop(c)
		if again || errors.Is(err, errLost) {
			c.backend.suspect()
		}
		switch {
		case tied:
			return nil, fmt.Errorf("%w: %w", errStateLost, err)
		case !again:
			return nil, err
		}
		s.server.metrics.askedAgain.Inc()
		q.route.avoid = c.backend
		r.buf = r.buf[:0]
	}
}

// connFor returns the pinned connection, or borrows one. What is to be kept is never read on a pinned one: a stored
// function or a trigger may have set a variable there that no key tells, or made a temporary table.
func (s *session) connFor(ctx context.Context, q request) (*conn, error) {
	if q.clean && s.pinned != nil {
		return s.server.borrowFor(ctx, s, q.route)
	}
	c, err := s.acquireFor(ctx, q.route)
	if err != nil {
		return c, err
	}
	if err := s.carryInsertID(c, q.st); err != nil {
		s.drop(c)
		return nil, err
	}
	return c, nil
}

// aside ends a statement that ran beside the pinned connection. If the client asks what it has left, it is run again
// there: see replay.
func (s *session) aside(c *conn, what said, r *response) {
	s.last = what.clone()
	if r.kind == wire.KindError || r.warnings > 0 {
		c.quit()
		return
	}
	c.pool.put(c)
}

// errStateLost ends the session: with the connection went a transaction, or variables, that the client counts on.
var errStateLost = errors.New("the session's state was on that connection")

// run1 runs a request once, on this connection.
func (s *session) run1(ctx context.Context, c *conn, q request, r *response) error {
	if !s.running.enter(c) {
		if s.running.interrupted() == errShutdown {
			return errShutdown
		}
		return r.interrupted(s.reader.Sequence())
	}
	defer s.running.leave(c)
	if s.server.stopping.cut.Load() { // see D1
		return errShutdown
	}
	c.backend.outstanding.Add(1)
	defer c.backend.outstanding.Add(-1)
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	start := time.Now()
	err := q.run(c, r)
	r.took = time.Since(start)
	s.server.metrics.backendSeconds.Observe(r.took.Seconds())
	c.backend.latency.observe(r.took)
	if err == nil && s.running.interrupted() == errShutdown && r.saysInterrupted() {
		return errShutdown // and not that somebody has killed it
	}
	return err
}

// wantsSource reports whether a statement has to run on the source. Under writes: source everything that changes
// something does, everything that leaves its mark on a connection, since a later write may need it there, and the
// reads that come so soon after a write that no replica is known to have it.
func (s *session) wantsSource(st statement.Statement) bool {
	if s.server.cfg.Writes != ToSource {
		return false
	}
	return st.Kind != statement.Read || st.Stateful || s.fenced()
}

// acquire returns the pinned connection, or borrows one.
func (s *session) acquire(ctx context.Context, toSource bool) (*conn, error) {
	return s.acquireFor(ctx, route{source: toSource})
}

func (s *session) acquireFor(ctx context.Context, r route) (*conn, error) {
	if s.pinned != nil && (s.assigned != nil || s.stays(ctx, r)) {
		if err := s.promised(ctx, r); err != nil {
			return s.pinned, err
		}
		return s.pinned, s.sendBegin(ctx)
	}
	s.unpin() // at most warnings that nobody asked for; under writes: source all else is on the source already
	return s.server.borrowFor(ctx, s, r)
}

// drop closes a connection that cannot be used any more.
func (s *session) drop(c *conn) {
	c.close()
	if s.pinned == c {
		s.pinned, s.pins, s.assigned, s.tx = nil, pins{}, nil, nil
		s.handles.lose(c)
	}
}

// done decides, after a statement, whether the connection stays with the session.
func (s *session) done(c *conn, what said, st statement.Statement, r *response) {
	s.follow(c, what.text, st, r)
	s.track(c, st, r)
	if c.broken {
		s.drop(c)
		return
	}
	if s.pins != (pins{}) || s.assigned != nil || c.inTransaction() || r.kind == wire.KindError || r.warnings > 0 {
		s.pinned, s.last = c, said{}
		return
	}
	s.pinned = nil
	s.last = what.clone()
	c.pool.put(c)
}

// follow notes what a statement may have left on its connection, and what that means for caching. A statement that
// failed may have done a part of what it does.
func (s *session) follow(c *conn, text []byte, st statement.Statement, r *response) {
	s.followNamed(st, r)
	if !failedWhole(st, r) {
		s.followPins(c, text, st, r)
	}
	if why := s.bypassReason(text, st); why != "" && !failedWhole(st, r) {
		s.giveUp(why)
	} else if st.Kind == statement.Write && st.Fires != "" && !s.suspect(text, st) {
		s.giveUp("a write that may fire a trigger: " + st.Fires)
	}
	s.noteAssignments(st, r)
	if s.assigned != nil || s.bypass != "" && st.Kind != statement.Read {
		_ = c.dropRemotes(0) // they were read under other settings; it marks the connection as broken if it fails
	}
	if endsTransaction(st, r) && (s.pinned == nil || !s.pinned.inTransaction()) {
		s.pins.oneShot = false
	}
	if mayCommit(st) {
		s.wrote(c)
	}
	if st.Kind == statement.Write && r.kind == wire.KindOK {
		s.dropped(c, text)
	}
}

// mayCommit reports whether a statement may have made a change visible, this one's or an earlier one's.
func mayCommit(st statement.Statement) bool {
	switch st.Kind {
	case statement.Read:
		return st.Reason == statement.StoredFunction || st.Reason == statement.Unparsable
	case statement.Savepoint, statement.Use, statement.Prepare, statement.Deallocate:
		return false
	}
	return true
}

// leavesState: LAST_INSERT_ID() and ROW_COUNT() ask about a write, so that one counts, too.
func (s *session) leavesState(st statement.Statement) bool {
	switch st.Kind {
	case statement.Read, statement.Begin, statement.Commit, statement.Rollback, statement.Savepoint, statement.SetSession:
		return st.Stateful
	}
	return true
}

// endsTransaction reports whether what SET TRANSACTION has said is over and forgotten. Servers forget it at COMMIT and
// ROLLBACK, whether there was a transaction or not, unless the next one begins with it.
func endsTransaction(st statement.Statement, r *response) bool {
	return (st.Kind == statement.Commit || st.Kind == statement.Rollback) && !st.Transaction.Chain && r.kind == wire.KindOK
}

// bypassReason says why a session's reads cannot be cached after the statement, for all that is known.
func (s *session) bypassReason(text []byte, st statement.Statement) string {
	if st.Reason == statement.StoredFunction {
		return "a stored function, which may set variables or make temporary tables"
	}
	switch st.Kind {
	case statement.Unknown:
		return "a statement that Weir cannot read"
	case statement.Execute:
		return "EXECUTE of a statement that Weir does not know"
	case statement.SetSession:
		return whyUnfollowed(st)
	case statement.Write:
		if mayMakeTemporaryTables(string(text), s.env()) {
			return "temporary tables"
		}
		if st.Compound {
			return "a compound statement, which may set variables or make temporary tables"
		}
		return whyUnfollowed(st)
	case statement.Multi:
		for _, part := range st.Parts {
			if part.Fires != "" {
				return "a write that may fire a trigger: " + part.Fires
			}
			if why := s.bypassReason(text, part); why != "" || part.Kind == statement.Use {
				return "several statements in one text: " + why
			}
		}
	}
	return ""
}

// mayMakeTemporaryTables: a procedure may, too, and may set variables; so may what EXECUTE IMMEDIATE and DO run.
func mayMakeTemporaryTables(text string, env statement.Env) bool {
	return statement.Mentions(text, env, "TEMPORARY", "CALL", "EXECUTE") ||
		slices.Equal(statement.Words(text, env, 1), []string{"DO"})
}

// replay returns what has to run before a statement that asks what the one before it has left: that one again, if it
// was answered from the cache or on a connection that has gone back to its pool. It was a read; what may write stays on
// its connection. First comes a statement that leaves nothing, since the connection may still have what another session's
// error left, and MariaDB forgets that only for a statement that reads a table.
func (s *session) replay(text []byte, st statement.Statement) func(*conn) {
	if !s.replays(text, st) {
		return nil
	}
	before := []said{{text: []byte("SELECT 1 FROM (SELECT 1) AS nothing WHERE 0")}}
	if s.last.known() {
		before = append(before, s.last)
	}
	return func(c *conn) {
		for _, statement := range before {
			if !s.running.enter(c) {
				return
			}
			err := statement.again(c, &response{})
			s.running.leave(c)
			if err != nil {
				s.server.log.Debug("cannot repeat the statement that the next one asks about", "error", err)
				return
			}
		}
	}
}

// replays reports whether something has to run before the statement.
func (s *session) replays(text []byte, st statement.Statement) bool {
	return (s.pinned == nil || s.last.known()) && asksBack(text, st)
}

// asksBack reports whether a statement may ask for the rows or the warnings of the one before it. A view may do so for
// it. A connection that is kept for its warnings still has those when the next statement has been a hit.
func asksBack(text []byte, st statement.Statement) bool {
	if st.Cacheable || st.Kind != statement.Read {
		return false
	}
	said := strings.ToLower(string(text) + " " + st.Detail)
	names := []string{"found_rows", "row_count", "warning_count", "error_count"}
	if st.Reason == statement.NotSelect && st.Stateful {
		names = append(names, "warnings", "errors", "diagnostics")
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(said, n) })
}

// backendError tells the client that a backend could not answer. Once what is under way is cut off that is the reason for
// whatever fails, and the session ends.
func (s *session) backendError(err error, r *response) error {
	if s.absence != nil {
		s.absence.err = err
	}
	if r.started {
		return err
	}
	var said *wire.Error
	if s.absence == nil && (errors.Is(err, errShutdown) || s.server.stopping.cut.Load() && !errors.As(err, &said)) {
		return errShutdown
	}
	if !errors.As(err, &said) {
		said = wire.Errorf(wire.CodeUnknown, "Weir: %v", err)
	}
	if werr := s.writeError(said); werr != nil {
		return werr
	}
	if errors.Is(err, errStateLost) {
		return err
	}
	return nil
}
