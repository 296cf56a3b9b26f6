package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// Transactions is cache.transactions: who answers reads inside a transaction.
type Transactions string

// The settings of cache.transactions.
const (
	// Bypass lets the server answer all of them.
	Bypass Transactions = "bypass"
	// Snapshot lets the cache answer those of a read-only transaction that would read the same on the server.
	Snapshot Transactions = "snapshot"
)

// transaction is a read-only transaction of which some reads may be answered from the cache, under cache.transactions:
// snapshot. It always has a connection of its own, the pinned one, on which it can be carried on at any time: a read that
// the cache cannot answer goes there, and nothing that was answered before can turn out to be of another moment.
//
//  1. BEGIN takes a connection and answers the client; nothing is sent yet. Like the server it fixes no moment.
//  2. The first SELECT of a table fixes it. The sampler says what the connection's server has applied: s.Holds.
//  3. START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT goes to the connection in place of the client's BEGIN. The
//     moment after that is s.Opened. Then the SELECT runs there.
//  4. From now on a SELECT of tables that the transaction has read before is a hit, if its entry is what the transaction
//     would read: see [cache.Ledger.FreshAt].
//  5. Whatever else is not a read ends the hits, not the transaction.
//
// The snapshot is never fixed before the client's first read, which would show a client less than it has been told is
// committed. A statement of which it is not known whether the server fixes the moment for it, such as a SELECT of a
// MyISAM table, or SHOW, goes to the connection behind the BEGIN that the client sent, and there are no hits.
//
// Under READ COMMITTED each statement has a moment of its own, and a transaction that cannot write reads what everybody
// reads: an ordinary hit is right. Under SERIALIZABLE a SELECT locks what it reads, so there are none.
type transaction struct {
	stage stage
	// begin is what begins it on the server.
	begin []byte
	// each: every statement has a snapshot of its own.
	each     bool
	snapshot cache.Snapshot // if fixed
}

type stage uint8

const (
	pending stage = iota // the client's BEGIN is answered, and not sent
	begun                // it is sent, and nothing since that may have fixed the snapshot
	fixed                // the snapshot is fixed and known
)

const startSnapshot = "START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT"

// readOnlyFlags are those of answers inside a read-only transaction.
const readOnlyFlags = wire.StatusInTrans | wire.StatusInTransReadonly

// beginTransaction answers BEGIN and START TRANSACTION. It does not put off what the server does for BEGIN beyond
// beginning: commit the transaction before, and unlock tables.
func (s *session) beginTransaction(ctx context.Context, q request) error {
	if !s.mayFollow(q.st) {
		s.server.metrics.notCacheable(s.why(q.st))
		return s.pass(ctx, q)
	}
	if q.st.Transaction.Snapshot {
		return s.beginFixed(ctx, q)
	}
	c, err := s.acquireFor(ctx, s.routeOf(q.st))
	if err != nil {
		return s.backendError(err, &response{})
	}
	level := s.isolation(c)
	if s.pins.stateful || s.pins.locked || c.inTransaction() || level == otherLevel {
		s.release(c)
		return s.pass(ctx, q)
	}
	s.tx = &transaction{begin: bytes.Clone(q.said.text), each: level == readCommitted}
	s.pinned, s.last = c, said{}
	c.status |= readOnlyFlags
	return s.ok()
}

// mayFollow reports whether the transaction that a statement begins is read only, and not one to keep out of.
func (s *session) mayFollow(st statement.Statement) bool {
	access := st.Transaction.Access
	return s.server.cfg.Transactions == Snapshot && s.caching() && s.bypass == "" && !s.pins.oneShot &&
		(access == statement.ReadOnly || access == statement.DefaultAccess && s.server.cfg.Writes == Reject)
}

