package proxy

import (
	"bytes"
	"context"
	"encoding/binary"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// prepare answers COM_STMT_PREPARE. The client gets a handle. What the server says of the statement's parameters and
// columns depends on nothing but definitions, so it is cached like a result that reads those, and most statements are
// prepared without a word to a server.
func (s *session) prepare(ctx context.Context, text []byte) error {
	s.handles.last = nil
	if err := s.settleBefore(ctx, text); err != nil {
		return s.backendError(err, &response{})
	}
	if s.mayDescribe() && len(text) <= maxCachedText {
		if e := s.cached(s.descriptionKey(text)); e != nil {
			return s.describe(text, e.Wire())
		}
	}
	mark := s.server.cache.Ledger().Mark()
	st := s.analyze(string(text))
	if refusal := s.refusePrepared(st); refusal != nil && !s.onlyAccessMode(st) {
		return s.refused(ctx, text, st, refusal)
	}
	return s.askDescription(ctx, text, st, mark)
}

// mayDescribe reports whether descriptions may come from the cache. Transactions do not matter: no rows are read.
func (s *session) mayDescribe() bool {
	return s.bypass == "" && s.assigned == nil && !s.pins.locked && s.server.caching
}

func (s *session) descriptionKey(text []byte) []byte {
	key := append(append(s.keys[s.turn][:0], s.prefix...), text...)
	key[0] = protocolDescription
	s.keys[s.turn] = key
	return key
}

// describe makes a handle and sends a description with its id.
func (s *session) describe(text, description []byte) error {
	first, _, err := wire.Split(description)
	if err != nil {
		return err
	}
	p, err := wire.DecodePrepared(first[wire.HeaderSize:])
	if err != nil {
		return err
	}
	h := &handle{text: bytes.Clone(text), params: int(p.Params), schema: s.state.schema}
	if !s.handles.add(h) {
		return s.writeError(wire.Errorf(wire.CodeTooManyStatements, "Can't create more than max_prepared_stmt_count statements (current value: %d)", maxHandles))
	}
	s.out = append(s.out[:0], description...)
	binary.LittleEndian.PutUint32(s.out[wire.HeaderSize+1:], h.id)
	return s.write(s.out)
}

// askDescription prepares the statement on a connection that may soon have to run it.
func (s *session) askDescription(ctx context.Context, text []byte, st statement.Statement, mark cache.Mark) error {
	h := &handle{text: text, schema: s.state.schema}
	r := response{hold: maxOwn}
	q := request{st: st, run: func(c *conn, r *response) error { return c.prepare(h, r) }}
	var f *fill
	if st.Cacheable && s.mayDescribe() && len(text) <= maxCachedText {
		f = s.newFill(bytes.Clone(s.descriptionKey(text)), reads{tags: described(st)}, mark)
		f.kind = wire.KindPrepared
		q.clean, q.before = true, func(c *conn) { f.at = f.asOf(ctx, c) }
	}
	c, err := s.ask(ctx, q, &r)
	if err != nil {
		return s.backendError(err, &r)
	}
	if f != nil {
		f.keep(c, &r)
	}
	s.prepared(c, text, st, &r)
	if r.kind != wire.KindPrepared || !r.whole {
		return s.write(r.buf)
	}
	return s.describe(text, r.buf)
}

// described are the tags of what is said of a statement before it runs: also that it asks for an index that there is.
func described(st statement.Statement) []cache.Tag {
	return append(dep.Definitions(st.Tables), st.Layouts()...)
}

// prepared gives the connection back that has prepared a statement, unless the client may ask about an error. What the
// statement before has left can still be asked for: preparing leaves nothing of its own. A statement that asks for that,
// and USE, come next in any case, as text where they cannot be prepared: they are what MySQL warns of, or refuses.
func (s *session) prepared(c *conn, text []byte, st statement.Statement, r *response) {
	next := st.Kind == statement.Use || mayAskBack(text)
	warned := (r.kind == wire.KindError || r.warnings > 0) && !next
	switch {
	case c.broken:
		s.drop(c)
	case c == s.pinned:
	case warned && s.pins == (pins{}) && (s.pinned == nil || !s.pinned.inTransaction()):
		s.unpin() // of warnings that nobody asked for
		s.pinned, s.last = c, said{}
	case warned:
		s.aside(c, said{text: text}, r)
	default:
		c.pool.put(c)
	}
}

// closeHandle answers COM_STMT_CLOSE, which has no response, not even an error.
func (s *session) closeHandle(args []byte) error {
	h := s.handleOf(args)
	if h == nil {
		return nil
	}
	s.handles.remove(h)
	s.closeCursor(h)
	if c := h.held; c != nil && !c.broken {
		h.held = nil
		s.unhold(c, h.remoteID)
	}
	return nil
}

// unhold closes a statement that was kept on the pinned connection, and gives that back if nothing else keeps it.
func (s *session) unhold(c *conn, id uint32) {
	s.pins.prepared--
	_ = c.closeRemote(id) // marks the connection as broken if it fails
	if c.broken {
		s.drop(c)
		return
	}
	s.letGo(c)
}

// letGo gives the pinned connection back if nothing keeps it.
func (s *session) letGo(c *conn) {
	if s.pins == (pins{}) && s.assigned == nil && !c.inTransaction() {
		s.pinned = nil
		c.pool.put(c)
	}
}

// sendLongData takes a piece of a value; there is no response. A value that is too large is reported by the execution.
func (s *session) sendLongData(args []byte) error {
	h := s.handleOf(args)
	m, err := wire.DecodeLongData(args)
	if err != nil {
		return nil //nolint:nilerr // there is no response in which it could be said
	}
	switch {
	case h == nil:
		return nil
	case int(m.Param) >= h.params:
		h.wrongLong = true
		return nil
	}
	s.handles.addLong(h, m, s.server.maxPacket())
	return nil
}

// hold prepares every open statement on a connection that stays with the session. It comes before a SET that changes
// how texts are read: a server reads a text when it is prepared, so that what is open keeps its meaning.
func (s *session) hold(ctx context.Context) error {
	for _, h := range s.handles.byID {
		if h.held != nil || s.analyzeIn(h.schema, string(h.text)).Kind == statement.SetSession { // many drivers prepare their SETs
			continue
		}
		c, err := s.acquire(ctx, s.server.cfg.Writes == ToSource)
		if err != nil {
			return err
		}
		r := response{hold: maxOwn}
		if err := c.prepare(h, &r); err != nil {
			s.drop(c)
			return err
		}
		if r.kind != wire.KindPrepared { // the table is gone; the execution will say so
			s.release(c)
			continue
		}
		m := c.remotes[len(c.remotes)-1]
		c.forgetRemote(m.id)
		h.held, h.remoteID = c, m.id
		s.pinned, s.last = c, said{}
		s.pins.prepared++
	}
	return nil
}
