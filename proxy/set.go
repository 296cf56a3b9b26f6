package proxy

import (
	"context"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// use changes the default database: USE and COM_INIT_DB.
func (s *session) use(ctx context.Context, schema string) error {
	if schema == "" {
		return s.writeError(wire.Errorf(wire.CodeNoDatabase, "No database selected"))
	}
	c, err := s.acquire(ctx, false)
	if err != nil {
		return s.backendError(err, &response{})
	}
	if err := c.use(schema); err != nil {
		s.release(c)
		return s.backendError(err, &response{})
	}
	s.setState(state{schema: schema, settings: s.state.settings})
	s.leftNothing(s.last)
	s.release(c)
	return s.ok()
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

// set answers SET. What is assigned plainly to session variables becomes part of the session's state, and can be set
// up again on any connection. Everything else stays on the one connection, and turns the session's caching off.
//
// A SET with a warning counts as done: the same text has the same effect, and the same warning, wherever it is said.
func (s *session) set(ctx context.Context, q request) error {
	st := q.st
	if s.onlyAccessMode(st) {
		return s.ok()
	}
	next, followed := s.settingsAfter(st)
	if changesReading(st) {
		if err := s.hold(ctx); err != nil {
			return s.backendError(err, &response{})
		}
	}
	if !followed {
		return s.pass(ctx, q)
	}
	autocommit := assigns(st, "autocommit")
	c, err := s.acquire(ctx, autocommit && s.wantsSource(st))
	if err != nil {
		return s.backendError(err, &response{})
	}
	r := response{hold: maxOwn}
	if err := s.run1(ctx, c, q, &r); err != nil {
		s.drop(c)
		return s.backendError(err, &r)
	}
	switch {
	case r.kind == wire.KindOK:
		if err := c.dropRemotes(0); err != nil { // they were prepared under other settings
			s.drop(c)
			return s.backendError(err, &r)
		}
		s.setState(state{schema: s.state.schema, settings: next})
		c.state = s.state
		c.followWaitTimeout(st)
	case len(st.Assignments) > 1:
		s.pins.stateful = true // some of them may have been made before one failed
	}
	if autocommit {
		s.wrote(c) // it may have committed something
	}
	before := s.last
	s.done(c, q.said, statement.Statement{Kind: statement.Read}, &r)
	if before.known() && r.kind == wire.KindOK && r.warnings == 0 || s.pinned == nil {
		s.leftNothing(before)
	}
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

// settingsAfter returns the settings after a SET, and whether it is one that can be followed.
func (s *session) settingsAfter(st statement.Statement) (settings, bool) {
	next := s.state.settings
	if len(st.Assignments) == 0 || st.Stateful {
		return next, false
	}
	for _, a := range st.Assignments {
		if !followable(a) {
			return next, false
		}
		if a.Name != "autocommit" { // the status flags of every answer tell
			next = next.with(a.Name, a.Value)
		}
	}
	return next, next.unsafeReason() == ""
}

// followable: what concerns writes alone, or one statement, stays on the connection.
func followable(a statement.Assignment) bool {
	if a.Scope != statement.SessionScope || !a.Literal {
		return false
	}
	switch a.Name {
	case "sql_log_bin", "gtid_next", "timestamp", "insert_id", "last_insert_id", "identity", "pseudo_thread_id",
		"pseudo_slave_mode", "pseudo_replica_mode", "rand_seed1", "rand_seed2", "transaction_read_only", "tx_read_only",
		"character_set_database", "collation_database", "session_track_gtids", "session_track_schema",
		"session_track_state_change", "session_track_system_variables", "session_track_transaction_info":
		return false
	}
	if strings.HasPrefix(a.Name, "character_set_") && strings.EqualFold(a.Value, "DEFAULT") {
		return false // SET NAMES DEFAULT means another default than SET character_set_client = DEFAULT
	}
	return !strings.HasPrefix(a.Name, "debug")
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