// beginFixed is START TRANSACTION WITH CONSISTENT SNAPSHOT: the client wants the moment fixed now.
func (s *session) beginFixed(ctx context.Context, q request) error {
	var holds cache.Mark
	r := response{hold: maxOwn}
	q.before = func(c *conn) { holds, _ = s.applied(ctx, c, s.server.cache.Ledger().Mark()) }
	c, err := s.ask(ctx, q, &r)
	if err != nil {
		return s.backendError(err, &r)
	}
	s.done(c, q.said, q.st, &r)
	if s.tx != nil && !s.tx.each {
		s.fixed(c, holds)
	}
	return s.writeSlowly(r.buf)
}

// fixed notes that the snapshot has been fixed on the connection, after its server was known to have applied holds.
func (s *session) fixed(c *conn, holds cache.Mark) {
	s.tx.stage = fixed
	s.tx.snapshot = cache.Snapshot{Holds: holds, Opened: s.server.cache.Ledger().Now(), Read: map[cache.Tag]time.Duration{}}
	s.adopt(c.defaults) // the keys are to be of what the transaction reads with
}

// sendBegin sends the BEGIN that the client has been answered, before anything else goes to the connection. That it
// fails now ends the session: the client relies on the transaction.
func (s *session) sendBegin(ctx context.Context) error {
	if s.tx == nil || s.tx.stage != pending {
		return nil
	}
	r := response{hold: maxOwn}
	err := s.run1(ctx, s.pinned, request{run: command(wire.ComQuery, s.tx.begin)}, &r)
	if err == nil {
		err = r.err()
	}
	if err != nil {
		s.drop(s.pinned)
		return fmt.Errorf("%w: begin the transaction: %w", errStateLost, err)
	}
	s.tx.stage = begun
	return nil
}

// fixSnapshot begins the transaction on its connection with a snapshot, if st is its first read and one for which the
// server would fix it. A transaction that is begun and has read nothing is begun again.
func (s *session) fixSnapshot(ctx context.Context, st statement.Statement) error {
	if s.tx == nil || s.tx.stage == fixed || s.tx.each || s.assigned != nil || !st.Cacheable || !st.Versioned {
		return nil
	}
	c := s.pinned
	holds, ok := s.applied(ctx, c, s.server.cache.Ledger().Mark())
	if !ok || s.isolation(c) != repeatableRead {
		return nil
	}
	r := response{hold: maxOwn}
	if err := s.run1(ctx, c, request{run: command(wire.ComQuery, []byte(startSnapshot))}, &r); err != nil {
		s.drop(c)
		return fmt.Errorf("%w: %w", errStateLost, err)
	}
	switch {
	case r.kind != wire.KindOK:
		s.tx.stage = pending // let the server say what it has against the client's BEGIN
	case r.warnings > 0 || !c.status.Has(readOnlyFlags):
		s.tx = nil
	default:
		s.fixed(c, holds)
	}
	return nil
}

// track notes what a statement that ran on the connection c means for the hits of its transaction. An error has no
// flags that would tell whether the transaction goes on.
func (s *session) track(c *conn, st statement.Statement, r *response) {
	switch st.Kind {
	case statement.Begin, statement.Commit, statement.Rollback: // AND CHAIN, or completion_type, may have begun one
		s.tx = s.newTransaction(c, r)
		return
	}
	switch {
	case s.tx == nil:
	case r.kind == wire.KindError, !s.tx.keeps(st), !s.readsOnly(c):
		s.tx = nil
	case s.tx.stage == fixed:
		s.trackLocks(st)
	}
}

// trackLocks notes of which tables the transaction's connection keeps the definitions. To go back to a savepoint gives
// those up that came after it.
func (s *session) trackLocks(st statement.Statement) {
	read := s.tx.snapshot.Read
	switch {
	case st.Kind == statement.Savepoint:
		clear(read)
	case st.Kind == statement.Read && st.Cacheable:
		before, now := len(read), s.server.cache.Ledger().Now()
		for _, t := range dep.Anchors(st.Tables) {
			if _, ok := read[t]; !ok {
				read[t] = now
			}
		}
		if len(read) > before {
			s.server.hurry()
		}
	}
}

