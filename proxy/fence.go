package proxy

import (
	"context"
	"fmt"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// owed is what a session's reads must contain, beside what every client's must.
//
// Its own last write, under writes: source. A replica may lack it, and so may the ledger:
//
//  1. The session writes, on the source. The moment of the answer is the fence.
//  2. Until the ledger is complete as of the fence, nobody knows the write's tags: hits are refused (see
//     [session.bound]) and misses go to the source.
//  3. From then on a hit contains the write, because the rule says so. A miss may come to a replica that has not applied
//     the write yet. So the ledger's mark is taken, which contains it, and a miss goes only to a backend that is known to
//     contain that mark, or else to the source.
//
// Servers could tell what a write was called: MySQL in the OK packet (session_track_gtids), MariaDB in @@last_gtid. The
// fence is as exact and does with less. The OK packet has it only for clients that have CLIENT_SESSION_TRACK, and only
// while session_track_gtids is set, which is the client's to decide; @@last_gtid would cost each write a round trip, and
// does not name what a procedure, or an earlier statement of a text, committed. Either way the ledger must be waited for
// before there are hits, and asking the probe at once makes that a few milliseconds.
//
// And what the client asked for with weir_wait_for. The ledger has that already, so it matters for misses alone.
type owed struct {
	own   cache.Mark    // contains the last write
	fence time.Duration // the write that own is of
	asked cache.Mark    // weir_wait_for; zero if there is none
}

// wrote notes that the session may have made a change visible. Only its own connection can tell whether it is still in
// a transaction, where there are no hits to be had soon.
func (s *session) wrote(c *conn) {
	if s.server.cfg.Writes != ToSource {
		return
	}
	s.fence = s.server.cache.Ledger().Now()
	if !c.inTransaction() {
		s.server.hurry()
	}
}

// fenced reports whether the ledger is not yet complete as of the session's last write. Once it is, own contains the
// write, in the present epoch.
func (s *session) fenced() bool {
	if s.fence == 0 {
		return false
	}
	ledger := s.server.cache.Ledger()
	if s.owed.fence == s.fence && s.owed.own.Epoch == ledger.Epoch() {
		return false
	}
	own, ok := ledger.MarkAsOf(s.fence)
	if !ok {
		return true
	}
	s.owed.own, s.owed.fence = own, s.fence
	return false
}

// routeOf says where a statement has to run.
func (s *session) routeOf(st statement.Statement) route {
	switch {
	case s.absence != nil:
		return s.refillRoute(st)
	case s.wantsSource(st):
		return route{source: true}
	case !readsTables(st):
		return route{}
	case s.server.cfg.Routing == Fresh:
		return s.freshRoute(st)
	case s.fence != 0:
		return s.routeTo(st, s.owed.own, route{why: "own_write"})
	}
	return s.askedRoute(st)
}

// readsTables reports whether a statement may read a table, or opens a transaction whose reads will be on the same
// connection.
func readsTables(st statement.Statement) bool {
	switch st.Kind {
	case statement.Read:
		return st.Reason != statement.NoTable
	case statement.Multi, statement.Execute, statement.Begin:
		return true
	}
	return false
}

func (s *session) askedRoute(st statement.Statement) route {
	if s.owed.asked.Epoch == 0 {
		return route{}
	}
	return s.routeTo(st, cache.Mark{Epoch: s.owed.asked.Epoch}, route{why: "wait_for", wait: s.server.cfg.FreshWait})
}

// freshRoute: while the ledger is not current nobody knows which tables have changed.
func (s *session) freshRoute(st statement.Statement) route {
	ledger := s.server.cache.Ledger()
	r := route{why: "fresh", wait: s.server.cfg.FreshWait}
	if r.has = ledger.Mark(); st.Cacheable {
		r.has = ledger.Need(wholeTags(st))
	}
	if r.has.Seq == 0 || !s.server.upToDate() {
		s.server.metrics.toSource.WithLabelValues(r.why).Inc()
		return route{source: true}
	}
	return r
}

// wholeTags are touched by every change that may matter to a statement whose tables are known.
func wholeTags(st statement.Statement) []cache.Tag {
	tags, _ := dep.TagsOf(st.Whole())
	return tags
}

// routeTo wants a server that has the mark and what weir_wait_for asked for. Of a statement whose tables are known it
// is enough that the server has every change to those, as far as they are recorded: both marks are.
func (s *session) routeTo(st statement.Statement, own cache.Mark, r route) route {
	ledger := s.server.cache.Ledger()
	if s.owed.asked.Epoch != 0 && s.owed.asked.Epoch != ledger.Epoch() {
		s.owed.asked = ledger.Need(nil) // what was there when the epoch began has what was recorded before
	}
	r.has = cache.Mark{Epoch: own.Epoch, Seq: max(own.Seq, s.owed.asked.Seq)}
	if st.Cacheable {
		need := ledger.Need(wholeTags(st))
		r.has.Seq = min(r.has.Seq, need.Seq)
	}
	if r.has.Epoch != ledger.Epoch() || r.has.Seq == 0 { // an epoch has just begun
		return route{source: true}
	}
	return r
}

// stays reports whether the session's own connection will do. If not, there is at most a warning on it.
func (s *session) stays(ctx context.Context, r route) bool {
	b := s.pinned.backend
	switch {
	case r.back:
		return true
	case b == s.server.source() || s.tiedTo(s.pinned): // of a source that another has followed, too: nobody else has it
		return true
	case r.source:
		return false
	case !b.up() || b.lagging.Load() || b == r.avoid || !b.mayRead(s.server.source()):
		return false
	}
	return r.has.Seq == 0 || s.pinned.covers(ctx, r.has)
}

// looksBack reports whether a statement asks for nothing but what the one before it has left on the connection, such as
// SHOW WARNINGS, wherever that is. Where writes go to the source, one that may leave something of its own does not count:
// later statements would not find it there.
func (s *session) looksBack(q request) bool {
	if s.pinned == nil || !asksBack(q.said.text, q.st) {
		return false
	}
	return s.server.cfg.Writes == Reject || q.st.Reason == statement.NotSelect
}

// promised: a session that is bound to its connection cannot go where the position is that it has waited for. It waits
// a little for the position to come, and is told if it does not. A transaction is as of its beginning in any case.
func (s *session) promised(ctx context.Context, r route) error {
	if r.why != "wait_for" || s.pinned.status.Has(wire.StatusInTrans) || s.pinned.backend == s.server.source() {
		return nil
	}
	for deadline := time.Now().Add(r.wait); !s.pinned.covers(ctx, r.has); {
		if !time.Now().Before(deadline) {
			return wire.Errorf(wire.CodeUnknown, "Weir: %s, to which this connection is bound by what it has left there, has not applied weir_wait_for yet; ask again, or reset the connection", s.pinned.backend.addr)
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return fmt.Errorf("wait for weir_wait_for: %w", context.Cause(ctx))
		}
	}
	return nil
}
