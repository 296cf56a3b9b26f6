package redistier

import (
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall45SetThatLandsLate: a write of an older result lands after that of a newer one. It says of itself how old it is;
// the reader's ledger does the rest.
func TestPitfall45SetThatLandsLate(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	keep(t, tier, entry("q", "new rows", h.mark(cache.At(3, 900)), 11))
	keep(t, tier, entry("q", "old rows", h.mark(cache.At(3, 400)), 11))
	if c := wantFound(t, tier, "q", "old rows"); c.At != h.mark(cache.At(3, 400)) {
		t.Errorf("the old rows come as of %v", c.At)
	}
}

// TestPitfall47Eviction: Redis is full and throws away what it likes. What is gone is a miss, and what is there is right.
func TestPitfall47Eviction(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{MaxMemory: 4 << 20})
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	key := func(i int) string { return "SELECT " + string(rune('0'+i%10)) + strings.Repeat("x", i) }
	wire := incompressible(16 << 10)
	const n = 400
	for i := range n {
		keep(t, tier, entry(key(i), wire, h.mark(cache.Seq(i))))
	}
	found := 0
	for i := range n {
		if c, ok := find(t, tier, key(i)); ok {
			found++
			if string(c.Wire) != wire || c.At.Seq != cache.Seq(i) {
				t.Errorf("%d has another's value", i)
			}
		}
	}
	if found == 0 || found == n || lookups(tier, lookupMiss) != n-found {
		t.Errorf("%d of %d are found: %s", found, n, counts(tier))
	}
}

// A Redis that is full and evicts nothing refuses writes. It is read from as before.
func TestPitfall47NoEviction(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	keep(t, tier, entry("q", "rows", h.mark(7)))
	must(t, raw(t, r).ConfigSet(t.Context(), "maxmemory", "1").Err())
	for range 2 * failuresToOpen {
		keep(t, tier, entry("more", "rows", h.mark(7)))
	}
	if writes(tier, writeRefused) != 2*failuresToOpen {
		t.Error("not refused: ", counts(tier))
	}
	wantFound(t, tier, "q", "rows")
}

// TestPitfall48BigValues: results as large as they may be come back whole, and larger ones are neither written nor believed.
func TestPitfall48BigValues(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	cfg := testConfig(r)
	cfg.MaxValue, cfg.Budget = 10<<20, time.Second
	large := startTier(t, cfg, h)
	for _, wire := range []string{
		incompressible(10 << 20), strings.Repeat("a row like the others ", 10<<20/22), incompressible(1 << 20),
		incompressible(4 << 10), incompressible(4<<10 + 1), incompressible(1<<20 + 1),
	} {
		keep(t, large, entry("q", wire, h.mark(7)))
		wantFound(t, large, "q", wire)
	}
	keep(t, large, entry("larger", incompressible(10<<20+1), h.mark(7)))
	if writes(large, writeTooLarge) != 1 {
		t.Error("over MaxValue, and written: ", counts(large))
	}
	small := startTier(t, testConfig(r), h)
	wantMissing(t, small, "q", lookupUnreadable)
	keep(t, large, entry("q", strings.Repeat("x", 10<<20), h.mark(7)))
	if size := raw(t, r).StrLen(t.Context(), large.names.value("server-one", []byte("q"))).Val(); size > 1<<16 {
		t.Errorf("10 MiB of one letter take %d bytes", size)
	}
	wantMissing(t, small, "q", lookupUnreadable) // small when packed
}
