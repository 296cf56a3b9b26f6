// Package catalog is the schema of the source at the place in the change stream that is being applied: which names
// exist and what they are, the columns and keys of tables, what views mean, which rows foreign keys change behind the
// binlog's back, and which tables have triggers.
//
// It is not for the schema of now. What the source answers now may lie ahead of the stream, and may even lie behind
// it; both make stale results.
//
// # What the answers are for
//
// The analysis of a statement asks what a name stands for. If a view was redefined and the analysis saw the other
// definition than the result was read through, the entry depends on the wrong tables. It asks for the columns of a
// table and their types, to find out on which rows a result depends. The reader of the binlog asks the same, to find
// those columns in row events, which carry types but not names. The last stage of the replicator asks what else a row
// change has changed: MariaDB, and MySQL before 9.6, do not log what foreign keys do to children.
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
// # Some names only
//
// A change of a few names reads those again, and leaves the rest as earlier loads have it. That is as good as to read
// everything, for the names that are read and for those that are not:
//
//   - A name that is read goes through the same six steps. What a load says of a name comes from rows about that name
//     alone: its kind, engine, columns and keys, the text of a view, which the server keeps as it was written whatever
//     becomes of the tables, and whether there are triggers on it.
//   - A name that is not read, and is not marked, has not changed since it was read: the change would have marked it,
//     and only a load that began afterwards takes the mark away.
//   - What is said of a name together with others is worked out anew each time from all there is: what foreign keys
//     do, which are read in whole, and what writes through MERGE tables may reach.
//   - What the account may see is asked first. If it has changed, everything is read.
//   - T and t, where they are two tables, are one name here. All spellings of a name are looked for, and read together.
//     A name of which there is none any more goes.
//   - A name that a statement held while it was read is marked nowhere. It is read with every load until it is known.
//
// Everything is read at the start, after a change of a whole schema or one that was not understood, and after a change
// of very many names. A definition that was changed past the binlog is noticed only then.
//
// # Indexes only
//
// A CREATE INDEX, a rebuild and their like change neither columns nor rows. If such a change made its table dep.Unknown,
// rows that change before it is read again would count as a change to the whole table, and a statement that takes no
// more than some milliseconds on the source would cost most results of the table. So [Catalog.Reindexed] marks only the
// keys: they are not told, except for the primary one, and the rest is told as it was. That keeps all that is said above:
//
//   - What goes on being told is not what the DDL changed. The caller vouches for that; a statement of which it is not
//     certain goes to Changed.
//   - What the DDL changed is unknown from the moment of the call on, before the head comes to its Seq, and is read in the
//     six steps, like any other name. A key is used to estimate how many rows a condition finds, and whether there can be
//     more than one. To know of fewer keys than there are makes results depend on more, never on less.
//   - A load that has seen a later change of the columns is not published before the stream has come to that change
//     (step 5). It has then marked the name itself, and that mark stays (step 6).
//   - A mark on the name counts for more than one on its keys, whichever came first; each goes by its own number. If a
//     round settles the first and not the second, the columns are those of a load after the first. If the load was before
//     the second, the columns are still the same.
//   - A row event under an index that adds a hidden column does not agree with the columns, and the table counts as a
//     whole, whether the index came just now or long ago.
//
// # The schema of now for rows of then
//
// A stream that begins in the past comes to the present only after a while, and nothing is published before. If every row
// that changed meanwhile counted as a change to its whole table, little would be left of what was read before. So
// [Catalog.Foresee] reads the schema before the stream begins, and until the catalogue has published, or something is
// redefined, rows are told by that: their columns, and what foreign keys do to other tables. Nothing else is: to the analysis
// of statements every name is dep.Unknown, and to a statement in text that writes rows all triggers are unknown, so that it
// counts as everything. P is the place where the stream begins, F the reading, and S a place in the stream between.
//
//  1. Nothing is redefined after P. The source shows every definition from before P when F begins, which the caller vouches
//     for; what F has read is the schema at each S.
//  2. A definition is changed at S, before F. Rows before S are told by a schema that they were not written under: tags are
//     touched that nothing depends on, and others are not. At S everything is touched, see [Catalog.Fell]: an entry from
//     before S is dead, whatever was told of rows before S, and one from S on contains those rows. F's reading is dropped.
//     To touch what the change itself is about would not do: rows of p are deleted, foreign keys delete rows of its child c
//     and of the child's child g, and then c loses its key to p. F knows nothing that leads from p to g, nor does the change.
//  3. As 2, and F is between S and the moment at which the source shows what was changed at S: F has read the definition of
//     before. Rows after S would be told by it. They are not, since it was dropped at S.
//  4. A definition is changed while F reads, or after it. That is after P, for the stream begins after F: as 2 and 3.
//  5. Two definitions are changed, at S and at a later T. At S the reading is dropped. At T it need not be: nothing is told
//     by it. What changes rows between counts as everything, since foreign keys are uncertain.
//  6. The catalogue publishes, and the reading is dropped, while a transaction is being read. Both say the same of it: had
//     anything been redefined between P and here, the reading would be gone.
//  7. Only indexes are changed at S. The columns, and what foreign keys do, are the same before and after, which is what the
//     caller of [Catalog.Reindexed] vouches for. The reading stays.
//  8. A definition is changed and the binlog does not say so. That is as bad here as it is otherwise.
//
// # Columns
//
// They are in the order of row events. Where an event has other columns than the server tells of, nothing is said of
// them, or the numbers differ, which the reader of events must look at:
//
//	MySQL's generated primary key    told, as the first column; if the session may not see it, its place is empty: nil
//	MySQL's functional indexes       the column that they are made of is neither told nor in events
//	MariaDB's UNIQUE over a BLOB     a column of type BIGINT more in events, after all others
//	MariaDB's system versioning      two more in events, if they are hidden; always nil
//	invisible and virtual columns    told, and in events
//
// This was seen with MySQL 9.7 and MariaDB 10.11. MySQL before 8.0.18 has the columns of functional indexes in its
// events, after all others. Types can differ too, as long as a change is on its way: the event is right.
//
// A key is given only if all its parts are whole columns. A FULLTEXT index looks like one that is not unique.
//
// # Foreign keys
//
// They are read from InnoDB's own list, which does not wait, so it may be ahead of the binlog. That is safe: a key
// that it no longer has cannot have fired since, because dropping it shut out the parent's and the child's statements;
// a key that it has too early makes too much unservable. Keys known before stay in force until new ones are
// published. Where a DDL may have added a key, or given other names to one, [Catalog.Uncertain] holds until then, and
// the change of any row counts as a change of everything.
//
// The columns that they refer to come from a second list, which may be a moment newer. A key of which not all columns
// are there, or whose columns the parent does not have, makes [Catalog.Referenced] say that it does not know.
//
// # Tables that move
//
// To be uncertain after every RENAME would cost the whole cache for each table that a migration swaps under writes. What
// is kept up is this: unless Uncertain holds, every key that can fire at the place that is being applied, or later until
// a key is added, is known, under the names that it has then. A key that is known and does not exist does no harm.
//
//  1. Nothing is uncertain. RENAME a TO b is applied, and neither name takes part in a key that is known: by what is
//     kept up, in none that exists. All keys are what they were. [Catalog.Moved] marks the two names, and no more.
//  2. One of them does take part. The key has another name from now on, and what is known is not enough: a row of b that
//     is deleted before the keys are read again takes rows of its child along. Uncertain holds.
//  3. CREATE TABLE a ... REFERENCES p, and then RENAME a TO b. The keys are uncertain when RENAME comes, and a load is
//     under way that has seen a and not b. It must not settle what RENAME did: that marks the keys anew.
//  4. A load begins, for the sake of another name; RENAME a TO b is applied as in 1; the load is published. What it has
//     read of keys is from before RENAME or after it, which comes to the same, since RENAME has changed none. Had one
//     been added meanwhile, that statement's mark would stay.
//  5. The list is ahead: RENAME t TO s, u TO t, s TO u is under way on the source, not in the binlog, and a load has seen
//     the child of p as s. It is published. Nobody has written p since, because RENAME holds the child. When RENAME is
//     applied, the names of before, of after and those between count, and s is one of them.
//  6. The list is ahead, and a key of a is gone from it. It does not fire any more, whatever name a has.
//  7. With foreign_key_checks=0 there are keys to a parent that does not exist. RENAME x TO that name, or CREATE TABLE,
//     makes one live. Both servers list it under the name all the time, so that it is known; for a RENAME it counts as
//     taking part.
//  8. DROP TABLE and DROP DATABASE: the keys of a child go with it; a parent leaves them behind, as in 7. Of the keys that
//     exist after it all are known under their names if they were before. Nothing is uncertain by it; the names are
//     read again, and all keys with them.
//  9. While a table is rebuilt, its keys may be listed under a name that begins with #sql. Until that is settled nobody
//     knows whose they are: every name takes part.
//
// MERGE tables write to any MyISAM table, as far as is known here, and are treated as its parents: where there is one, it
// and all MyISAM tables take part. That one comes is told by its UNION, or by LIKE another (ddlwatch). A table of which it
// is not known yet that it is a MyISAM one is marked, nothing that depends on it is kept, and it is a child of those tables
// when it is known.
//
// The other keys, those that only forbid, change no rows, and ALTER TABLE cannot make them others.
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
