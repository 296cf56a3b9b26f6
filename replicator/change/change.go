// Package change holds what travels from the binlog reader to the ledger: one [Transaction] after the other, in
// binlog order, through one or more stages.
package change

import (
	"context"
	"slices"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/gtid"
)

// Transaction is one event group of the binlog, read to its end.
type Transaction struct {
	// Seq is the end of the group. The ledger has recorded everything up to it once the transaction is applied.
	Seq cache.Seq
	// GTID is the transaction's name. It is empty on groups that have none, such as a rotation.
	GTID gtid.GTID
	// CommittedAt is when the source says that it committed; zero if it does not say.
	CommittedAt time.Time
	// Coarse says that CommittedAt has whole seconds, as MariaDB's event headers do.
	Coarse bool

	// Tables were changed in a way that is not told by their rows. Schemas were changed as a whole. Both without duplicates.
	Tables  []dep.Name
	Schemas []string
	// Rows had rows changed, without duplicates, and Tags say which rows and columns. A table may be in both.
	Rows []dep.Name
	Tags []cache.Tag
	// Parents are those of Rows whose changes foreign keys may have passed on to other tables. Without duplicates. What
	// changed as a whole is not among them: it always may have.
	Parents []dep.Name
	// Definitions are those of the tables, and views, that are not what they were. Without duplicates.
	Definitions []dep.Name
	// Layouts are those of tables that may be stored, or found, in another way than before, though no row has changed: see
	// [dep.Name.Layout]. What is in Tables need not be here. Without duplicates.
	Layouts []dep.Name
	// Everything, if not empty, says why the group must be taken to have changed everything.
	Everything string

	// Deeds say what was done to which table, as far as that is known and no more than [MaxDeeds]: for people, not for what
	// is served. A relay does not pass them on.
	Deeds []Deed

	// XAThread is the connection that committed an XA transaction, as the source numbers it; 0 in all other groups. On
	// MariaDB such a commit may become visible after the source's position has passed it.
	XAThread uint32

	// Statements are the group's statements in text: DDL, and DML under STATEMENT or MIXED. The reader does not
	// understand them; a later stage turns them into Tables, Schemas or Everything.
	Statements []Statement
}

// Statement is the text of one Query event.
type Statement struct {
	// Schema is the default database that it ran in; may be empty.
	Schema string
	SQL    string
	// Phase says whether it takes effect here.
	Phase Phase
}

// Phase is a part of the life of an ALTER that MariaDB writes to its binlog twice (binlog_alter_two_phase, from 10.8 on).
type Phase uint8

// The phases. Whoever does not look at them is right to take each for the whole: that is too much, and never too little.
const (
	// AtOnce: the statement has taken effect. So it is with all that are written once.
	AtOnce Phase = iota
	// Started: it has begun, and has changed nothing that others can see. Another one follows, unless the server dies.
	Started
	// Committed: it has taken effect.
	Committed
	// RolledBack: it has failed, and changed nothing.
	RolledBack
)

// TakesEffect says whether the statement has changed something.
func (p Phase) TakesEffect() bool { return p != Started && p != RolledBack }

// String names the phase, as for JSON.
func (p Phase) String() string {
	return [...]string{"at_once", "started", "committed", "rolled_back"}[p]
}

// Touch adds a table, once.
func (t *Transaction) Touch(n dep.Name) { t.Tables = with(t.Tables, n) }

// Tell adds a table whose changes are told by its rows, once. Their tags go to Tags.
func (t *Transaction) Tell(n dep.Name) { t.Rows = with(t.Rows, n) }

// Reach adds a table to Parents, once.
func (t *Transaction) Reach(n dep.Name) { t.Parents = with(t.Parents, n) }

// Coarsen makes of all changes that were told by rows changes to the tables as a whole.
func (t *Transaction) Coarsen() {
	for _, n := range t.Rows {
		t.Touch(n)
	}
	t.Rows, t.Tags, t.Parents = nil, nil, nil
}

// Redefine adds a table of which the definition has changed, once.
func (t *Transaction) Redefine(n dep.Name) { t.Definitions = with(t.Definitions, n) }

// Rearrange adds a table that is stored in another way, with the same rows, once.
func (t *Transaction) Rearrange(n dep.Name) { t.Layouts = with(t.Layouts, n) }

func with(names []dep.Name, n dep.Name) []dep.Name {
	if slices.Contains(names, n) {
		return names
	}
	return append(names, n)
}

// Applier takes transactions in order. Apply is called from one goroutine and may keep t. It must not wait for the
// source: while it waits, nothing becomes unservable. It cannot fail: what it does not understand, it takes for a
// change to everything.
type Applier interface {
	Apply(ctx context.Context, t *Transaction)
}
