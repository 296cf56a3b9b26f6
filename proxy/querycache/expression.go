package querycache

import (
	"fmt"

	"weir/proxy/wire"
)

// Scope is the scope that a text gives with a variable.
type Scope uint8

// Scopes.
const (
	AnyScope Scope = iota // @@name
	SessionScope
	GlobalScope
)

// Expression returns what may stand in a text in place of @@name, with the same value and type, for a server that does not
// have the variable, or other values. The text of it does not depend on sql_mode.
func (s *Settings) Expression(name string, scope Scope, of *Session) (string, *wire.Error) {
	v := find(name)
	switch {
	case v == nil:
		return "", wire.Errorf(wire.CodeUnknownVariable, "Unknown system variable '%s'", name)
	case v.global && scope == SessionScope && s.initial.MariaDB:
		return "@@SESSION." + v.name, nil // an error in any case: the server knows which, of all that the text has
	case v.global && scope == SessionScope:
		return "", wire.Errorf(wire.CodeIsGlobalVariable, "Variable '%s' is a GLOBAL variable", v.name)
	case v.global || scope == GlobalScope:
		of = nil
	}
	value := s.value(v, of)
	switch v.kind {
	case number: // of so many digits that servers make a BIGINT of it; which may be NULL, as a variable may
		return fmt.Sprintf("NULLIF(CAST('%020s' AS UNSIGNED), -1)", value), nil
	case boolean:
		return fmt.Sprintf("NULLIF(CAST('%020s' AS SIGNED), -1)", value), nil
	default:
		return "NULLIF('" + value + "', '')", nil
	}
}
