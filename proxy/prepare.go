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
	if _, ok := statement.ReadExplainCache(string(text), s.env()); ok {
		return s.writeError(errExplainPrepared)
	}
	if s.mayBeVirtual(text) {
		if answered, err := s.prepareVirtual(ctx, text); answered {
			return err
		}
	}
	mark := s.server.cache.Ledger().Mark()
	ctx, end := s.running.begin(ctx)
	defer end()
	st := s.analyze(string(text))
	if asked, refused := s.preparable(text, st); refused != nil {
		return s.sayError(refused)
	} else if asked != nil {
		return s.askDescription(ctx, text, asked, s.analyze(string(asked)), mark)
	}
	if refusal := s.refusePrepared(st); refusal != nil && !s.onlyAccessMode(st) {
		return s.refused(ctx, text, st, refusal)
	}
	return s.askDescription(ctx, text, text, st, mark)
}

// mayDescribe reports whether descriptions may come from the cache, or it is to be noted that they would. Transactions do
// not matter: no rows are read.
func (s *session) mayDescribe() bool {
	return s.bypass == "" && s.assigned == nil && !s.pins.locked && (s.caching() || s.observing())
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

// askDescription prepares the statement on a connection that may soon have to run it. In a transaction that is the
// transaction's own. Beside it there would be nobody to give way:
//
//  1. BEGIN, SELECT ... FROM t: the transaction's connection keeps t's definition until it ends.
//  2. An ALTER of t waits for that.
//  3. The client prepares another statement that reads t. On a second connection that waits for the ALTER, and so for its
//     own transaction.
//
// asked is what a server is to describe: the text itself, if it is not about the query cache.
func (s *session) askDescription(ctx context.Context, text, asked []byte, st statement.Statement, mark cache.Mark) error {
	h := &handle{text: asked, schema: s.state.schema}
	q := request{st: st, mark: mark, clean: s.describable(text, st), run: func(c *conn, r *response) error { return c.prepare(h, r) }}
	p, err := s.enterGate(ctx, &q, func() {
		q.mark = s.server.cache.Ledger().Mark()
		q.st = s.analyze(string(asked))
		q.clean = s.describable(text, q.st)
	})
	if err != nil {
		return s.backendError(err, &response{})
	}
	defer p.end()
	var f *fill
	if q.clean {
		f = s.newFill(bytes.Clone(s.descriptionKey(text)), q, func(q *request) reads { return reads{tags: described(q.st)} })
		f.kind, f.ghost = wire.KindPrepared, s.server.observing()
		q.before = func(c *conn) { f.at = f.asOf(ctx, c) }
	}
	r := response{hold: maxOwn}
	c, err := s.ask(ctx, q, &r)
	p.end()
	if err != nil {
		return s.backendError(err, &r)
	}
	if f != nil {
		f.keep(c, &r)
	}
	s.prepared(c, text, q.st, &r)
	if r.kind != wire.KindPrepared || !r.whole {
		return s.write(r.buf)
	}
	return s.describe(text, r.buf)
}

// describable reports whether a description is to be kept, and so to be asked for on a connection of nobody's.
func (s *session) describable(text []byte, st statement.Statement) bool {
	return st.Cacheable && s.mayDescribe() && len(text) <= maxCachedText && (s.pinned == nil || !s.pinned.inTransaction() && s.tx == nil)
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
		if warned {
			s.last = said{}
		}
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
