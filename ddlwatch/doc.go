// Package ddlwatch reads the statements that the source's binlog carries as text and says what they change: schema
// changes of MySQL and MariaDB, account statements, and data changes under STATEMENT or MIXED format.
//
// [Read] turns one text into an [Effect]. [Stage] stands between the binlog reader and the ledger: it reads the
// statements of every transaction, tells the catalogue which definitions it must read again, and hands the
// transaction on with tables, schemas or everything touched. An [Observer] hears of schema changes before and after. The one
// that there is, [Watcher], does what is to be done around them, with packages of which each can one thing: inflight sees them
// run, pace bounds how many reads are at servers, bufferpool says what the servers bear, timeline keeps what became of them.
// None of that has a say in what is served.
//
// It works at the precision of tables. It is not a parser of DDL and does not want to be one: servers of the next
// version have syntax that no parser has today, and what a parser rejects would be lost.
//
// # How a text is read
//
// A text does not say under which sql_mode and which character set it was written, and both decide where a string
// ends. So:
//
//  1. [Read] makes one reading for each way in which the session could have quoted: a backslash hides the quote
//     after it or does not, "x" is a string or a name. The source has parsed the text before, so a reading in which a
//     quote stays open did not happen and is dropped. What the others say is united.
//  2. The lexer drops comments and reads the contents of executable ones as code. A word inside a comment that only
//     some servers execute must not decide anything.
//  3. The first words choose a recogniser, which reads the names that follow and then looks through the rest for the
//     few words that bring another table in: RENAME, TABLE, REFERENCES, SELECT.
//  4. What is left over, unexpected or ambiguous ends in Everything with a reason.
//
// Data changes are read the same way when they write one table and query none. The others go through the TiDB
// parser, which finds the tables that an UPDATE of a join writes; what it cannot read changes everything.
//
// # What a statement does to results
//
// Each effect has a [Class]. One of them, [None], leaves results servable: an index, a rebuild, a comment. What is of that
// class is a closed list (layout.go, maintain.go), with the reasons why it is certain; a statement with any part that is not
// on it, or is not understood, or stands in a comment that only some servers execute, is of another. It touches no table
// but [dep.Name.Layout], on which those results depend that ask for an index or a partition, or need one. The catalogue is
// told by a call of its own that columns are what they were, so that rows which change right behind the statement go on
// being told one by one.
//
// MariaDB from 10.8 on can write an ALTER twice, when it starts and when it is done or has failed. It takes effect when it
// is done; of the other phases only the observer hears. Where a phase cannot be told, the statement takes effect.
//
// # Invariants
//
//   - Reading too much into a text costs hits; reading too little is a stale read. Every doubt goes the first way.
//   - A text that changes rows or definitions never has an empty effect. Temporary tables, routines, events and
//     storage objects change neither.
//   - A name with bytes outside ASCII is never trusted: under a latin1 session the text `é` of a UTF-8 client names
//     a table that row events call `Ã©`.
//   - A text of class None says nothing that is not known, changes no row, and no definition but of keys and partitions.
//   - No statement takes effect at the start of an ALTER alone.
//   - What an observer is shown of a text holds no password and no string.
//   - The catalogue hears of a change before the ledger does, so that nothing filled after the change is analysed
//     with definitions from before it.
//   - Order is kept: transactions leave in the order in which they came, and within one transaction each statement
//     is read with what the catalogue knows after the statement before it.
package ddlwatch
