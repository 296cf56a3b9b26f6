// Package replicator follows the source's change stream and keeps the ledger true.
//
// # The life of a change
//
//  1. [Reader] receives a binlog event. It sees every event that the server sends; the loop over them is our own,
//     because canal's skips what its parser cannot read.
//  2. The assembler puts events together to a [change.Transaction]: GTID, changes, statements in text. An event that it
//     does not know means that everything changed. What rows have changed is told by the columns that somebody watches,
//     see [Precision]; of a table that nobody watches no row is read, and where anything is missing or not understood
//     the table changed as a whole.
//  3. Stages between (package ddlwatch) turn statements into tables, schemas or everything.
//  4. [Recorder], the last stage, adds the children of foreign keys, whose cascaded changes are not in the binlog,
//     touches the tags at the transaction's Seq, and moves the ledger's head. From here on no entry that depends on
//     what changed is served.
//
// All of it happens on one goroutine, in binlog order, without a queue: while a transaction is being recorded the
// next one waits in the socket. So memory does not grow with what the source sends.
//
// # What a snapshot contains
//
// A binlog event arrives before the change is visible to other sessions. [Sampler] asks a server what it has applied,
// before a fill reads from it, and translates the answer to a Seq: on MySQL the set gtid_executed against the
// [Journal] of recorded transactions; on a MariaDB replica gtid_slave_pos against the same; on a MariaDB source the
// status variables Binlog_snapshot_file and Binlog_snapshot_position, which are a Seq.
//
// # Current
//
// [Probe] asks the source for its binlog position several times per max_staleness, notes when it asked, and tells the
// ledger that it is complete as of that moment once everything up to that position is recorded. A connection that
// is silently cut, or a reader that cannot keep up, then ends the serving of cached results by itself.
//
// # Losing the place
//
// A position is resumed only on the server it came from and only if that server still has it and says the same of it.
// In every other case the reader starts again from now, in a new epoch of the ledger, with nothing known and nothing
// servable: purged binlogs (error 1236), RESET MASTER, another server behind the address, a binlog that does not tell of
// everything since, see conduct.
//
// # Places that outlive a process
//
// A mark means something in one process and one epoch. [History] makes of it a place that others can understand, and the
// other way round, so that a result may be stored where others find it. [Checkpoint] is a place where a reader can go on.
// With [Warm] a process begins where another one, or the one before, has been a while ago: the ledger's floor is there, the
// changes since are applied, and then it knows of results that were stored since whether they are right. No cached result is
// served before the stream has come to the present.
package replicator
