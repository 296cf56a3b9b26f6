package proxy

import (
	"fmt"
	"sync/atomic"
	"time"

	"weir/proxy/statement"
)

// SessionReport is one client's connection, for those who look.
type SessionReport struct {
	ID         uint32
	User, Host string
	Schema     string
	Connected  time.Time
	// Running is for how long a statement has been under way that is not a hit; 0 if none is.
	Running time.Duration
	// Quiet: it waits for a command outside of a transaction.
	Quiet bool
	// Pinned says why a connection to a server is the session's own, Bypass why nothing is cached for it; empty if it is not so.
	Pinned, Bypass string
	// Staleness is how old an answer from the cache may be.
	Staleness time.Duration
	// Hits are statements that were answered from the cache, Misses all others.
	Hits, Misses uint64
	// Statement is the last one that was not a hit, without its literals, and Digest its number.
	Statement, Digest string
}

// tally is what a session tells of itself. Its goroutine counts without a thought for readers; before it waits for a
// command it publishes. What is under way is not counted yet.
type tally struct {
	born         time.Time
	hits, misses uint64
	view         view

	shownHits, shownMisses atomic.Uint64
	shown                  atomic.Pointer[view]
	said                   atomic.Pointer[statement.Digest] // the last statement that was not a hit
}

// view is what changes seldom.
type view struct {
	schema, pinned, bypass string
	staleness              time.Duration
}

// publish is called for every command, and allocates only if something seldom has changed.
func (s *session) publish() {
	t := &s.tally
	t.shownHits.Store(t.hits)
	t.shownMisses.Store(t.misses)
	v := view{schema: s.state.schema, pinned: s.whyPinned(), bypass: s.bypass, staleness: s.staleness}
	if s.within != "" {
		v.schema = s.within
	}
	if v != t.view || t.shown.Load() == nil {
		t.view = v
		t.show(v)
	}
}

func (t *tally) show(v view) { t.shown.Store(&v) }

// whyPinned names the strongest reason for which a connection stays with the session.
func (s *session) whyPinned() string {
	switch {
	case s.pinned == nil:
		return ""
	case s.pins.locked:
		return "LOCK TABLES"
	case s.pinned.inTransaction() || s.tx != nil:
		return "a transaction"
	case s.pins.stateful:
		return "something was left on it, such as a user variable or a temporary table"
	case s.pins.prepared > 0:
		return "a cursor, or a statement that was prepared under other settings"
	case s.assigned != nil:
		return "settings that have to be looked up"
	case s.pins.oneShot:
		return "settings of the next transaction"
	}
	return "what the last statement has left can still be asked for"
}

// Sessions tells of all clients, by the number of their connection.
func (s *Server) Sessions() []SessionReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]SessionReport, 0, len(s.sessions))
	now := time.Now()
	for sess := range s.sessions {
		out = append(out, sess.report(now))
	}
	return out
}

// report may be called by any goroutine.
func (s *session) report(now time.Time) SessionReport {
	t := &s.tally
	r := SessionReport{
		ID: s.id, Connected: t.born, Quiet: s.quiet.Load(), Hits: t.shownHits.Load(), Misses: t.shownMisses.Load(),
		Host: s.net.RemoteAddr().String(),
	}
	if owner := s.owner.Load(); owner != nil {
		r.User = *owner
	}
	if v := t.shown.Load(); v != nil {
		r.Schema, r.Pinned, r.Bypass, r.Staleness = v.schema, v.pinned, v.bypass, v.staleness
	}
	if said := t.said.Load(); said != nil {
		r.Statement, r.Digest = said.Text, fmt.Sprintf("%016x", said.ID)
	}
	if since := s.running.since.Load(); since != 0 {
		r.Running = max(now.Sub(time.Unix(0, since)), 1)
	}
	return r
}
