// Package inflight sees DDL while it runs, before it commits and before the binlog has it: on the source and on every
// server that answers reads.
//
// [Watch] asks each server, on a loop of its own, which statements run there, and finds the DDL among them: how long
// it has run, how far it is where the server tells, whether it waits for a metadata lock, for whom, and how many
// statements wait behind it. It also finds the online tools that change a table through a copy of it, gh-ost and
// pt-online-schema-change, by the names of their shadow tables: between their statements nothing of them runs.
//
// It is for deciding what to hold back, and for telling people. It is not a source of truth for the cache: a DDL that
// is over between two looks is never seen here. What a result depends on comes from the binlog alone.
//
// # One look at a server
//
//  1. One query for the statements that run, without those that certainly only read or write rows. The filter names
//     what it leaves out, so that a text which it does not know is fetched.
//  2. If that shows DDL or somebody who waits for a table's metadata lock, one more for the locks.
//  3. Every few seconds, unless DDL runs, one for the names of shadow tables, and two more if there are any.
//
// Nothing on the server is changed for it: no instrument or consumer is switched on, no plugin is loaded.
//
// # Where it comes from
//
//   - MySQL: performance_schema.threads, with events_statements_current, events_transactions_current and
//     metadata_locks, all of which are on by default since 8.0; progress from events_stages_current, whose consumer is
//     off by default. They take no lock that statements need, as information_schema.PROCESSLIST does.
//   - MariaDB: information_schema.PROCESSLIST, with progress of an ALTER that copies; that of one in place from the status
//     variable Innodb_onlineddl_pct_progress. METADATA_LOCK_INFO if the plugin is loaded: it lists locks that are held
//     but not who waits; these are known by the state of their threads.
//   - Else, on either, who blocks is guessed: see [Blocker]. A transaction that is prepared for XA and has lost its
//     connection holds locks for nobody that one could name; its DDL has no blocker here.
//
// An account without the privilege PROCESS gets an answer without the statements of others from
// information_schema.PROCESSLIST, and no error. So Watch asks for something that fails without it.
package inflight
