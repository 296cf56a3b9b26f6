package proxy

import (
	"context"

	"weir/cache"
	"weir/proxy/statement"
)

// maintain answers FLUSH and RESET of a list that has QUERY CACHE or STATUS in it. What else is in the list a server does, if
// writes go to the source; else it is refused. FLUSH STATUS sets Weir's Qcache counters back, and under writes: source the
// server's counters, too.
func (s *session) maintain(ctx context.Context, q request, m statement.Maintenance) error {
	if refused, err := s.demand(ctx, "RELOAD"); err != nil {
		return s.backendError(err, &response{})
	} else if refused != nil {
		return s.sayError(refused)
	}
	do := func() { s.server.maintain(m) }
	if s.server.cfg.Writes == Reject && m.Others {
		return s.writeError(errReadOnly)
	}
	if s.server.cfg.Writes == Reject || m.Rest == "" {
		do()
		return s.sayOK(nil)
	}
	text := []byte(m.Rest)
	rest := querying(text, text, s.analyze(m.Rest))
	rest.also = do
	return s.passOn(ctx, rest)
}

// maintain does to the cache what a statement asks for. RESET takes everything out of memory. A copy in a second tier is not
// found any more that is as of before, see [Server.wiped].
func (s *Server) maintain(m statement.Maintenance) {
	switch {
	case m.QueryCache && m.Reset:
		s.wipe()
	case m.QueryCache:
		s.cache.Tidy()
	}
	if m.Status {
		s.settings.FlushStatus()
	}
}

// wipe empties tier 1. The mark comes first: what is promoted meanwhile is as of before, or it goes with the rest.
func (s *Server) wipe() {
	mark := s.cache.Ledger().Mark()
	s.wipedAt.Store(&mark)
	s.cache.Clear()
}

// wiped reports whether a copy from the second tier is as of before the last RESET QUERY CACHE here. Other Weirs go on using
// it, and this one too once a change or a read of its own has made a later copy.
func (s *Server) wiped(found cache.Mark) bool {
	at := s.wipedAt.Load()
	return at != nil && at.Epoch == found.Epoch && found.Seq <= at.Seq
}
