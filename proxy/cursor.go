package proxy

import (
	"context"
	"encoding/binary"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// A client may ask for a cursor and then fetch rows some at a time. There are two kinds here. A result that Weir has in
// full, from the cache or from a fill, is handed out by Weir itself, and no server hears of it. All others are cursors on
// a server, and bind the session to its connection until they are closed.

// rowsHeld is a cursor over a result that Weir has.
type rowsHeld struct {
	rest   []byte // the rows that were not fetched yet, and the EOF packet behind them
	status wire.Status
}

// answer sends a result to a client that has executed a statement, or opens a cursor over it if it has asked for one.
// With a cursor, result must not change.
func (s *session) answer(x *execution, result []byte) error {
	if x.Flags == wire.NoCursor {
		return s.write(result)
	}
	_, rest, err := skipDefinitions(result)
	if err != nil {
		return err
	}
	head := result[:len(result)-len(rest)]
	status := wire.Status(binary.LittleEndian.Uint16(head[len(head)-2:])) // its EOF packet ends with the flags
	x.handle.rows = &rowsHeld{rest: rest, status: status}
	s.out = append(s.out[:0], head...)
	binary.LittleEndian.PutUint16(s.out[len(s.out)-2:], uint16(status|wire.StatusCursorExists))
	return s.write(s.out)
}

// fetch takes n rows, as the response to COM_STMT_FETCH. Servers learn that there are no more rows when they look for one
// and find none, so that a fetch of all that are left does not say so yet, and the next one brings none.
func (r *rowsHeld) fetch(dst []byte, n uint32) (response []byte, last bool, err error) {
	seq, more := uint8(1), false
	for taken := uint32(0); taken < n || more; {
		raw, rest, err := wire.Split(r.rest)
		if err != nil {
			return nil, false, err
		}
		if len(rest) == 0 {
			last = true
			break
		}
		at := len(dst)
		dst = append(dst, raw...)
		dst[at+wire.HeaderSize-1] = seq
		seq, r.rest = seq+1, rest
		if more = len(raw) == wire.HeaderSize+wire.MaxPayload; !more { // a row of 16 MiB or more goes on
			taken++
		}
	}
	flag := wire.StatusCursorExists
	if last {
		flag = wire.StatusLastRowSent
	}
	dst, _ = wire.AppendPacket(dst, seq, wire.EOF{Status: r.status | flag})
	return dst, last, nil
}

// fetch answers COM_STMT_FETCH, which asks a cursor for rows.
func (s *session) fetch(ctx context.Context, args []byte) error {
	h := s.handleOf(args)
	switch {
	case h == nil:
		return s.unknownHandle(args, "mysqld_stmt_fetch")
	case h.cursor == nil && h.rows == nil || len(args) != 8:
		return s.writeError(wire.Errorf(wire.CodeNoCursor, "The statement (%d) has no open cursor.", h.id))
	case h.rows != nil:
		return s.fetchHeld(h, binary.LittleEndian.Uint32(args[4:]))
	}
	c := h.cursor
	forward := binary.LittleEndian.AppendUint32(nil, h.remoteID)
	forward = append(forward, args[4:]...)
	err := s.pass(ctx, request{
		st: statement.Statement{Kind: statement.Read, Stateful: true}, said: said{text: h.text},
		run: func(c *conn, r *response) error { return c.roundTrip(wire.ComStmtFetch, forward, r) },
	})
	if err == nil && (c.broken || c.status.Has(wire.StatusLastRowSent) || !c.status.Has(wire.StatusCursorExists)) {
		s.closeCursor(h)
	}
	return err
}

func (s *session) fetchHeld(h *handle, n uint32) error {
	buf := getBuffer()
	defer putBuffer(buf)
	rows, last, err := h.rows.fetch((*buf)[:0], n)
	if err != nil {
		return err
	}
	*buf = rows
	if last {
		h.rows = nil
	}
	return s.writeSlowly(rows)
}

// opened notes that an execution has left a cursor open on a server. Its statement is nobody else's until that is closed.
func (s *session) opened(c *conn, h *handle) {
	id := h.remoteID
	if h.held != c {
		id = c.remotes[len(c.remotes)-1].id
		c.forgetRemote(id)
	}
	h.cursor, h.remoteID = c, id
	s.pinned, s.last = c, said{}
	s.pins.prepared++
}

// closeCursor closes the cursor of a statement, if there is one.
func (s *session) closeCursor(h *handle) {
	h.rows = nil
	c := h.cursor
	if c == nil {
		return
	}
	h.cursor = nil
	if h.held == c {
		s.pins.prepared-- // executing it again closes the cursor, and so does closing it
		return
	}
	if !c.broken {
		s.unhold(c, h.remoteID)
	}
}
