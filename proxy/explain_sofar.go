package proxy

import (
	"fmt"
	"maps"

	"weir/proxy/explain"
	"weir/proxy/statement"
)

// soFar is what was counted of the statement's digest; nothing if it is among the others, or if texts that cannot be read share
// the digest with it.
func (s *session) soFar(st statement.Statement) explain.SoFar {
	out := explain.SoFar{Refused: map[string]uint64{}, NotCached: map[string]uint64{}}
	if st.Digest == nil || st.Digest.Text == statement.UnreadableText {
		return out
	}
	id := fmt.Sprintf("%016x", st.Digest.ID)
	for _, d := range s.server.digests.All() {
		if d.Digest != id {
			continue
		}
		out.Calls, out.Hits, out.Stores = d.Calls, d.Hits, d.Stores
		maps.Copy(out.Refused, d.Refused)
		maps.Copy(out.NotCached, d.NotCached)
	}
	return out
}
