package redistier

import (
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// generous is how much longer than its budget a lookup may take on a machine that does much else.
const generous = 5 * time.Second

// sicken looks up until the server is out, and sees that nobody waits much longer than the budget.
func sicken(t *testing.T, tier *Tier) {
	t.Helper()
	await(t, "the server is out", func() bool {
		start := time.Now()
		if _, ok := find(t, tier, "q"); ok {
			return false
		}
		if took := time.Since(start); took > tier.cfg.Budget+generous {
			t.Errorf("a lookup took %v", took)
		}
		return tier.nodes.open() > 0
	})
	wantMissing(t, tier, "q", lookupOpen)
	dropped := writes(tier, writeOpen)
	tier.Offer(entry("q", "rows", cache.Mark{}), 0, 0)
	if writes(tier, writeOpen) != dropped+1 {
		t.Error("offered while the server is out: ", counts(tier))
	}
}

// wantWell waits until the server is asked again, and sees that values can be written and found.
func wantWell(t *testing.T, tier *Tier, h *history) {
	t.Helper()
	await(t, "the server is back", func() bool { return tier.nodes.open() == 0 })
	await(t, "a value is written and found", func() bool {
		keep(t, tier, entry("q", "rows", h.mark(7)))
		_, ok := find(t, tier, "q")
		return ok
	})
}

// TestPitfall50Stalls: Redis stands still in various ways, or is not there. Each lookup ends with its budget, then nobody
// asks any more, and when it is over all is as before.
func TestPitfall50Stalls(t *testing.T) {
	for _, c := range []struct {
		name       string
		fall, rise func(t *testing.T, r *sandbox.Redis)
	}{
		{"CLIENT PAUSE",
			func(t *testing.T, r *sandbox.Redis) {
				must(t, raw(t, r).Do(t.Context(), "CLIENT", "PAUSE", 1500).Err())
			},
			func(*testing.T, *sandbox.Redis) {}},
		{"DEBUG SLEEP",
			func(t *testing.T, r *sandbox.Redis) {
				admin := raw(t, r)
				done := make(chan struct{})
				go func() { admin.Do(t.Context(), "DEBUG", "SLEEP", "1.5"); close(done) }()
				t.Cleanup(func() { <-done })
			},
			func(*testing.T, *sandbox.Redis) {}},
		{"SIGSTOP",
			func(t *testing.T, r *sandbox.Redis) { must(t, r.Suspend()) },
			func(t *testing.T, r *sandbox.Redis) { must(t, r.Resume()) }},
		{"kill",
			func(_ *testing.T, r *sandbox.Redis) { r.Kill() },
			func(t *testing.T, r *sandbox.Redis) { must(t, r.Restart(t.Context())) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := sandboxtest.Redis(t, sandbox.RedisOptions{Extra: []string{"--enable-debug-command", "yes"}})
			h := newHistory()
			tier := startTier(t, testConfig(r), h)
			keep(t, tier, entry("q", "rows", h.mark(7)))
			wantFound(t, tier, "q", "rows")
			c.fall(t, r)
			sicken(t, tier)
			c.rise(t, r)
			wantWell(t, tier, h)
		})
	}
}

// A Redis that is not there from the beginning is found when it comes, and one that was emptied has only misses.
func TestTierComesLater(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	r.Kill()
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	sicken(t, tier)
	if err := tier.Leave(t.Context(), "positions", "a", nil, time.Minute); err == nil {
		t.Error("a note is left nowhere")
	}
	must(t, r.Restart(t.Context()))
	wantWell(t, tier, h)
	must(t, raw(t, r).FlushAll(t.Context()).Err())
	wantMissing(t, tier, "q", lookupMiss)
}

// Writes that Redis takes for ever end, and put it out, too.
func TestPitfall50WritesStall(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	keep(t, tier, entry("q", "rows", h.mark(7)))
	must(t, r.Suspend())
	for range failuresToOpen {
		tier.Offer(entry("q", "rows", h.mark(7)), 0, 0)
	}
	drain(t, tier)
	await(t, "the server is out", func() bool { return tier.nodes.open() > 0 })
	if writes(tier, writeFailed) == 0 {
		t.Error("no write has failed: ", counts(tier))
	}
	must(t, r.Resume())
	wantWell(t, tier, h)
}