// newTransaction is the transaction that has just begun on c; nil if there is none, or none with hits.
func (s *session) newTransaction(c *conn, r *response) *transaction {
	level := s.isolation(c)
	if s.server.cfg.Transactions != Snapshot || !s.caching() || r.kind != wire.KindOK || r.warnings > 0 ||
		!s.readsOnly(c) || s.pins.oneShot || level == otherLevel {
		return nil
	}
	return &transaction{stage: begun, begin: []byte("START TRANSACTION READ ONLY"), each: level == readCommitted}
}

// readsOnly reports whether c is in a read-only transaction. A session without autocommit is in a transaction again as
// soon as one ends.
func (s *session) readsOnly(c *conn) bool {
	return c.status.Has(readOnlyFlags|wire.StatusAutocommit) && s.bypass == ""
}

// keeps reports whether the transaction after a statement is the same, at the same stage. Before the snapshot is fixed
// nothing may have been read, since nobody knows whether that has fixed it, and no savepoint set, since the transaction
// may yet be begun again. The empty statement stands for SET and for the preparation of a statement.
func (t *transaction) keeps(st statement.Statement) bool {
	late := t.stage == fixed || t.each
	switch st.Kind {
	case statement.Read:
		return late || !st.Cacheable && st.Reason == "" && !st.Stateful
	case statement.SetSession:
		return late || !st.Stateful
	case statement.Savepoint, statement.Prepare, statement.Deallocate:
		return late
	}
	return false
}

// inside returns the entry for key if the transaction that the session is in would read the same; else nil.
func (s *session) inside(key []byte) *cache.Entry {
	switch {
	case s.tx == nil || !s.caching() || s.bypass != "" || s.assigned != nil || s.unsafe || s.staleness <= 0:
		return nil
	case s.tx.each:
		return s.cached(key)
	case s.tx.stage == fixed:
		return s.cachedAt(key, s.tx.snapshot)
	}
	return nil
}

// writeInside answers with an entry inside a transaction. What is stored has the flags of outside.
func (s *session) writeInside(e *cache.Entry) error {
	s.hit(e)
	s.counters.inside.Add(1)
	buf := getBuffer()
	defer putBuffer(buf)
	*buf = append((*buf)[:0], e.Wire()...)
	if err := addFlags(*buf, s.pinned.status&readOnlyFlags); err != nil {
		return err
	}
	return s.write(*buf)
}

// addFlags sets status flags in a result set: in the EOF packet behind the definitions, and in the one at the end. Both
// end with the flags.
func addFlags(b []byte, flags wire.Status) error {
	_, rows, err := skipDefinitions(b)
	if err != nil {
		return fmt.Errorf("set the flags of a stored result: %w", err)
	}
	for _, end := range [...]int{len(b) - len(rows), len(b)} {
		at := b[end-2 : end]
		binary.LittleEndian.PutUint16(at, binary.LittleEndian.Uint16(at)|uint16(flags))
	}
	return nil
}

// level is an isolation level, as far as it matters here.
type level uint8

const (
	otherLevel level = iota // or one that is not known
	readCommitted
	repeatableRead
)

// isolation returns the level of transactions that the session begins on c.
func (s *session) isolation(c *conn) level {
	said := c.defaults.isolation
	older, ok1 := s.state.settings.value("tx_isolation")
	newer, ok2 := s.state.settings.value("transaction_isolation")
	switch {
	case ok1 && ok2: // which one was last?
		return otherLevel
	case ok1:
		said = older
	case ok2:
		said = newer
	}
	switch strings.ReplaceAll(strings.ToUpper(strings.Trim(said, `'"`)), " ", "-") {
	case "REPEATABLE-READ", "2":
		return repeatableRead
	case "READ-COMMITTED", "1":
		return readCommitted
	}
	return otherLevel
}
