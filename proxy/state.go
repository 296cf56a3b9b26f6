package proxy

import (
	"slices"
	"strings"

	"weir/proxy/wire"
)

// state is what of a session changes the bytes of its answers and can be set up again on any connection.
type state struct {
	schema   string
	settings settings
}

func (s state) equal(t state) bool {
	return s.schema == t.schema && slices.Equal(s.settings, t.settings)
}

// settings are the session variables that a client has set, in a normal form: by name. Two sessions that have set the
// same have equal settings. It is never changed in place.
type settings []setting

// setting is one assignment. Its text can follow SET SESSION.
type setting struct {
	name  string // lower case
	value string
}

// with returns the settings after an assignment.
func (s settings) with(name, value string) settings {
	out := make(settings, 0, len(s)+1)
	for _, old := range s {
		if old.name != name && old.name != undoneBy(name) {
			out = append(out, old)
		}
	}
	out = append(out, setting{name, value})
	slices.SortFunc(out, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	return out
}

// undoneBy: these two set each other, so that only the last one counts.
func undoneBy(name string) string {
	switch name {
	case "character_set_connection":
		return "collation_connection"
	case "collation_connection":
		return "character_set_connection"
	}
	return ""
}

// value returns what a variable was set to.
func (s settings) value(name string) (string, bool) {
	for _, v := range s {
		if v.name == name {
			return v.value, true
		}
	}
	return "", false
}

// sql returns the statement that makes the settings; empty if there are none.
func (s settings) sql() string {
	if len(s) == 0 {
		return ""
	}
	var first, rest []string
	for _, v := range s {
		if strings.HasPrefix(v.value, namesAgain) {
			first = append(first, v.value)
		} else {
			rest = append(rest, "SESSION "+v.name+" = "+v.value)
		}
	}
	return "SET " + strings.Join(append(first, rest...), ", ")
}

// text is the normal form, for keys.
func (s settings) text() string {
	var b []byte
	for _, v := range s {
		b = appendPart(appendPart(b, v.name), v.value)
	}
	return string(b)
}

// unsafeReason says why nothing may be cached under the settings, or is empty.
func (s settings) unsafeReason() string {
	for _, name := range [...]string{"transaction_isolation", "tx_isolation"} {
		if v, ok := s.value(name); ok && isReadUncommitted(v) {
			return "READ UNCOMMITTED"
		}
	}
	if v, ok := s.value("sql_auto_is_null"); ok && !isOff(v) {
		return "sql_auto_is_null"
	}
	return ""
}

func isReadUncommitted(v string) bool {
	v = strings.ToUpper(strings.Trim(v, `'"`))
	return v == "READ-UNCOMMITTED" || v == "READ UNCOMMITTED" || v == "0"
}

func isOn(v string) bool {
	switch strings.ToUpper(strings.Trim(v, `'"`)) {
	case "1", "ON", "TRUE":
		return true
	}
	return false
}

func isOff(v string) bool {
	switch strings.ToUpper(strings.Trim(v, `'"`)) {
	case "0", "OFF", "FALSE":
		return true
	}
	return false
}

// sqlMode returns what the client has set sql_mode to, or else what a session starts with.
func (s settings) sqlMode(initial string) string {
	v, ok := s.value("sql_mode")
	if !ok || strings.EqualFold(v, "DEFAULT") {
		return initial
	}
	v, _ = unquoted(v)
	return v
}

// poolFlags are the capabilities that a backend connection must share with the client: they change what statements
// mean or what is counted.
const poolFlags = wire.ClientFoundRows | wire.ClientIgnoreSpace | wire.ClientMultiStatements | wire.ClientInteractive |
	wire.ClientPSMultiResults | wire.ClientSessionTrack | wire.ClientExtendedMetadata
