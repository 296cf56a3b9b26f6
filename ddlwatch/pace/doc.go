// Package pace bounds how many reads of one table are at servers at one time, around schema changes. What is answered
// from the cache never comes here.
//
// A table has a gate while there is a reason:
//
//   - A DDL on it is under way ([Gates.Hold]). At most Limit reads of it are at servers. The DDL has the buffer pool
//     nearly to itself; and if it has to wait for its metadata lock, few connections wait behind it.
//   - Its readers pile up behind a metadata lock ([Gates.Piled]). Those at servers get nothing there, so no more than
//     Min join them. The others wait here, for as long as they would at the server, without a connection.
//   - Its results have become unservable ([Gates.Refill], [Gates.RefillAll]). Everybody who asked for them misses at
//     once. At most Limit reads go to servers, then more and more while the servers bear it, and in the end the gate goes
//     by itself.
//   - Its reads do not come back, and no DDL is known ([Gates.OnStall]). Further readers wait, for a quarter of a second
//     at the most, for a verdict on whether they would pile up.
//
// If there are several, the lowest limit counts. Without a reason a table has a slow start: its window is how many reads
// may be at servers. It begins at StallReads, each read that comes back while it is full widens it by one, without an
// upper bound, and it narrows again when it has not been needed for a second. So steady traffic never meets it, a burst
// of reads that come back doubles in the time that one takes, and of a burst behind a metadata lock that nobody has seen
// yet only the first few reach the server, see P6. Who waits for the window waits at a gate, too. A verdict that reads
// are only slow, or none in time, opens the window for five seconds. A reader that waits at one table's gate holds no
// place at another's.
//
// It is not for fairness between clients, and no cure for a server that is slow on all days: pacing ends.
//
// # The life of a read
//
//  1. [Gates.Enter] looks at all tables of the read, under the one lock of this package. If all have room, it counts the
//     read at each and returns.
//  2. Otherwise the reader stands in the queue of the first table that has none. Queues are in order of arrival.
//  3. When there is room at the queue's table, its first reader is taken out. If another of its tables is full by now, it
//     moves to that queue, to the place that its arrival gives it. Otherwise it is counted at all, and goes.
//  4. If none of the table's reads comes back for Config.Stall while readers wait for its window, the table is suspected,
//     as it is when a reader arrives and finds that: OnStall is called, and nobody is let in before the verdict.
//  5. After Config.Wait it goes through in any case, unless one of its tables is piled up.
//  6. leave takes it off all its tables, and looks at their queues.
//
// One lock, and not one for each table, since step 1 must see several tables at once. It is held for less
// than a hundred nanoseconds of a read that takes a round trip to a server.
//
// # Invariants
//
//   - Check and count are one step under the lock. Counted at a table are never more than its limit, which without a
//     reason is its window, but for three kinds: reads that were at servers when the limit fell or the trust in slow reads
//     ended, reads that went through after Config.Wait, which are counted apart, and those behind a gate that has gone.
//   - Who waits for a window is watched: a read comes back and lets somebody in, or the watch suspects the table.
//   - Who waits in a queue: its table is full. So a newcomer who finds room overtakes nobody.
//   - A reader holds all of its places or none. So readers cannot wait for each other in a circle.
//
// # Races
//
// P1, the limit falls while more are inside:
//
//  1. 40 reads of t are at servers under a limit of 40.
//  2. The buffer pool is pressed; the limit is 20.
//  3. A read comes back. A waiter is not let in: there is room below 20, not one place for each that goes.
//
// Nobody is called back. P2, the gate goes while readers wait:
//
//  1. An ALTER of t waits for its metadata lock, and 200 readers wait here.
//  2. The ALTER is over, or killed. Nothing holds t any more.
//  3. All 200 go at once: the pile-up has become a herd.
//
// So a gate with a queue does not go but becomes a refill, and after a pile-up the time of its readers starts anew. Only
// when a suspicion was wrong do readers go at once: they have come within a quarter of a second. P3, a refill begins
// between check and count:
//
//  1. Readers find that t has no gate.
//  2. [Gates.Refill] puts one up, at a limit of 8.
//  3. The readers are counted, 30 of them.
//
// The lock makes 1 and 3 one step, so each of the 30 was before 2 and is counted there. Whoever misses because of the
// change comes after 2, for the applier calls Refill before it touches the ledger; the other way round, everybody who
// missed in between would be at servers already. P4, a reader gives up just when it is let in:
//
//  1. A read comes back, and the first of the queue is counted in its place.
//  2. That reader's context ends, and it looks at this first.
//  3. It returns an error, and nobody ever leaves for it.
//
// So giving up asks, under the lock, whether the reader still waits, and leaves if it does not. P5, a table is forgotten
// that somebody still counts at:
//
//  1. A reader of t waits at another table's gate. t is idle, and is forgotten to save memory.
//  2. Another reader makes t anew.
//  3. The first is let in, and counts at the t that nobody knows.
//
// So a waiting reader keeps all its tables. P6, the pile-up that nobody has seen yet:
//
//  1. A transaction that has read t is idle, and an ALTER of t waits for it. The servers were asked just before.
//  2. 80 readers come within a few milliseconds, and find no reason to wait.
//  3. All are at the server before any has been away for Config.Stall, and stay there for as long as the lock.
//  4. Nobody comes after them who could notice.
//
// The window lets eight of them in at 2, and its watch notices at 4.
package pace
