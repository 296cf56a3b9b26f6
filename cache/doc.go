// Package cache holds the one rule of Weir and what it decides on: the [Ledger], which knows when each thing last
// changed, the [Entry], a result with what it depends on, and the [Store], tier 1, where entries live in memory.
//
// # The rule
//
// An entry may be served only while
//
//  1. the stream is current: complete as of a moment no more than max_staleness ago,
//  2. Ledger.Last(tag) <= Entry.AsOf for every one of the entry's tags,
//  3. Entry.AsOf >= Ledger.Floor, and
//  4. the entry is of the ledger's epoch.
//
// [Ledger.Fresh] is the only place that decides it. Inside a transaction, which has a moment of its own, it is
// [Ledger.FreshAt]. There is no list of entries to delete and no index from a table to its entries: a change touches
// tags, and from that instant the entries that depend on them are not servable. Their memory comes back by a sweep and
// by eviction, at leisure.
//
// # Why AsOf is older than you think
//
// AsOf is not when the result was read. It is a place in the change stream such that the snapshot which the result was
// read from is known to contain every change up to there. Whoever fills the cache must prove it, by asking the server
// that answers what it has applied, before asking the query. Two races end there:
//
//	fill loses the race              event before visibility
//	1. sample says 90                1. a transaction is written to the binlog at 95
//	2. SELECT starts, reads old      2. its event arrives, the tag is touched at 95
//	3. a write commits at 95         3. sample says 90: the engine has not committed yet
//	4. the tag is touched at 95      4. SELECT reads old
//	5. entry stored, AsOf 90         5. entry stored, AsOf 90
//	6. Last 95 > AsOf 90: not served 6. Last 95 > AsOf 90: not served
//
// A replica that lags is the right-hand column with more time between the steps.
//
// # History and live cells
//
// The ledger's history is an array of fixed size, in which tags share slots. It is never wrong, but it forgets: with r
// touches a second on n slots, a result with k tags looks changed after n/(r k) seconds on average, whether it is or
// not. With the default of a million slots and 10,000 row changes a second, which touch three tags each, a result with
// four tags is lost after nine seconds.
//
// So each tag that an entry in tier 1 depends on has a cell, which is exact: such an entry ends when what it depends on
// changes, and not before. Cells come with the first entry and go with the last; their memory is part of the budget. What
// has no cells, such as an entry that was found in another tier, is judged by the history, for as long as that lasts.
//
// # What does not pay
//
// A result that a change ends before anybody has used it was stored in vain. A [Yield] counts that for one table at one
// grain, and has results refused for a while if nearly all were. Whoever makes entries says which tables they read, see
// [Share]; [Cache.Yields] and the metrics show what was decided.
//
// # What a schema change asks for
//
// Whoever watches schema changes keeps the entries of a table in memory while one runs, see [Cache.Protect], asks how many
// there are, [Cache.Dependents], learns after the change which of them were asked for most, [Cache.Hottest], and then has
// their memory given back, [Cache.Reclaim]. None of that has a say in what is served.
//
// # A second tier
//
// Results may also be kept where other processes find them, and this one after a restart: a [Tier]. It is trusted with
// nothing. What is found there has a [Place], which [Places] translates to a mark of this ledger; whoever looked for it makes
// an entry of it, with the tags that its own analysis gives, and [Cache.Promote] applies the rule. [Cache.KeepWarm] hands
// over again what is asked for most.
//
// # Who may call
//
// One goroutine, the ordered applier, writes the ledger. Any number read it, without locks; the applier and those who
// store entries meet at the locks of cells. A hit costs a hash, a probe of the store, and one atomic load for each tag;
// it allocates nothing, takes no lock, and writes to nothing once the entry has been hit a few times, but for one hit in
// 64, which is noted in the entry, see [Cache.Served].
//
// The package knows nothing of SQL, of binlogs or of servers, and imports no other package of Weir.
package cache
