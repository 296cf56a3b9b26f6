package proxy

import (
	"bytes"
	"context"
	"time"

	"weir/cache"
	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// query answers COM_QUERY. The first lines are the hot path: see the package comment for what they must not do.
func (s *session) query(ctx context.Context, text []byte) error {
	if s.mayHit() && len(text) <= maxCachedText {
		key := s.makeKey(text)
		if e := s.cached(key); e != nil {
			s.hit(e)
			s.last, s.turn = said{text: key[len(s.prefix):]}, 1-s.turn
			if err := s.write(e.Wire()); err != nil || s.pinned == nil {
				return err
			}
			return s.giveBack(ctx)
		}
	}
	if s.tx != nil && len(text) <= maxCachedText {
		key := s.makeKey(text)
		if e := s.inside(key); e != nil {
			s.last, s.turn = said{text: key[len(s.prefix):]}, 1-s.turn
			return s.writeInside(e)
		}
	}
	return s.miss(ctx, text)
}

// mayHit reports whether the session's reads may be answered from the cache at all.
func (s *session) mayHit() bool { return s.caching() && s.plainlyRead() }

// plainlyRead reports whether what the session reads is what everybody with its key would.
func (s *session) plainlyRead() bool {
	return s.bypass == "" && s.assigned == nil && s.doubts == nil && !s.unsafe && s.staleness > 0 &&
		(s.pinned == nil || !s.pins.oneShot && !s.pins.locked && !s.pinned.inTransaction())
}

// bound is how old an answer may be: max_staleness, the session's or the statement's own, or the time since the session's
// own last write.
func (s *session) bound() time.Duration {
	bound := s.staleness
	if s.directed != 0 {
		bound = min(bound, s.directed)
	}
	if s.fence != 0 {
		bound = min(bound, s.server.cache.Ledger().Now()-s.fence)
	}
	return bound
}

// miss analyses the statement and sends it where it belongs. The mark comes before the analysis: see the package
// comment.
func (s *session) miss(ctx context.Context, text []byte) error {
	if s.assigned != nil && !mayAskBack(text) {
		if err := s.settle(ctx); err != nil {
			return s.backendError(err, &response{})
		}
		return s.query(ctx, text)
	}
	if s.doubts != nil && s.clearDoubts() {
		return s.query(ctx, text)
	}
	if answered, err := s.readWeir(text); answered {
		return err
	}
	if answered, err := s.explainCache(ctx, text); answered {
		return err
	}
	if read, refused := s.substituted(text); refused != nil {
		return s.sayError(refused)
	} else if read != nil {
		return s.miss(ctx, read)
	}
	s.tally.misses++
	if s.mayBeVirtual(text) {
		if answered, err := s.queryVirtual(ctx, text); answered {
			return err
		}
	}
	mark := s.server.cache.Ledger().Mark()
	ctx, end := s.running.begin(ctx)
	defer end()
	st, mark, waited := s.sureOfTables(ctx, said{text: text}, s.analyze(string(text)), mark)
	s.tally.said.Store(st.Digest)
	if e := refuseWeirNames(st); e != nil {
		return s.writeError(e)
	}
	if done, err := s.surface(ctx, querying(text, text, st)); done {
		return err
	}
	if refusal := s.refuse(st); refusal != nil && !s.onlyAccessMode(st) {
		return s.refused(ctx, text, st, refusal)
	}
	st = s.sureOfTriggers(ctx, s.state.schema, text, st)
	if st.Kind == statement.Execute {
		return s.executeNamed(ctx, text, st, mark)
	}
	if done, err := s.own(ctx, querying(text, text, st)); done {
		return err
	}
	if !s.keepable(st) {
		s.notCacheable(st, s.why(st))
		q := querying(text, s.sendable(text, st), st)
		q.mark = mark
		return s.pass(ctx, q)
	}
	if waited {
		return s.readThrough(ctx, bytes.Clone(text), st, mark)
	}
	return s.fillText(ctx, bytes.Clone(text), st, mark)
}

// fillText answers a cacheable text, which it keeps.
func (s *session) fillText(ctx context.Context, text []byte, st statement.Statement, mark cache.Mark) error {
	q := querying(text, s.sendable(text, st), st)
	q.mark = mark
	return s.newFill(bytes.Clone(s.makeKey(text)), q, func(q *request) reads {
		return s.readsOf(s.depends(q.st, nil), q.mark)
	}).start(ctx)
}

// own answers what is Weir's own affair, and reports whether the statement is that. Before any other it gives the session's
// connection back, if that was kept only for what could have been asked about the statement before.
func (s *session) own(ctx context.Context, q request) (done bool, err error) {
	switch q.st.Kind {
	case statement.Use:
		return true, s.use(ctx, q.st.Name)
	case statement.SetSession:
		return true, s.set(ctx, q)
	case statement.Begin:
		return true, s.beginTransaction(ctx, q)
	case statement.Kill:
		return true, s.killStatement(ctx, q.st)
	}
	if column, ok := s.asksForID(q); ok {
		return true, s.connectionID(column, q.said)
	}
	if err := s.moveOn(ctx, q.said.text, q.st); err != nil {
		return true, s.backendError(err, &response{})
	}
	return false, nil
}

// sendable takes SQL_CACHE out before a server that no longer knows the word: MySQL, since 8.0.
func (s *session) sendable(text []byte, st statement.Statement) []byte {
	if !st.SQLCache || s.server.facts.Flavor != statement.MySQL || s.server.version < 800 {
		return text
	}
	return []byte(s.server.analyses.StripSQLCache(string(text), s.env()))
}

// keepable reports whether the answer may be stored, and served to others; or whether that is to be noted.
func (s *session) keepable(st statement.Statement) bool {
	return st.Cacheable && (s.caching() || s.observing()) && s.plainlyRead() && s.entitled() && (s.variables.Type != querycache.Demand || st.SQLCache)
}

// why names the reason for the counter of what could not be cached.
func (s *session) why(st statement.Statement) string {
	switch {
	case !st.Cacheable:
		return string(st.Reason)
	case !s.caching() && !s.observing():
		return "query_cache_off"
	case s.bypass != "", s.assigned != nil, s.doubts != nil, s.unsafe:
		return "session"
	case s.staleness <= 0:
		return string(statement.Directive)
	case s.pinned != nil && (s.pins.oneShot || s.pinned.inTransaction()):
		return "transaction"
	case !s.entitled():
		return "account"
	}
	return "query_cache_demand"
}

func (s *session) analyze(text string) statement.Statement {
	return s.server.analyses.Analyze(text, s.env())
}

// analyzeIn is analyze for a text that was said in another default database.
func (s *session) analyzeIn(schema, text string) statement.Statement {
	env := s.env()
	env.Schema = schema
	return s.server.analyses.Analyze(text, env)
}

// env is what the meaning of the session's texts depends on, now.
func (s *session) env() statement.Env {
	snapshot, version := s.server.schema.Snapshot()
	return statement.Env{
		Schema: s.state.schema, SQLMode: s.state.settings.sqlMode(s.defaults.sqlMode), Charset: s.charset(), UTF8: s.utf8(),
		Flavor: s.server.facts.Flavor, Version: s.server.version, Catalog: snapshot, CatalogVersion: version,
	}
}

// refuse returns the error for what Weir does not do, under writes: reject.
func (s *session) refuse(st statement.Statement) *wire.Error {
	if hasKill(st.Parts) {
		return errKillInside
	}
	if s.server.cfg.Writes == ToSource {
		return nil
	}
	switch {
	case st.Kind == statement.Write, st.Kind == statement.Unknown:
		return errReadOnly
	case st.Kind == statement.Begin && st.Transaction.Access == statement.ReadWrite:
		return errReadOnly
	case makesWritable(st):
		return errReadOnly
	case st.Kind == statement.Prepare && len(st.Parts) == 0: // from a variable: it may be anything
		return errReadOnly
	}
	for _, part := range st.Parts {
		if e := s.refuse(part); e != nil {
			return e
		}
	}
	return nil
}

var errReadOnly = wire.Errorf(wire.CodeReadOnlyServer, "The MySQL server is running with the --read-only option so it cannot execute this statement")
