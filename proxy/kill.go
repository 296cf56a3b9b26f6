package proxy

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// killTime is how long it may take to log in at a backend and to have a statement ended there.
const killTime = 10 * time.Second

var (
	errKilled = errors.New("the connection was killed")
	errHungUp = errors.New("the client has hung up")
	// errKilledItself is what MariaDB says to a client that kills its own connection.
	errKilledItself = wire.Errorf(wire.CodeKilledMariaDB, "Connection was killed")
	errKillInside   = wire.Errorf(wire.CodeNotSupportedYet, "Weir supports KILL only as a statement by itself, sent as text: its connection ids are not the server's")
)

// killStatement answers KILL. Connection ids are Weir's: what the client got in the handshake, and from CONNECTION_ID().
func (s *session) killStatement(ctx context.Context, st statement.Statement) error {
	if e := s.refuseKill(st); e != nil {
		return s.writeError(e)
	}
	return s.kill(ctx, st.Kill)
}

// refuseKill: what is no plain number may be anything, and what hides in a comment may be there or not.
func (s *session) refuseKill(st statement.Statement) *wire.Error {
	soft := st.Kill.Soft || st.Kill.Hard
	switch {
	case st.Stateful, !st.Kill.Numbered:
		return wire.Errorf(wire.CodeNotSupportedYet, "Weir supports KILL [CONNECTION | QUERY] with the number of a connection alone")
	case soft && s.server.facts.Flavor != statement.MariaDB:
		return wire.Errorf(wire.CodeSyntax, "You have an error in your SQL syntax; KILL HARD and KILL SOFT are MariaDB's")
	}
	return nil
}

// processKill answers COM_PROCESS_KILL, whose arguments are the connection's id.
func (s *session) processKill(ctx context.Context, args []byte) error {
	if len(args) < 4 {
		return s.writeError(wire.Errorf(wire.CodeUnknownCommand, "Malformed COM_PROCESS_KILL"))
	}
	return s.kill(ctx, statement.Killing{ID: uint64(binary.LittleEndian.Uint32(args))})
}

func (s *session) kill(ctx context.Context, k statement.Killing) error {
	if k.ID == uint64(s.id) {
		return s.killItself(k)
	}
	victim := s.server.sessionOf(k.ID)
	switch {
	case victim == nil:
		return s.writeError(wire.Errorf(wire.CodeNoSuchThread, "Unknown thread id: %d", k.ID))
	case *victim.owner.Load() != s.account.user:
		return s.writeError(wire.Errorf(wire.CodeKillDenied, "You are not owner of thread %d", k.ID))
	}
	if !k.Query {
		victim.net.Close() // before its statement ends: it would be told so, and its connection is what was killed
		victim.cut(errKilled, victim.interrupt(ctx, k.Soft) != nil)
		return s.ok()
	}
	if err := victim.interrupt(ctx, k.Soft); err != nil {
		return s.writeError(wire.Errorf(wire.CodeUnknown, "Weir: %v", err))
	}
	return s.ok()
}

// killItself: servers answer so, too, and then close the connection if it was the whole connection that was meant.
func (s *session) killItself(k statement.Killing) error {
	if k.Query {
		return s.writeError(errInterrupted)
	}
	if s.server.facts.Flavor == statement.MariaDB {
		return errKilledItself
	}
	return errInterrupted
}

// sessionOf returns the session with that connection id, or nil.
func (s *Server) sessionOf(id uint64) *session {
	if id > math.MaxUint32 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		if sess.id == uint32(id) {
			return sess
		}
	}
	return nil
}

// interrupt ends the statement that the session has under way, if it has one. It may be called from anywhere.
func (s *session) interrupt(ctx context.Context, soft bool) error {
	return s.running.interrupt(errInterrupted, func(c *conn) error { return s.server.killQuery(ctx, c, soft) })
}

// killGrace is how long a statement may take to end once a backend has been told to end it.
const killGrace = 5 * time.Second

// cut ends the session, whose statement was interrupted before. The client's connection ends at once. The backend's is
// given up only if its statement does not end in good time, or now: giving it up ends no statement, and counts as an
// aborted client there. It may be called from anywhere.
func (s *session) cut(why error, now bool) {
	s.net.Close()
	if now {
		s.cancel(why)
		return
	}
	time.AfterFunc(killGrace, func() { s.cancel(why) })
}

// hasKill reports whether a KILL is among the parts of a text: that would get to a backend, where the number means
// somebody else.
func hasKill(parts []statement.Statement) bool {
	return slices.ContainsFunc(parts, func(p statement.Statement) bool { return p.Kind == statement.Kill || hasKill(p.Parts) })
}

// killQuery has the backend end the statement on the victim's connection. Weir says so on a connection beside it, of the
// same account: everybody may kill what is their own. The victim's connection is not given to anybody else before
// killQuery has returned, see [running].
func (s *Server) killQuery(ctx context.Context, victim *conn, soft bool) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), killTime, errors.New("the backend did not answer in time"))
	defer cancel()
	return s.killQueryWithin(ctx, victim, soft)
}

// killQueryWithin is killQuery with a bound of the caller's: it returns soon after ctx has ended.
func (s *Server) killQueryWithin(ctx context.Context, victim *conn, soft bool) error {
	c, err := victim.pool.beside(ctx, victim.state, s.accounts())
	if err != nil {
		return fmt.Errorf("log in at %s to kill a statement: %w", victim.backend.addr, err)
	}
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	err = victim.killOn(c, soft)
	if !stop() {
		c.broken = true
	}
	c.pool.put(c)
	return err
}

// beside returns a connection of the pool's account, in the given state or, if the backend does not let it be set up
// (the default database may be gone), in any.
func (p *pool) beside(ctx context.Context, like state, accounts cache.Mark) (*conn, error) {
	c, err := p.get(ctx, like, accounts)
	var said *wire.Error
	if errors.As(err, &said) && like.schema != "" {
		return p.get(ctx, state{}, accounts)
	}
	return c, err
}

// killOn ends the victim's statement from the connection c, if c leads to the same server process. Another process
// gives the victim's number to somebody else.
func (c *conn) killOn(by *conn, soft bool) error {
	same, err := c.sameProcess(by)
	if err != nil || !same {
		return err // with its process, the statement has ended
	}
	sql := "KILL QUERY "
	if soft {
		sql = "KILL SOFT QUERY "
	}
	err = by.exec(sql + strconv.FormatUint(uint64(c.id), 10))
	var said *wire.Error
	if errors.As(err, &said) && said.Code == wire.CodeNoSuchThread {
		return nil // the connection has ended, and its statement with it
	}
	return err
}

// sameProcess reports whether both connections lead to one run of one server. Connections that were made before the
// victim's, and live, prove it. Of later ones the server has to say that it has been up since then; it says so in whole
// seconds.
func (c *conn) sameProcess(by *conn) (bool, error) {
	if by.server != c.server {
		return false, nil
	}
	if by.since.Before(c.since) {
		return true, nil
	}
	age := time.Since(c.since)
	rows, err := by.query("SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		return false, errors.Join(err, errors.New("the backend does not say how long it has been up"))
	}
	up, err := strconv.ParseInt(rows[0][1], 10, 64)
	if err != nil {
		return false, fmt.Errorf("read the backend's Uptime: %w", err)
	}
	return time.Duration(up+1)*time.Second >= age, nil
}
