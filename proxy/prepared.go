package proxy

import (
	"bytes"
	"context"
	"encoding/binary"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// prepared is a statement that the client holds.
type prepared struct {
	st   statement.Statement
	text []byte
}

// statementCommand answers the commands of prepared statements. A statement lives on one backend connection, which
// stays with the session until it is closed. Its results are not cached yet.
func (s *session) statementCommand(ctx context.Context, command wire.Command, args []byte) error {
	if command == wire.ComStmtPrepare {
		return s.prepare(ctx, args)
	}
	p, known := s.statementOf(args)
	switch {
	case command == wire.ComStmtClose:
		return s.closeStatement(args, known)
	case command == wire.ComStmtSendLongData:
		return s.sendLongData(args, known)
	case !known:
		return s.writeError(wire.Errorf(wire.CodeUnknownStatement, "Unknown prepared statement handler given to %s", command))
	}
	s.server.metrics.notCacheable("prepared_statement")
	return s.forward(ctx, command, args, p.text, p.st)
}

// statementOf finds the statement whose id a command starts with.
func (s *session) statementOf(args []byte) (prepared, bool) {
	if len(args) < 4 || s.pinned == nil {
		return prepared{}, false
	}
	p, ok := s.prepared[binary.LittleEndian.Uint32(args)]
	return p, ok
}

func (s *session) prepare(ctx context.Context, text []byte) error {
	st := s.analyze(string(text))
	if refusal := s.refuse(st); refusal != nil {
		return s.writeError(refusal)
	}
	if st.Kind == statement.Kill {
		return s.writeError(errKillInside)
	}
	c, err := s.acquire(ctx, s.server.cfg.Writes == ToSource)
	if err != nil {
		return s.backendError(err, &response{})
	}
	r := response{hold: maxOwn, out: s.writeSlowly}
	if err := s.run1(ctx, c, request{command: wire.ComStmtPrepare, args: text}, &r); err != nil {
		s.drop(c)
		return s.backendError(err, &r)
	}
	if r.kind == wire.KindPrepared {
		if err := s.keepStatement(&r, prepared{st, bytes.Clone(text)}); err != nil {
			return err
		}
	}
	s.done(c, text, statement.Statement{Kind: statement.Read}, &r)
	return s.write(r.buf)
}

// keepStatement remembers the statement under the id that the server gave it.
func (s *session) keepStatement(r *response, held prepared) error {
	if !r.whole {
		return wire.Errorf(wire.CodeUnknown, "Weir: the description of the prepared statement is longer than %d bytes", maxOwn)
	}
	raw, _, err := wire.Split(r.buf)
	if err != nil {
		return err
	}
	p, err := wire.DecodePrepared(raw[wire.HeaderSize:])
	if err != nil {
		return err
	}
	if s.prepared == nil {
		s.prepared = map[uint32]prepared{}
	}
	s.prepared[p.StatementID] = held
	s.pins.prepared++
	return nil
}

func (s *session) closeStatement(args []byte, known bool) error {
	if !known {
		return nil // the command has no response, not even an error
	}
	c := s.pinned
	delete(s.prepared, binary.LittleEndian.Uint32(args))
	s.pins.prepared--
	_ = c.send(wire.ComStmtClose, args) // marks the connection as broken if it fails
	switch {
	case c.broken:
		s.drop(c)
	case s.pins == (pins{}) && !c.inTransaction():
		s.pinned = nil
		c.pool.put(c)
	}
	return nil
}

func (s *session) sendLongData(args []byte, known bool) error {
	if !known {
		return nil
	}
	if err := s.pinned.send(wire.ComStmtSendLongData, args); err != nil {
		s.drop(s.pinned)
		return err
	}
	return nil
}
