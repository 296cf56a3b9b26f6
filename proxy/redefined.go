package proxy

import (
	"context"
	"slices"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
)

// sureOfTables waits for the catalogue, for a short time, with a read of a table that is not known because its definition
// is just being read again, and then takes mark and analysis anew. Until then what is read could be neither stored nor
// shared, and everybody who read the table before it was changed would go to a server alone. It is for proxies with a
// gate; others let such reads go on, as they are, and so does everybody while nothing could be kept anyway, because the stream
// is not current: after a start, or while it is broken, no definition may be known for long. waited says that somebody may
// have stored the answer meanwhile.
//
// A definition may come between two looks, and the read must not go on as if there were none:
//
//  1. The statement is analysed: the table is just being read again, and not known.
//  2. It has been read.
//  3. Nothing is being read again, and there is nothing to wait for.
//
// So the analysis is taken anew whether there was something to wait for or not.
func (s *session) sureOfTables(ctx context.Context, what said, st statement.Statement, mark cache.Mark) (_ statement.Statement, _ cache.Mark, waited bool) {
	if s.server.gate == nil || st.Kind != statement.Read || st.Reason != statement.UnknownTable || !s.server.upToDate() {
		return st, mark, false
	}
	over := time.After(definitionsWait)
	for s.changing(st.Tables) {
		select {
		case <-time.After(pollPause):
		case <-over:
			return st, mark, false
		case <-ctx.Done():
			return st, mark, false
		}
	}
	mark = s.server.cache.Ledger().Mark()
	return s.analyzeSaid(what), mark, true
}

// upToDate reports whether anything may be kept, or served from the cache.
func (s *Server) upToDate() bool {
	ledger := s.cache.Ledger()
	return ledger.Current(ledger.Now(), s.cfg.MaxStaleness)
}

// changingCatalog is what a catalogue offers that knows of a name whether it is just being read again.
type changingCatalog interface{ Changing(n dep.Name) bool }

// changing reports whether one of the names is just being read again.
func (s *session) changing(names []dep.Name) bool {
	snapshot, _ := s.server.schema.Snapshot()
	catalog, ok := snapshot.(changingCatalog)
	return ok && slices.ContainsFunc(names, catalog.Changing)
}
