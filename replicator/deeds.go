package replicator

import (
	"slices"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache/dep"
	"weir/replicator/change"
)

// verbOf says what an event does to its rows.
func verbOf(raw *replication.BinlogEvent) change.Verb {
	if raw.Header.EventType == replication.PARTIAL_UPDATE_ROWS_EVENT {
		return change.Update
	}
	kind, _ := kindOf(raw.Header.EventType)
	return [...]change.Verb{otherKind: change.Rows, inserted: change.Insert, updated: change.Update, deleted: change.Delete}[kind]
}

// remember tells of a transaction that changes something those who ask later. It comes before the ledger, see package
// recent.
func (r *Recorder) remember(t *change.Transaction) {
	if r.Recent != nil && touches(t) {
		complete(t)
		r.Recent.Add(r.ledger.Epoch(), t, r.now())
	}
}

// complete adds to the deeds what only the names tell: all of it if the transaction has come through a relay.
func complete(t *change.Transaction) {
	for _, names := range [...][]dep.Name{t.Definitions, t.Layouts} {
		for _, n := range names {
			t.Did(n, change.DDL, 0)
		}
	}
	for _, names := range [...][]dep.Name{t.Tables, t.Rows} {
		for _, n := range names {
			if !slices.ContainsFunc(t.Deeds, func(d change.Deed) bool { return d.Name == n }) {
				t.Did(n, change.Rows, 0)
			}
		}
	}
}
