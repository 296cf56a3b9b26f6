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
// The ledger's history has the tags that were touched last, each with when that was, in memory of fixed size: 17 bytes for
// each of [Config.History] tags. It is never wrong, but it forgets: of a tag that it does not have it knows only that it was
// not touched after a certain place, which comes closer to the present as other tags are touched. A result from before
// that place looks changed, whether it is or not.
//
// So what counts is how many different tags were touched since a result was read. As long as it is less than half of what
// there is room for, of results with four tags that were not touched 99 in 100 look so. Then it goes quickly: at about the
// size of the history all of them look changed. A tag that is touched again and again takes the room of one: that of a
// table costs nothing, however often it changes.
//
// With the default of a million tags and 10,000 changes a second, each of which touches a table, a row, and the rows of one
// of 100,000 customers, so many results that are so old look changed, by what share of the changes are to one of 50,000
// rows. In brackets is what it would be in an array of the same size whose slots are shared by all tags with a hash:
//
//	age      no change    half of them    nine in ten
//	 10 s     0 % (25)        0 % (23)       0 % (19)
//	 30 s     0 % (51)        0 % (40)       0 % (27)
//	 60 s    18 % (71)        0 % (55)       0 % (31)
//	100 s    94 % (86)       10 % (68)       0 % (36)
//	300 s   100 % (99)      100 % (95)       0 % (55)
//
// So each tag that an entry in tier 1 depends on has a cell, which is exact: such an entry ends when what it depends on
// changes, and not before. Cells come with the first entry and go with the last; their memory is part of the budget. What
// has no cells, such as an entry that was found in another tier, is judged by the history, for as long as that lasts. Whoever
// asks for a tag all the time without having an entry has it kept, see [Ledger.Keep].
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
