package proxy

import (
	"context"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// followLocks notes whether the session holds locks on tables, for all that is known: from LOCK TABLES to UNLOCK TABLES
// or BEGIN. Meanwhile nothing of the session's is answered from the cache or read beside its connection:
//
//  1. The client locks a table for writing, on the connection that is pinned for it.
//  2. It reads the table, and the read could be kept, so it is sent on another connection.
//  3. There it waits for the lock, which the client cannot give up before it has its answer.
//
// And a read of a table that is not locked is an error then, which the cache does not know.
func (s *session) followLocks(text []byte, st statement.Statement, r *response) {
	if st.Kind == statement.Read {
		return
	}
	words := statement.Words(string(text), s.env(), 2)
	tables := len(words) == 2 && strings.HasPrefix(words[1], "TABLE")
	switch {
	case tables && words[0] == "UNLOCK" && r.kind == wire.KindOK, st.Kind == statement.Begin && r.kind == wire.KindOK:
		s.pins.locked = false
	case tables && words[0] == "LOCK", (st.Kind == statement.Multi || len(words) > 0 && words[0] == "BEGIN") && s.mentionsLock(text):
		s.pins.locked = true
		s.endLocked(text, r)
	}
}

// endLocked is query_cache_wlock_invalidate: what is cached of tables that the session has locked for writing goes before the
// client hears of its lock. Others ask a server then, which lets them wait: nothing is stored of the table until it is
// unlocked, but for what was read before the lock and is stored after. The variable is that of the session that locks, as on
// servers.
func (s *session) endLocked(text []byte, r *response) {
	if !s.variables.WlockInvalidate || r.kind != wire.KindOK {
		return
	}
	for _, n := range statement.LockedForWrite(string(text), s.env()) {
		s.server.cache.End(context.Background(), n.Anchor())
	}
}

func (s *session) mentionsLock(text []byte) bool {
	return statement.Mentions(string(text), s.env(), "LOCK")
}
