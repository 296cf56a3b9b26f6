package proxy

import (
	"bytes"
	"context"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// query answers COM_QUERY. The first lines are the hot path: see the package comment for what they must not do.
func (s *session) query(ctx context.Context, text []byte) error {
	if s.mayHit() && len(text) <= maxCachedText {
		key := s.makeKey(text)
		if e := s.server.cache.Get(key, s.bound()); e != nil {
			s.counters.hits.Add(1)
			s.last, s.turn = key[len(s.prefix):], 1-s.turn
			if err := s.write(e.Wire()); err != nil || s.pinned == nil {
				return err
			}
			return s.giveBack(ctx)
		}
	}
	return s.miss(ctx, text)
}

// mayHit reports whether the session's reads may be answered from the cache at all.
func (s *session) mayHit() bool {
	return s.bypass == "" && s.server.caching && (s.pinned == nil || !s.pinned.inTransaction())
}

// bound is how old an answer may be: max_staleness, or the time since the session's own last write.
func (s *session) bound() time.Duration {
	bound := s.server.cfg.MaxStaleness
	if s.fence != 0 {
		bound = min(bound, s.server.cache.Ledger().Now()-s.fence)
	}
	return bound
}

// miss analyses the statement and sends it where it belongs. The mark comes before the analysis: see the package
// comment.
func (s *session) miss(ctx context.Context, text []byte) error {
	mark := s.server.cache.Ledger().Mark()
	ctx, end := s.running.begin(ctx)
	defer end()
	st := s.analyze(string(text))
	if refusal := s.refuse(st); refusal != nil && !s.onlyAccessMode(st) {
		s.counters.refused.Add(1)
		return s.writeError(refusal)
	}
	switch st.Kind {
	case statement.Use:
		return s.use(ctx, st.Name)
	case statement.SetSession:
		return s.set(ctx, text, st)
	case statement.Kill:
		return s.killStatement(ctx, st)
	}
	if column, ok := s.asksForID(text, st); ok {
		return s.connectionID(column, text)
	}
	if err := s.settle(ctx, text, st); err != nil {
		return s.backendError(err, &response{})
	}
	sent := s.sendable(text, st)
	if s.keepable(st) {
		return s.fill(ctx, text, sent, st, mark)
	}
	s.server.metrics.notCacheable(s.why(st))
	return s.forward(ctx, wire.ComQuery, sent, text, st)
}

// sendable takes SQL_CACHE out before a server that no longer knows the word: MySQL, since 8.0.
func (s *session) sendable(text []byte, st statement.Statement) []byte {
	if !st.SQLCache || s.server.facts.Flavor != statement.MySQL || s.server.version < 800 {
		return text
	}
	return []byte(s.server.analyses.StripSQLCache(string(text), s.env()))
}

// keepable reports whether the answer may be stored, and served to others.
func (s *session) keepable(st statement.Statement) bool {
	return st.Cacheable && s.mayHit() && (s.server.cfg.CacheType != Demand || st.SQLCache)
}

// why names the reason for the counter of what could not be cached.
func (s *session) why(st statement.Statement) string {
	switch {
	case !st.Cacheable:
		return string(st.Reason)
	case !s.server.caching:
		return "query_cache_off"
	case s.bypass != "":
		return "session"
	case s.pinned != nil && s.pinned.inTransaction():
		return "transaction"
	}
	return "query_cache_demand"
}

func (s *session) analyze(text string) statement.Statement {
	return s.server.analyses.Analyze(text, s.env())
}

// env is what the meaning of the session's texts depends on, now.
func (s *session) env() statement.Env {
	snapshot, version := s.server.schema.Snapshot()
	return statement.Env{
		Schema: s.state.schema, SQLMode: s.state.settings.sqlMode(s.defaults.sqlMode), Charset: s.charset(),
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

// fill reads from a backend and stores the answer, or joins somebody who is just doing so.
func (s *session) fill(ctx context.Context, text, sent []byte, st statement.Statement, mark cache.Mark) error {
	ledger := s.server.cache.Ledger()
	if !ledger.Current(ledger.Now(), s.bound()) {
		s.server.cache.Refuse(cache.RefusedNoStream)
		return s.forward(ctx, wire.ComQuery, sent, text, st)
	}
	f := &fill{session: s, text: bytes.Clone(sent), st: st, mark: mark, key: bytes.Clone(s.makeKey(text)), tags: dep.Tags(st.Tables)}
	if f.need = ledger.Need(f.tags); f.need.Epoch != mark.Epoch { // the stream has just started anew
		s.server.cache.Refuse(cache.RefusedUnproved)
		return s.forward(ctx, wire.ComQuery, sent, text, st)
	}
	flight, lead := s.server.cache.Join(f.key, f.need)
	if lead {
		return f.lead(ctx, flight)
	}
	e, err := flight.Wait(ctx, f.need)
	if err != nil {
		return s.backendError(err, &response{})
	}
	if e == nil && flight.Abandoned() {
		return s.fill(ctx, text, sent, st, mark)
	}
	if e == nil {
		s.counters.misses.Add(1)
		return s.forward(ctx, wire.ComQuery, sent, text, st)
	}
	s.server.cache.Joined()
	s.counters.joined.Add(1)
	s.last = f.text
	return s.writeSlowly(e.Wire())
}
