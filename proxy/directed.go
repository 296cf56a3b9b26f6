package proxy

import (
	"context"

	"weir/cache"
	"weir/proxy/statement"
)

// directedMark is set in the first byte of keys of texts with a directive. Those who look up a plain key have not read
// the text and know of no directive: such an entry must not be there for them. The texts are looked up here, after the
// remembered analysis has told the directive.
const directedMark = 0x80

// directedKey turns a key into the one of a text with a directive.
func directedKey(key []byte) []byte {
	key[0] |= directedMark
	return key
}

// directedFill answers a cacheable statement with a directive: from the cache, under the statement's own bound, or by a
// fill under that bound.
func (s *session) directedFill(ctx context.Context, text, sent []byte, st statement.Statement, mark cache.Mark) error {
	s.directed = st.Directives.MaxStaleness
	defer func() { s.directed = 0 }()
	key := directedKey(s.makeKey(text))
	if len(text) <= maxCachedText {
		if e := s.server.cache.Get(key, s.bound()); e != nil {
			s.counters.hits.Add(1)
			s.last = append([]byte(nil), text...)
			return s.write(e.Wire())
		}
	}
	return s.fill(ctx, text, sent, st, mark, key)
}
