package proxy

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// use changes the default database: USE and COM_INIT_DB. The server is asked also if the connection is there already:
// the database may have been dropped meanwhile.
func (s *session) use(ctx context.Context, schema string) error {
	if schema == "" {
		return s.writeError(wire.Errorf(wire.CodeNoDatabase, "No database selected"))
	}
	if s.inWeir(schema) {
		return s.useWeir(schema)
	}
	c, err := s.acquire(ctx, false)
	if err != nil {
		return s.backendError(err, &response{})
	}
	if err := c.initDB(schema); err != nil {
		s.release(c)
		return s.backendError(err, &response{})
	}
	s.setState(state{schema: schema, settings: s.state.settings})
	s.leftNothing(s.last)
	s.release(c)
	if s.poolKey.flags.Has(wire.ClientSessionTrack) {
		return s.writeMessage(wire.OK{Status: s.status() | wire.StatusSessionStateChanged, State: wire.TrackSchema(schema)})
	}
	return s.ok()
}

// dropped notes that the session's default database may be gone, which the server forgets when the session that has it
// drops it, and only then.
func (s *session) dropped(c *conn, text []byte) {
	if s.state.schema == "" || statement.DroppedSchema(string(text), s.env()) != s.state.schema {
		return
	}
	c.state.schema = ""
	s.setState(state{settings: s.state.settings})
}

// release gives a connection back unless it is pinned.
func (s *session) release(c *conn) {
	switch {
	case c.broken:
		s.drop(c)
	case c != s.pinned:
		c.pool.put(c)
	}
}

// set answers SET, as text or prepared. What it does to session variables becomes part of the session's state, and can be
// set up again on any connection: see track.go. User variables, and what else concerns the connection, stay on that one.
func (s *session) set(ctx context.Context, q request) error {
	if s.onlyAccessMode(q.st) {
		q.succeeded(&response{kind: wire.KindOK})
		return s.ok()
	}
	if setsWeir(q.st) {
		return s.setWeir(ctx, q.st)
	}
	if changesReading(q.st) {
		if err := s.hold(ctx); err != nil {
			return s.backendError(err, &response{})
		}
	}
	key := s.memoKey(q.said.text, q.st)
	if done, ok := s.server.sets.get(key); ok {
		s.setState(state{schema: s.state.schema, settings: done.after})
		s.leftNothing(s.last)
		q.succeeded(&response{kind: wire.KindOK})
		return s.write(done.answer)
	}
	return s.runSet(ctx, q, key)
}

// runSet lets a connection answer a SET. key is where its effect is remembered; empty if it is not.
func (s *session) runSet(ctx context.Context, q request, key string) error {
	st := q.st
	autocommit := assigns(st, "autocommit")
	c, err := s.acquire(ctx, (autocommit || s.leavesState(st) || st.Reason != statement.NotSelect) && s.wantsSource(st))
	if err != nil {
		return s.backendError(err, &response{})
	}
	wasPinned, before := s.pinned != nil, s.last
	r := response{hold: maxOwn}
	if err := s.run1(ctx, c, q, &r); err != nil {
		s.drop(c)
		if wasPinned {
			err = fmt.Errorf("%w: %w", errStateLost, err)
		}
		return s.backendError(err, &r)
	}
	if autocommit {
		s.wrote(c) // it may have committed something
	}
	s.done(c, q.said, q.st, &r)
	if err := s.settled(ctx, wasPinned, &r); err != nil {
		return s.backendError(err, &response{})
	}
	if before.known() && r.kind == wire.KindOK && r.warnings == 0 || s.pinned == nil {
		s.leftNothing(before)
	}
	if s.pinned == nil && r.kind == wire.KindOK {
		s.server.sets.put(key, assigned{s.state.settings, bytes.Clone(r.buf)})
	}
	q.succeeded(&r)
	return s.write(r.buf)
}

// leftNothing notes that a statement has left no warnings and no rows to be asked for: FOUND_ROWS() is about the one
// before it, if that is known.
func (s *session) leftNothing(before said) {
	if !before.known() {
		before = said{text: []byte("DO 0")}
	}
	s.last = before
}

// changesReading reports whether a SET may change how texts are read: what strings are, which operators there are, what
// literals compare like. Of a SET that is not understood, nobody knows.
func changesReading(st statement.Statement) bool {
	if len(st.Assignments) == 0 {
		return true
	}
	for _, a := range st.Assignments {
		if a.Name == "sql_mode" || strings.HasPrefix(a.Name, "character_set_") || strings.HasPrefix(a.Name, "collation_") {
			return true
		}
	}
	return false
}

func assigns(st statement.Statement, name string) bool {
	for _, a := range st.Assignments {
		if a.Name == name {
			return true
		}
	}
	return false
}

// onlyAccessMode reports whether a SET does nothing but say that transactions may write, under writes: reject. They may
// not; but drivers say it when they are made writable, and mean no harm.
func (s *session) onlyAccessMode(st statement.Statement) bool {
	if s.server.cfg.Writes != Reject || len(st.Assignments) == 0 {
		return false
	}
	for _, a := range st.Assignments {
		if !isAccessMode(a.Name) {
			return false
		}
	}
	return true
}

func isAccessMode(name string) bool { return name == "transaction_read_only" || name == "tx_read_only" }

// makesWritable reports whether a SET may end what keeps functions that write from doing so on the connection.
func makesWritable(st statement.Statement) bool {
	for _, a := range st.Assignments {
		if isAccessMode(a.Name) && !(a.Literal && isOn(a.Value)) {
			return true
		}
	}
	return false
}
