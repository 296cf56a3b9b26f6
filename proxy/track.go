package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// # How a SET is followed
//
// What a SET assigns is not computed here. The statement runs on a connection as the client sent it; then that same
// connection is asked what the variables are now, and what it answers becomes part of the session's settings: so that
// spelling, computation, what the server makes of the value, and assignments of which only some were made before one
// failed all come to the same thing.
//
//  1. SET runs on connection c. The names of what it may have changed are noted in session.assigned. As long as there
//     are any, the session's settings are not known: c stays with the session and nothing is a hit.
//  2. If c has nothing of the session's but these settings, it is asked at once. If it has more, such as the warnings or
//     the error of the SET, or the FOUND_ROWS() of a statement before, then the question would wipe that out; it is asked
//     before the next statement that does not ask for these (session.settle).
//  3. The settings are known again; c is given back unless something else keeps it.

// noteAssignments notes what a statement may have assigned, also if it failed: then it may have made a part of its
// assignments. One alone is made or not.
func (s *session) noteAssignments(st statement.Statement, r *response) {
	if st.Kind == statement.Multi {
		for _, part := range st.Parts {
			s.noteAssignments(part, &response{kind: wire.KindOK})
		}
		return
	}
	if failedWhole(st, r) {
		return
	}
	for _, a := range st.Assignments {
		s.noteAssignment(a)
	}
}

// failedWhole reports whether a SET has changed nothing at all, or an EXECUTE found nothing to execute.
func failedWhole(st statement.Statement, r *response) bool {
	if said := (*wire.Error)(nil); st.Kind == statement.Execute && errors.As(r.err(), &said) {
		return said.Code == wire.CodeUnknownStatement
	}
	return r.kind == wire.KindError && len(st.Assignments) == 1 && st.Reason == statement.NotSelect && !st.Stateful
}

func (s *session) noteAssignment(a statement.Assignment) {
	switch a.Scope {
	case statement.SessionScope:
		if unfollowed(a.Name) == "" {
			s.assigned = append(s.assigned, family(a.Name)...)
		}
	case statement.NextTransaction:
		s.pins.oneShot = true
	case statement.GlobalScope, statement.PersistScope:
		s.server.recheckGlobals()
	case statement.UserScope:
	}
}

// whyUnfollowed says why the session's state is not known after a SET; empty if it is.
func whyUnfollowed(st statement.Statement) string {
	if st.Reason == statement.Ambiguous {
		return "SET that servers read in different ways"
	}
	if st.Kind == statement.SetSession && len(st.Assignments) == 0 {
		return "SET " + st.Detail
	}
	for _, a := range st.Assignments {
		if a.Scope != statement.SessionScope {
			continue
		}
		if why := unfollowed(a.Name); why != "" {
			return why
		}
	}
	return ""
}

// unfollowed says why a variable cannot be read back and set again elsewhere with the same effect; empty if it can.
// Such a variable stays on its connection, and the session is not answered from the cache any more.
func unfollowed(name string) string {
	switch name {
	case "timestamp", "rand_seed1", "rand_seed2", "insert_id", "last_insert_id", "identity", "gtid_seq_no":
		return "SET " + name + ", which is used up or read otherwise than it is set"
	case "gtid_next", "sql_log_bin", "session_track_gtids", "profiling", "profiling_history_size",
		"character_set_database", "collation_database":
		return "SET " + name + ", which concerns the connection"
	case "optimizer_trace":
		return "SET " + name + ", since a hit leaves no trace"
	case "system_versioning_asof":
		return "SET " + name + ", whose meaning depends on time_zone when it is set"
	}
	for _, prefix := range [...]string{"debug", "pseudo_", "original_", "immediate_"} {
		if strings.HasPrefix(name, prefix) {
			return "SET " + name
		}
	}
	if !plainName(name) {
		return "SET of a variable with an unusual name"
	}
	return ""
}

// plainName reports whether a name can stand in a statement of Weir's without quotes.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return name != ""
}

// family returns the variables that an assignment may change and that together set all of them again. A collation
// brings its character set; and to set max_join_size sets sql_big_selects.
func family(name string) []string {
	switch name {
	case "character_set_connection":
		return []string{"collation_connection"}
	case "character_set_server":
		return []string{"collation_server"}
	case "max_join_size", "sql_max_join_size":
		return []string{name, "sql_big_selects"}
	}
	return []string{name}
}

// settle asks the session's connection for the settings that a SET has left, unless they are known.
func (s *session) settle(ctx context.Context) error {
	if s.assigned == nil {
		return nil
	}
	c := s.pinned
	next, err := s.readBack(ctx, c)
	s.assigned = nil
	if err != nil {
		s.drop(c)
		return fmt.Errorf("%w: %w", errStateLost, err)
	}
	s.setState(state{schema: s.state.schema, settings: next})
	c.state = s.state
	c.takeSettings()
	s.letGo(c)
	return nil
}

// settleBefore does so before a text, unless that may ask for what the question would wipe out.
func (s *session) settleBefore(ctx context.Context, text []byte) error {
	if s.assigned == nil || mayAskBack(text) {
		return nil
	}
	return s.settle(ctx)
}

// readBack returns the settings as they are on the connection. What a server will not tell, or not in a form that could
// be said to another connection, is not followed.
func (s *session) readBack(ctx context.Context, c *conn) (settings, error) {
	names := s.assigned
	for _, known := range s.state.settings { // to set one may have changed another
		names = append(names, known.name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	r := response{hold: maxOwn}
	if err := s.run1(ctx, c, request{run: command(wire.ComQuery, []byte(readBackQuery(names)))}, &r); err != nil {
		return nil, err
	}
	values, err := literals(&r, len(names), c.columnDecoder())
	if err != nil {
		s.giveUp("SET that cannot be read back: " + err.Error())
		return s.state.settings, nil //nolint:nilerr // the session goes on, with its connection
	}
	if values, err = c.withNames(&r, names, values); err != nil {
		return nil, err
	}
	next := make(settings, 0, len(names))
	for i, name := range names {
		if name == "autocommit" && values[i] == "1" && s.defaults.autocommit {
			continue // said by nearly everybody, and so from the start
		}
		next = append(next, setting{name, values[i]})
	}
	return next, nil
}

// readBackQuery has a LIMIT of its own, since sql_select_limit may be 0.
func readBackQuery(names []string) string {
	return "SELECT @@session." + strings.Join(names, ", @@session.") + " LIMIT 1"
}

// giveUp keeps the connection for the session, and the session from the cache.
func (s *session) giveUp(why string) {
	s.pins.stateful = true
	if s.bypass == "" {
		s.bypass = why
		s.server.log.Debug("nothing is cached for this connection any more", "connection", s.id, "reason", why)
	}
}

// settled ends a SET that has just run on a connection, by whatever command. The settings are asked for at once if the
// connection was borrowed for it and has nothing to tell the client; else before the next statement.
func (s *session) settled(ctx context.Context, wasPinned bool, r *response) error {
	if wasPinned || r.kind != wire.KindOK || r.warnings > 0 {
		return nil
	}
	return s.settle(ctx)
}

// mayAskBack reports whether a text may ask for what the statement before it has left, as far as that can be told
// without knowing sql_mode: a text with quotes is not looked at.
func mayAskBack(text []byte) bool {
	said := strings.ToLower(string(text))
	if len(said) > 1000 || strings.ContainsAny(said, "'\"`\\") {
		return false
	}
	names := []string{"found_rows", "row_count", "warning_count", "error_count", "warnings", "errors", "diagnostics"}
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(said, n) })
}
