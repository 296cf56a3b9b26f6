package proxy

import (
	"context"

	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// rowsOf returns what the session may see of a table. A table for which it lacks a privilege is refused as a server
// refuses it. Of a table that needs none no server is asked, which may be the reason for looking at it.
func (s *session) rowsOf(ctx context.Context, t *virtual.Table) ([][]any, *wire.Error) {
	v := virtual.Viewer{User: s.client.User, Session: s.id}
	if t.Privilege != "" {
		holds, err := s.holds(ctx, t.Privilege)
		if err != nil && !t.Partly {
			return nil, wire.Errorf(wire.CodeUnknown, "Weir: no server can say now whether you have the privilege %s, which %s.%s needs; weir.backends and weir.stream need none: %v", t.Privilege, t.Schema, t.Name, err)
		}
		v.Process = holds && err == nil
		v.Literals = v.Process
	}
	rows, ok := t.Shown(v)
	if !ok {
		return nil, wire.Errorf(wire.CodeSpecificAccess, "Access denied; you need (at least one of) the %s privilege(s) for this operation", t.Privilege)
	}
	return rows, nil
}
