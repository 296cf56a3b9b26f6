package catalog

import (
	"context"

	"weir/cache"
)

// Querier is one session on the source, for the catalogue alone and outside of any transaction: a load sets session
// variables. If the connection breaks, the query under way must fail; the next one may connect anew.
type Querier interface {
	// Query runs one statement and returns its rows as text in utf8mb4, NULL as the empty string.
	Query(ctx context.Context, sql string) ([][]string, error)
}

// Stream is how the source's binlog and the ledger stand to each other. Its methods may block, and return at the
// latest when ctx ends. If another server than the one whose binlog is read answers, they must fail, and so must
// [Querier].
type Stream interface {
	// WaitHead returns when the ledger has recorded every change up to seq.
	WaitHead(ctx context.Context, seq cache.Seq) error
	// Covered returns when every change up to seq is visible on the source to statements that start from then on.
	// An event in the binlog is no proof: MySQL shows a DDL only after its event went out.
	Covered(ctx context.Context, seq cache.Seq) error
	// Position returns where the source's binlog ends, rounded up as [cache.After] does. Everything that was visible
	// before the call is at or before it. On a source that rests, the ledger's head must come to it too: heartbeats
	// and the events at the start of a binlog file move the head as transactions do.
	Position(ctx context.Context) (cache.Seq, error)
}
