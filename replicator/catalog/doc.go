// Package catalog is the schema of the source at the place in the change stream that is being applied: which names
// exist and what they are, what views mean, which rows foreign keys change behind the binlog's back, and which tables
// have triggers.
//
// It is not for the schema of now. What the source answers now may lie ahead of the stream, and may even lie behind
// it; both make stale results. It is not for the columns of row events either, which each event carries itself.
//
// # What the answers are for
//
// The analysis of a statement asks what a name stands for. If a view was redefined and the analysis saw the other
// definition than the result was read through, the entry depends on the wrong tables. The last stage of the replicator
// asks what else a row change has changed: MariaDB, and MySQL before 9.6, do not log what foreign keys do to children.
//
// # The race
//
// A DDL and its event meet in no particular order:
//
//  1. MySQL writes a DDL to the binlog and commits it to the data dictionary after that. The event arrives here while
//     information_schema still shows the old definition. (Seen with semi-synchronous replication, which holds the
//     commit back: the position already has the DDL, the view does not.)
//  2. A load takes some time, and several queries. It may or may not contain a DDL that runs meanwhile, in part.
//  3. What was loaded may contain DDLs whose events are still on their way: an analysis would use the new definition
//     for results that a lagging replica reads through the old one.
//
// So a definition is used only if it is certain that the stream is at it, no earlier and no later:
//
//  1. [Catalog.Changed] is called when a DDL is applied at Seq s, before the ledger's head comes to s. It marks the
//     names: they are dep.Unknown at once, and nothing that reads them is cached.
//  2. [Catalog.Run] notes the number n of the last change, at s, and waits until the ledger's head is at s and the
//     source shows everything up to s ([Stream.Covered]). This answers 1.
//  3. It loads.
//  4. It asks for the source's position p. Everything that the load has seen is in the binlog before p.
//  5. It waits until the ledger's head is at p. All DDLs that the load may have seen have then been applied, and have
//     marked their names. This answers 3.
//  6. It publishes: marks up to n go. Marks of changes after n stay, since the load may have missed those, and Run
//     goes round again. This answers 2.
//
// A constant trickle of DDLs cannot starve it: each round settles the names that it found marked.
//
// Step 4 needs that what is seen is in the binlog. MySQL 8 and later commit after the binlog. MariaDB and MySQL 5.7
// change definitions before, but hold the table exclusively until the binlog has the statement, and reading its type,
// view or trigger from information_schema waits for that.
//
// # Foreign keys
//
// They are read from InnoDB's own list, which does not wait, so it may be ahead of the binlog. That is safe: a key
// that it no longer has cannot have fired since, because dropping it shut out the parent's and the child's statements;
// a key that it has too early makes too much unservable. Keys known before stay in force until new ones are
// published. Where a DDL may have added a key or renamed a table, [Catalog.Uncertain] holds until then, and the
// change of any row counts as a change of everything.
//
// # What cannot be seen
//
// A privilege that the account lacks makes things silently invisible. [Load] says what it cannot see rather than to
// assume that there is nothing:
//
//	SELECT     all tables and columns; without it Load fails
//	PROCESS    foreign keys; without it Load fails
//	SHOW VIEW  definitions are empty: views are dep.Unknown
//	TRIGGER    triggers are left out: every table may have some
//
// # Invariants
//
//   - A name that is not dep.Unknown means, for results read at any place from its last change to the ledger's head,
//     what the catalogue says.
//   - An answer changes only together with [Catalog.Version].
//   - Nothing but Run waits or does I/O. A failure of Run leaves names dep.Unknown.
package catalog
