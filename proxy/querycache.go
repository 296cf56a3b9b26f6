package proxy

import (
	"weir/cache"
	"weir/proxy/querycache"
	"weir/proxy/statement"
)

// newQueryCache makes the query cache's variables of the configuration.
func newQueryCache(s *Server) *querycache.Settings {
	typ, _ := querycache.TypeOf(string(s.cfg.CacheType)) // Validate has seen to it
	initial := querycache.Initial{
		Type: typ, Size: s.cache.Stats().Budget, Limit: s.cache.Limit(), MariaDB: s.facts.Flavor == statement.MariaDB,
	}
	return querycache.New(initial, s.cache, s.queryCacheTally)
}

// QueryCache returns the query cache's global variables.
func (s *Server) QueryCache() *querycache.Settings { return s.settings }

func (s *Server) queryCacheTally() querycache.Tally {
	st := s.cache.Stats()
	if !s.settings.Observing() { // ghosts can only be counted all together
		st.Entries = s.servable()
	}
	return querycache.Tally{
		Hits: s.digests.Hits(), Inserts: st.Inserts, Evictions: st.Evictions,
		Entries: st.Entries, Tables: st.Tables, Free: st.Free,
	}
}

// caching reports whether the session's reads may be answered from the cache, for all that the query cache's variables say.
// It is on the hot path.
func (s *session) caching() bool { return s.variables.Type.Keeps() && s.server.settings.Serving() }

// servable counts the results that a change has not ended. Servers give a result back when it ends, and Weir later, at leisure:
// it is not served from that moment on, and so is not counted. It looks at all of them, and is for SHOW.
func (s *Server) servable() (n int64) {
	s.cache.EachInspected(func(_ []byte, i cache.Inspection) {
		if i.Servable || i.Why == cache.WhyNotCurrent {
			n++
		}
	})
	return n
}
