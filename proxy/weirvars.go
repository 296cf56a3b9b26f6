package proxy

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// weirPrefix is what the names of Weir's own session variables begin with. No server has such variables, and none is
// told of them.
const weirPrefix = "weir_"

const (
	weirMaxStaleness = weirPrefix + "max_staleness_ms"
	weirWaitFor      = weirPrefix + "wait_for"
)

// setsWeir reports whether a SET assigns a variable of Weir's own.
func setsWeir(st statement.Statement) bool {
	for _, a := range st.Assignments {
		if a.Scope != statement.UserScope && strings.HasPrefix(a.Name, weirPrefix) {
			return true
		}
	}
	return false
}

// refuseWeirNames refuses a text that assigns a variable of Weir's own in a way that Weir would have to take apart: with
// others in one list, or with other statements in one text.
func refuseWeirNames(st statement.Statement) *wire.Error {
	for _, part := range st.Parts {
		if setsWeir(part) {
			return wire.Errorf(wire.CodeNotSupportedYet, "Weir: set variables whose names begin with weir_ in a statement of its own")
		}
	}
	if !setsWeir(st) {
		return nil
	}
	for _, a := range st.Assignments {
		if e := refuseWeirName(a); e != nil {
			return e
		}
	}
	return nil
}

// refusePrepared refuses what must not be prepared on a server: what would be refused as a text, too, and SET of Weir's
// own variables.
func (s *session) refusePrepared(st statement.Statement) *wire.Error {
	if setsWeir(st) {
		return wire.Errorf(wire.CodeUnsupportedPS, "This command is not supported in the prepared statement protocol yet: Weir wants SET of variables whose names begin with weir_ as a text")
	}
	return s.refuse(st)
}

func refuseWeirName(a statement.Assignment) *wire.Error {
	switch {
	case a.Scope == statement.UserScope || !strings.HasPrefix(a.Name, weirPrefix):
		return wire.Errorf(wire.CodeNotSupportedYet, "Weir: set variables whose names begin with weir_ in a SET of their own, without %s", a.Name)
	case a.Name != weirMaxStaleness && a.Name != weirWaitFor:
		return wire.Errorf(wire.CodeUnknownVariable, "Unknown system variable '%s'", a.Name)
	case a.Scope != statement.SessionScope:
		return wire.Errorf(wire.CodeNotSupportedYet, "Weir: %s is a variable of the session; max_staleness in the configuration is for all", a.Name)
	}
	return nil
}

// setWeir answers a SET of Weir's own variables. Nothing is assigned if one of the values is wrong.
func (s *session) setWeir(ctx context.Context, st statement.Statement) error {
	staleness := s.staleness
	for _, a := range st.Assignments {
		var e *wire.Error
		switch a.Name {
		case weirMaxStaleness:
			staleness, e = s.maxStaleness(a)
		case weirWaitFor:
			e = s.waitFor(ctx, a)
		}
		if e != nil {
			return s.writeError(e)
		}
	}
	s.staleness = staleness
	s.leftNothing(s.last)
	return s.ok()
}

// maxStaleness reads a value of weir_max_staleness_ms. A session may ask for answers that are fresher than max_staleness
// in the configuration, not for older ones: a larger value counts as that.
func (s *session) maxStaleness(a statement.Assignment) (time.Duration, *wire.Error) {
	limit := s.server.cfg.MaxStaleness
	if a.Literal && strings.EqualFold(a.Value, "DEFAULT") {
		return limit, nil
	}
	ms, err := strconv.ParseInt(a.Value, 10, 64)
	switch {
	case !a.Literal || err != nil:
		return 0, wire.Errorf(wire.CodeWrongType, "Incorrect argument type to variable '%s': Weir wants a whole number of milliseconds", a.Name)
	case ms < 0:
		return 0, wire.Errorf(wire.CodeWrongValue, "Variable '%s' can't be set to the value of '%s'", a.Name, a.Value)
	case ms >= limit.Milliseconds():
		return limit, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// waitFor reads a value of weir_wait_for: a string, or DEFAULT, which is the empty one.
func (s *session) waitFor(ctx context.Context, a statement.Assignment) *wire.Error {
	value, isText := unquoted(a.Value)
	switch {
	case a.Literal && strings.EqualFold(a.Value, "DEFAULT"):
		value = ""
	case !a.Literal || !isText:
		return wire.Errorf(wire.CodeWrongType, "Incorrect argument type to variable '%s': Weir wants a GTID set in quotes", a.Name)
	}
	return s.setWaitFor(ctx, value)
}

// unquoted takes the single quotes off a literal.
func unquoted(literal string) (string, bool) {
	if len(literal) < 2 || literal[0] != '\'' {
		return literal, false
	}
	return strings.ReplaceAll(literal[1:len(literal)-1], "''", "'"), true
}

// readWeir answers SELECT @@weir_max_staleness_ms, and reports whether the text is that.
func (s *session) readWeir(text []byte) (bool, error) {
	name := weirVariable(string(text))
	if name == "" {
		return false, nil
	}
	if !strings.HasSuffix(strings.ToLower(name), weirMaxStaleness) {
		return true, s.writeError(wire.Errorf(wire.CodeUnknownVariable, "Unknown system variable '%s'", strings.TrimPrefix(name, "@@")))
	}
	s.leftNothing(said{})
	value := fmt.Append(nil, s.staleness.Milliseconds())
	column := s.definition(wire.Column{Name: name, Collation: 63, Length: 20, Type: wire.TypeLongLong, Flags: wire.ColumnUnsigned | wire.ColumnBinary | wire.ColumnNotNull})
	eof := wire.EOF{Status: s.status()}
	out, seq := s.out[:0], s.reader.Sequence()
	for _, m := range []wire.Message{wire.ColumnCount(1), column, eof, wire.Row{value}, eof} {
		out, seq = wire.AppendPacket(out, seq, m)
	}
	s.out = out
	return true, s.write(s.out)
}

// weirVariable returns the variable that a text selects, if that is one of Weir's and the text selects nothing else.
func weirVariable(text string) string {
	if len(text) > 100 {
		return ""
	}
	words := strings.Fields(strings.TrimRight(text, "; \t\r\n"))
	if len(words) != 2 || !strings.EqualFold(words[0], "SELECT") {
		return ""
	}
	lower := strings.ToLower(words[1])
	plain := strings.TrimPrefix(strings.TrimPrefix(lower, "@@"), "session.")
	if !strings.HasPrefix(lower, "@@") || !strings.HasPrefix(plain, weirPrefix) || !plainName(plain) {
		return ""
	}
	return words[1]
}

// modeStatus is what the status flags say of sql_mode: client libraries quote strings by it.
func (s *session) modeStatus() (flags wire.Status) {
	mode := strings.ToUpper(s.state.settings.sqlMode(s.defaults.sqlMode))
	if strings.Contains(mode, "NO_BACKSLASH_ESCAPES") {
		flags |= wire.StatusNoBackslashEscapes
	}
	if s.server.facts.Flavor == statement.MariaDB && strings.Contains(mode, "ANSI_QUOTES") {
		flags |= wire.StatusANSIQuotes
	}
	return flags
}
