package redistier

import (
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestTierClockAhead: whoever has written a result has a clock that is an hour ahead. The result's age is not known, so that
// max_age would not bound how long it is served.
func TestTierClockAhead(t *testing.T) {
	h := newHistory()
	tier := startTier(t, testConfig(sandboxtest.Redis(t, sandbox.RedisOptions{})), h)
	for _, ahead := range []time.Duration{-time.Hour, time.Second} {
		if !tier.OfferAs(entry("k", "answer", h.mark(90)), h.mark(90), -ahead) {
			t.Fatal("not taken")
		}
		drain(t, tier)
		if c := wantFound(t, tier, "k", "answer"); c.Age < max(0, -ahead) {
			t.Errorf("written by a clock that is %v ahead, it is %v old", ahead, c.Age)
		}
	}
	if !tier.OfferAs(entry("k", "answer", h.mark(90)), h.mark(90), -time.Hour) {
		t.Fatal("not taken")
	}
	drain(t, tier)
	wantMissing(t, tier, "k", lookupUnreadable)
}
