package proxy

import (
	"context"
	"errors"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// mayAskAgain reports whether a statement that failed on a connection is asked once more on another one, of another
// backend if there is one:
//
//   - It is a read. One that may write, through a stored function, could have done so before the connection broke.
//   - Nothing of a response was passed on. What has been collected of one is thrown away.
//   - The connection broke, or the server says that it stops serving. An error of the statement is the client's.
//   - Nothing that the session needs was on the connection.
//   - It is the first time. A statement that kills servers gets no third.
//
// That the server stops is no reason to ask if there is no other: MySQL says the same of a statement that was killed.
func (s *session) mayAskAgain(ctx context.Context, q request, c *conn, tied bool, r *response, err error) bool {
	if q.route.avoid != nil || tied || r.started || ctx.Err() != nil || !s.repeatable(q.st) {
		return false
	}
	if err != nil {
		return errors.Is(err, errLost)
	}
	return r.serverStops() && s.server.hasOther(c.backend)
}

func (s *session) repeatable(st statement.Statement) bool {
	return st.Kind == statement.Read && (s.server.cfg.Writes == Reject || !mayCommit(st))
}

// serverStops reports whether the response is an error by which a server says that it stops serving.
func (r *response) serverStops() bool {
	var said *wire.Error
	return errors.As(r.lastError(), &said) && goesAway(said.Code)
}

// lastError returns the error that the response ends with, nil if it ends with none or is not all there. Rows may have
// come before it.
func (r *response) lastError() error {
	if r.kind != wire.KindError || !r.whole {
		return nil
	}
	for rest := r.buf; ; {
		raw, after, err := wire.Split(rest)
		if err != nil {
			return err
		}
		if len(after) > 0 {
			rest = after
			continue
		}
		said, err := wire.DecodeError(raw[wire.HeaderSize:])
		if err != nil {
			return err
		}
		return said
	}
}

// hasOther reports whether there is another backend that is up.
func (s *Server) hasOther(than *backend) bool {
	for _, b := range s.inTurn() {
		if b != than && b.up() {
			return true
		}
	}
	return false
}

// tiedTo reports whether the session needs what is on the connection: more than warnings that it may ask for.
func (s *session) tiedTo(c *conn) bool {
	return c == s.pinned && (s.pins != (pins{}) || s.assigned != nil || s.tx != nil || c.inTransaction())
}
