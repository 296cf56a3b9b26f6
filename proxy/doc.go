// Package proxy speaks the MySQL protocol to clients, and decides for each command who answers it: the cache, a
// backend, or the source.
//
// # The life of a hit
//
//	client's packet -> key (session part + text) -> cache.Get -> one write of the stored packets
//
// Nothing is parsed, nothing is allocated, no lock is taken that another client could hold. The session part of the key
// was made when the session's state last changed.
//
// # The life of a miss
//
//  1. The ledger's mark is taken, before anything else is looked at.
//  2. The statement is analysed: what it does, whether its result may be kept, what it reads. The analysis is
//     remembered, and holds for texts that differ in nothing but their literals.
//  3. An identical read that is under way is joined, if what it brings will contain every change recorded so far.
//  4. Otherwise the second tier is asked, if there is one: see second.go. What it has is judged like what is in memory, and
//     if it may be served that is a hit.
//  5. Otherwise it enters the gate, if there is one, see [Gate]. If anything was recorded while it waited, the mark is taken
//     and the statement analysed again.
//  6. A connection to a backend is taken, and then the backend's sampler is asked what that server has applied: not the
//     other way round, see [Sampler].
//  7. The statement is sent as the client sent it. The response is read up to query_cache_limit, stored, and written
//     to the client; what is larger streams through. It is offered to the second tier.
//
// The entry's AsOf is the older of the sample and the mark. The mark stands for the schema: the analysis saw the
// catalogue as of the mark or later, so that a view or a table that changed after the mark makes the entry unservable
// even where the sample already covers that change.
//
// # Prepared statements
//
// A client that prepares a statement gets a handle, which is Weir's own and lives on no connection. What servers say
// about the statement's parameters and columns is cached, with the definitions that decide it as its tags; so is what
// an execution brings, under a key of the text and the values as the client sent them. A hit needs no server to have
// prepared anything. For a miss the statement is prepared on the connection that happens to serve it, and stays there
// for the next one. Each execution is answered as by a statement that was prepared for it: MySQL since 8.0.22 converts
// values to the types of the first ones that a statement was given; here there is no first one.
//
// # Reads in advance
//
// [Server.Refill] asks again what a client has asked, for instance because the definition of its table has changed: as a
// session without a client, which goes the same way. What makes such a session out of a key is kept in memory for the
// session parts of keys under which something was stored lately, see recipe.
//
// # Which server
//
// What is not answered from the cache goes to a backend that is up and does not lag, see health, and that has what the
// session's reads must contain, see [owed] and route. Nothing there decides what may be kept: that is the sample's alone.
//
// # Sessions and connections
//
// A session has no backend connection of its own. It borrows one, with the same account, database and settings, for
// one statement, and keeps it only while the statement's effect on the connection outlives it: a transaction, user
// variables, prepared statements, temporary tables, warnings not yet looked at, or anything that the analysis does
// not understand. What a write leaves is over with the next read, but for LAST_INSERT_ID(), which goes with the session.
// A connection on which something was left is reset before another session has it.
//
// While a backend works for a session, others may end that: a session that says KILL, and the watch over clients that
// hang up. The same watch closes clients that are silent for too long. It is one goroutine for all of them. How serving ends,
// and what becomes of what is under way then, is in drain.go.
//
// Servers look at an account's rights when it logs in and when it chooses its default database. So a connection that was
// there before the last change of accounts serves no other statement: whoever connects to Weir after a REVOKE must not
// be answered on it.
//
// Nor does a session in a transaction use a second connection: what it reads there keeps others waiting, for whom it would
// wait itself.
//
// Inside a transaction nothing is a hit, but for read-only transactions under cache.transactions: snapshot; see
// transaction.go.
//
// What SET does is not computed but read back from the connection on which it ran: see track.go. What sessions start with is
// looked at once a second: see globals.go.
//
// Everything that changes the bytes of an answer is either in the key or turns the session's caching off.
package proxy
