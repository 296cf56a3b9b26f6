package proxy

import (
	"bytes"
	"context"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// execute answers COM_STMT_EXECUTE. The first lines are a hot path like those of [session.query]: the values are a part
// of the key as the client sent them, types included, and are not looked at.
func (s *session) execute(ctx context.Context, args []byte) error {
	h := s.handleOf(args)
	if h == nil {
		return s.unknownHandle(args, "mysqld_stmt_execute")
	}
	x, refusal := h.bind(args)
	s.handles.forgetLong(h)
	if refusal != nil {
		return s.writeError(refusal)
	}
	s.closeCursor(h)
	if err := s.settleBefore(ctx, h.text); err != nil {
		return s.backendError(err, &response{})
	}
	if s.doubts != nil {
		s.clearDoubts()
	}
	if s.mayHit() && s.keyed(&x) {
		key := s.executionKey(&x)
		if e := s.cached(key); e != nil {
			s.hit(e)
			s.last, s.turn = saidFrom(key, &x), 1-s.turn
			if err := s.answer(&x, e.Wire()); err != nil || s.pinned == nil {
				return err
			}
			return s.giveBack(ctx)
		}
	}
	if s.tx != nil && x.Flags == wire.NoCursor && s.keyed(&x) {
		key := s.executionKey(&x)
		if e := s.inside(key); e != nil {
			s.last, s.turn = saidFrom(key, &x), 1-s.turn
			return s.writeInside(e)
		}
	}
	missed := x // so that only a miss allocates
	return s.executeMiss(ctx, &missed)
}

// keyed reports whether answers to the execution have a key. They have none if the default database is another one than
// when the statement was prepared, or if the statement is bound to a connection.
func (s *session) keyed(x *execution) bool {
	h := x.handle
	return h.held == nil && h.schema == s.state.schema && x.keySize() <= maxCachedText
}

// executionKey puts the key together, in the buffers of [session.makeKey].
func (s *session) executionKey(x *execution) []byte {
	h := x.handle
	if h.generation != s.generation {
		h.prefix = appendPart(append(h.prefix[:0], s.prefix...), string(h.text))
		h.prefix[0] = protocolBinary
		h.generation = s.generation
	}
	key := x.key(append(s.keys[s.turn][:0], h.prefix...))
	s.keys[s.turn] = key
	return key
}

// saidFrom makes what was said last of a key that stays where it is for one more statement.
func saidFrom(key []byte, x *execution) said {
	e := *x
	n := len(x.handle.prefix)
	e.Nulls = key[n : n+len(x.Nulls)]
	n += len(x.Nulls)
	e.Types = key[n : n+len(x.Types)]
	e.Values = key[len(key)-len(x.Values):]
	return said{text: x.handle.text, execution: e}
}

// executeMiss is [session.miss] for an execution.
func (s *session) executeMiss(ctx context.Context, x *execution) error {
	s.tally.misses++
	if read, refused := s.substituted(x.handle.text); refused != nil {
		return s.sayError(refused)
	} else if read != nil {
		x.handle, x.Flags = &handle{id: x.handle.id, text: read, params: x.handle.params, schema: x.handle.schema, within: x.handle.within}, wire.NoCursor
	}
	if len(x.handle.text) <= maxCachedText && (x.handle.within != "" || s.server.tables.May(x.handle.text)) {
		if answered, err := s.executeVirtual(ctx, x); answered {
			return err
		}
	}
	mark := s.server.cache.Ledger().Mark()
	ctx, end := s.running.begin(ctx)
	defer end()
	st, mark, waited := s.sureOfTables(ctx, said{execution: *x}, s.analyzeIn(x.handle.schema, string(x.handle.text)), mark)
	s.tally.said.Store(st.Digest)
	if done, err := s.surface(ctx, s.executing(x, st, wire.NoCursor)); done {
		return err
	}
	if refusal := s.refuse(st); refusal != nil && !s.onlyAccessMode(st) {
		return s.refused(ctx, x.handle.text, st, refusal)
	}
	st = s.sureOfTriggers(ctx, x.handle.schema, x.handle.text, st)
	if done, err := s.own(ctx, s.executing(x, st, wire.NoCursor)); done {
		return err
	}
	if why := s.whyNotKept(x, st); why != "" {
		s.notCacheable(st, why)
		q := s.executing(x, st, x.Flags)
		q.mark = mark
		return s.pass(ctx, q)
	}
	if waited {
		if e := s.cached(s.executionKey(x)); e != nil {
			s.hit(e)
			s.last = said{text: x.handle.text, execution: x.clone()}
			return s.answer(x, e.Wire())
		}
	}
	return s.fillExecution(ctx, x, st, mark)
}

// whyNotKept names the reason for which an answer is not stored; empty if it is. A TIME that meets a date is completed
// with the current date, and which parameter meets what is not known.
func (s *session) whyNotKept(x *execution, st statement.Statement) string {
	switch {
	case !s.keepable(st):
		return s.why(st)
	case x.keySize() > maxCachedText:
		return string(statement.TooLong)
	case !s.keyed(x):
		return "session"
	case x.HasType(wire.TypeTime):
		return string(statement.CurrentDate)
	}
	return ""
}

// executing is the request for an execution.
func (s *session) executing(x *execution, st statement.Statement, flags wire.CursorFlag) request {
	x.once = s.once(x.handle.text, st)
	if len(x.long) > 0 {
		flags = wire.NoCursor // the statement is closed after it
	}
	return request{st: st, said: said{text: x.handle.text, execution: *x}, execution: x, run: func(c *conn, r *response) error {
		if c == x.handle.held {
			return c.executeAs(x.handle.remoteID, x, flags, r)
		}
		return c.execute(x, flags, r)
	}}
}

// fillExecution reads and stores, without a cursor on the server. If the client has asked for one, it gets a cursor over
// what was read, and only what is too large to be stored is asked for again, with a cursor.
func (s *session) fillExecution(ctx context.Context, x *execution, st statement.Statement, mark cache.Mark) error {
	kept := x.clone()
	values := x.literals(s.utf8())
	q := s.executing(&kept, st, wire.NoCursor)
	q.mark = mark
	f := s.newFill(bytes.Clone(s.executionKey(x)), q, func(q *request) reads {
		return s.readsOf(s.depends(q.st, values), q.mark)
	})
	if x.Flags != wire.NoCursor {
		f.deliver = func(result []byte) error { return s.answer(&kept, result) }
		f.tooLarge = func() error { return s.pass(ctx, s.executing(&kept, st, x.Flags)) }
	}
	return f.start(ctx)
}

// statementCommand answers the commands of prepared statements.
func (s *session) statementCommand(ctx context.Context, command wire.Command, args []byte) error {
	switch command {
	case wire.ComStmtPrepare:
		return s.prepare(ctx, args)
	case wire.ComStmtExecute:
		return s.execute(ctx, args)
	case wire.ComStmtSendLongData:
		return s.sendLongData(args)
	case wire.ComStmtClose:
		return s.closeHandle(args)
	case wire.ComStmtFetch:
		return s.fetch(ctx, args)
	}
	return s.resetHandle(args)
}

// resetHandle answers COM_STMT_RESET: values that were sent ahead are forgotten, a cursor is closed.
func (s *session) resetHandle(args []byte) error {
	h := s.handleOf(args)
	if h == nil {
		return s.unknownHandle(args, "mysqld_stmt_reset")
	}
	s.handles.forgetLong(h)
	h.wrongLong = false
	s.closeCursor(h)
	return s.ok()
}
