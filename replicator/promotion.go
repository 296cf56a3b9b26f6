package replicator

import (
	"context"
	"fmt"

	"weir/replicator/gtid"
)

// leave gives up the place in the stream.
func (r *Reader) leave() {
	if r.at != nil {
		r.left = r.at
	}
	r.at = nil
}

// carryOn lets a stream that begins on another server than before begin after what was recorded of the one before, so that
// whoever looks at the journal, or at schema changes, sees no gap. The ledger knows nothing of it all the same: its floor is
// where the new source was at the start.
//
// It is for MySQL, whose streams begin after a set of transactions. The new source must have all that was recorded, and all
// that was not must still be in its binlog. Otherwise the stream begins now.
func (r *Reader) carryOn(ctx context.Context, p Position, at *checkpoint) {
	before := r.left
	r.left = nil
	if before == nil || before.identity == p.Identity || before.identity.Flavor != gtid.MySQL || p.Identity.Flavor != gtid.MySQL || !p.GTIDs.Covers(before.done) {
		return
	}
	purged, err := r.source.purged(ctx)
	if err != nil || !before.done.Covers(purged) {
		return
	}
	at.done = before.done.Clone()
	r.log.Info("the new source has all that was recorded; its stream goes on after that, without a gap for those who wait for a position", "recorded", at.done)
}

// purged asks MySQL which transactions are in its binlog no more.
func (s *Source) purged(ctx context.Context) (*gtid.Set, error) {
	rows, err := s.session.Query(ctx, "SELECT @@global.gtid_purged")
	if err != nil {
		return nil, fmt.Errorf("ask the source which GTIDs were purged: %w", err)
	}
	return gtid.Parse(gtid.MySQL, rows[0][0])
}
