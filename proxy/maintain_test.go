package proxy

import (
	"testing"

	"weir/cache"
	"weir/proxy/statement"
)

// TestResetReachesSecondTier: what RESET QUERY CACHE has thrown away does not come back from the second tier, and what is read
// afterwards may.
func TestResetReachesSecondTier(t *testing.T) {
	t.Parallel()
	s, _, text := hitSession(t)
	ledger := s.server.cache.Ledger()
	before := ledger.Mark()
	s.server.maintain(statement.Maintenance{QueryCache: true})
	if s.cached(s.makeKey(text)) == nil || s.server.wiped(before) {
		t.Error("FLUSH QUERY CACHE has thrown something away that can be served")
	}
	s.server.maintain(statement.Maintenance{QueryCache: true, Reset: true})
	if s.cached(s.makeKey(text)) != nil || !s.server.wiped(before) {
		t.Error("RESET QUERY CACHE has left something")
	}
	ledger.Advance(before.Seq + 5)
	if after := (cache.Mark{Epoch: before.Epoch, Seq: before.Seq + 1}); s.server.wiped(after) {
		t.Error("a copy from after RESET QUERY CACHE counts as thrown away")
	}
}

// TestHitWithStrippedCommentsAllocatesNothing, either.
func TestHitWithStrippedCommentsAllocatesNothing(t *testing.T) {
	s, client, text := hitSession(t)
	s.variables.StripComments, s.strips = true, true
	commented := append([]byte("/* route */ "), text...)
	s.query(t.Context(), commented)
	s.query(t.Context(), commented)
	if n := testing.AllocsPerRun(100, func() { s.query(t.Context(), commented) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if client.written == 0 || s.server.digests.Hits() < 100 {
		t.Error("it was not a hit")
	}
}
