package proxy

import (
	"context"
	"time"

	"weir/cache"
	"weir/proxy/statement"
)

// sureOfTables waits for the catalogue, for a short time, with a read of a table that is not known because its definition
// is just being read again, and then takes mark and analysis anew. Until then what is read could be neither stored nor
// shared, and everybody who read the table before it was changed would go to a server alone. It is for proxies with a
// gate; others let such reads go on, as they are. waited says that somebody may have stored the answer meanwhile.
func (s *session) sureOfTables(ctx context.Context, what said, st statement.Statement, mark cache.Mark) (_ statement.Statement, _ cache.Mark, waited bool) {
	if s.server.gate == nil || st.Kind != statement.Read || st.Reason != statement.UnknownTable || s.catalogSettled() {
		return st, mark, false
	}
	over := time.After(definitionsWait)
	for !s.catalogSettled() {
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

// catalogSettled reports whether no definitions are being read again.
func (s *session) catalogSettled() bool {
	catalog, _ := s.server.schema.Snapshot()
	settled, ok := catalog.(settledCatalog)
	return !ok || settled.Settled()
}
