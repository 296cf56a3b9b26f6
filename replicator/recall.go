package replicator

import "weir/replicator/change"

// versions are those of what rows are looked at with. Both only grow.
type versions struct{ watch, schema uint64 }

func (l *teller) versions() versions {
	if l == nil {
		return versions{}
	}
	return versions{l.watch.Version(), l.schema.Version()}
}

// recall takes rows that were looked at when an XA transaction was prepared, at its commit:
//
//  1. XA PREPARE: the rows are decoded for what is watched, and held. The group ends, and nothing is open.
//  2. A fill takes up an interest. It counts from the ledger's head, before the commit.
//  3. XA COMMIT: recorded with the tags of 1, which lack those of 2. The fill's result would stay servable.
//
// So they count only if nothing has changed since the group with the rows began; else as changes to the tables as a whole.
// The watch is told first that a transaction is open, so that an interest which comes between this look and the record
// counts from the record.
func (l *teller) recall(t *change.Transaction, under versions) {
	if l == nil || len(t.Rows) == 0 {
		return
	}
	for _, n := range t.Rows {
		l.watch.Decoding(n)
	}
	if l.versions() != under {
		t.Coarsen()
	}
}
