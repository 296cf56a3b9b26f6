package proxy

import (
	"context"
	"errors"

	"weir/cache"
	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// rowsOf returns what the session may see of a table. A table for which it lacks a privilege is refused as a server
// refuses it.
func (s *session) rowsOf(ctx context.Context, t *virtual.Table) ([][]any, *wire.Error) {
	v := virtual.Viewer{User: s.client.User, Session: s.id}
	holds, err := s.holdsProcess(ctx)
	if err != nil && t.Privilege != "" {
		return nil, wire.Errorf(wire.CodeUnknown, "Weir: no server can say now whether you have the %s privilege, which %s.%s needs; weir.backends and weir.stream need none: %v", t.Privilege, t.Schema, t.Name, err)
	}
	v.Process = holds
	rows, ok := t.Shown(v)
	if !ok {
		return nil, wire.Errorf(wire.CodeSpecificAccess, "Access denied; you need (at least one of) the %s privilege(s) for this operation", t.Privilege)
	}
	return rows, nil
}

// privilege is what a server has said about an account's privilege PROCESS, and as of which change of accounts.
type privilege struct {
	known, holds bool
	at           cache.Mark
}

// processQuery reads a small table that needs the privilege.
const processQuery = "SELECT COUNT(*) FROM information_schema.INNODB_CMP"

// holdsProcess asks a server whether the session's account holds PROCESS, and remembers the answer until accounts change.
// Roles that the session has set count, since it asks on the session's own connection.
func (s *session) holdsProcess(ctx context.Context) (bool, error) {
	now := s.server.accounts()
	if s.process.known && s.process.at == now && s.pinned == nil {
		return s.process.holds, nil
	}
	holds, err := s.askProcess(ctx)
	if err == nil {
		s.process = privilege{known: true, holds: holds, at: now}
	}
	return holds, err
}

func (s *session) askProcess(ctx context.Context) (bool, error) {
	c, err := s.acquire(ctx, false)
	if err != nil {
		return false, err
	}
	_, err = c.query(processQuery)
	s.release(c)
	var said *wire.Error
	if errors.As(err, &said) && said.Code == wire.CodeSpecificAccess {
		return false, nil
	}
	return err == nil, err
}
