package proxy

import (
	"time"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// Digests returns what is counted by statement.
func (s *Server) Digests() *digest.Table { return s.digests }

// label says where a statement is counted.
func (s *session) label(st statement.Statement) digest.Label {
	d := st.Digest
	if d == nil {
		return digest.Others
	}
	return s.server.digests.Of(digest.Named{ID: d.ID, Schema: d.Schema, Text: d.Text, Tables: st.Tables})
}

// notCacheable counts a statement that is sent on without a look at storing its result. What a session without a client does
// is not counted.
func (s *session) notCacheable(st statement.Statement, why string) {
	s.server.metrics.notCacheable(why)
	if st.Kind == statement.Read && st.Reason != statement.NotSelect && s.caching() {
		s.server.settings.CountNotCached()
	}
	if s.absence == nil {
		s.server.digests.NotCached(s.label(st), why)
	}
}

// answered counts the time that a server took for a client's statement.
func (s *session) answered(q request, took time.Duration) {
	if s.absence == nil && q.st.Digest != nil && q.said.known() {
		s.server.digests.Answered(s.label(q.st), took)
	}
}

// counted reports whether the fill is of a client's statement: that it was prepared is not counted.
func (f *fill) counted() bool { return f.session.absence == nil && f.kind == wire.KindResultSet }

// missed counts a miss.
func (f *fill) missed() {
	f.session.counters.misses.Add(1)
	f.countMiss()
}

func (f *fill) countMiss() {
	if !f.counted() {
		return
	}
	s := f.session.server
	if s.digests.Miss(f.label); s.cfg.ShowLiterals {
		s.digests.Example(f.label, string(f.request.said.text))
	}
}

func (f *fill) countJoined() {
	if f.counted() {
		f.session.server.digests.Joined(f.label)
	}
}

// stored notes that a result is stored, or would be.
func (f *fill) stored(size int) {
	s := f.session
	if !f.ghost {
		s.server.recipes.put(s)
	}
	switch {
	case !f.counted():
	case f.ghost:
		s.server.digests.WouldStore(f.label, size)
	default:
		s.server.digests.Stored(f.label, size)
	}
}

// notStored notes why a result is not stored, if it is not. Servers count one that is too large as not cached.
func (f *fill) notStored(why cache.Refusal) {
	f.session.unstored(why)
	if why == cache.RefusedTooLarge && f.counted() {
		f.session.server.settings.CountNotCached()
	}
	if why != cache.Stored && f.counted() {
		f.session.server.digests.Refused(f.label, string(why))
	}
}
