package proxy

import (
	"context"

	"weir/cache"
)

// # OBSERVE
//
// Under query_cache_type: OBSERVE every answer comes from a server, and Weir notes what would have come from the cache. A
// cacheable read goes the way of a fill, with a ghost in place of the result, see [cache.NewGhost]: the same key, tags, proof
// of what the server had applied, admission and eviction, so that hits, churn and memory are those of the real thing.
//
// Three things differ, all for the sake of the rule that it changes no answer. Nobody joins a read under way: who would have
// is noted as a miss, and what comes second is stored in place of what came first. The second tier is not asked. And
// transactions run on the server, also under cache.transactions: snapshot.
//
// The setting may change while a read is under way:
//
//  1. A read begins under ON. Its fill is to store a result.
//  2. The setting becomes OBSERVE.
//  3. The result is stored.
//  4. The next one asks for the same, and finds it.
//
// So whoever looks something up for a client asks for the setting first, see [session.cached], and whatever is stored then
// lies there. The other way round a ghost is stored under ON, which nobody finds.

// observing reports whether nothing is to come from the cache, and what would is to be noted.
func (s *Server) observing() bool { return s.observes }

// observe answers a cacheable read from a server, and notes what the cache would have done.
func (f *fill) observe(ctx context.Context) error {
	s := f.session
	if s.absence != nil {
		return s.absence.passed()
	}
	if d := f.request.st.Directives; d.Given {
		s.directed = d.MaxStaleness
		defer func() { s.directed = 0 }()
		f.key[0] |= directedMark
	}
	s.server.observed.reads.Add(1)
	if s.server.cache.WouldHit(f.key, s.bound()) != nil && s.entitled() {
		f.missed()
		s.server.observed.hits.Add(1)
		s.server.digests.WouldHit(f.label)
		return s.pass(ctx, f.request)
	}
	if why := f.hopeless(); why != cache.Stored {
		return f.unkept(ctx, why)
	}
	f.ghost = true
	return f.fetch(ctx, nil, func(*cache.Entry) {})
}
