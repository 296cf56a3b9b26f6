package redistier

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// raw is a client that does what no Weir does.
func raw(t testing.TB, r *sandbox.Redis) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: r.Addr(), DialerRetries: 1})
	t.Cleanup(func() { c.Close() })
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What one Weir has written another one finds, with all that is needed to judge it.
func TestTier(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	one, other := newHistory(), newHistory()
	other.epoch = 99
	writer, reader := startTier(t, testConfig(r), one), startTier(t, testConfig(r), other)
	wantMissing(t, reader, "q", lookupMiss)

	e := entry("q", "rows", one.mark(cache.At(3, 500)), 11, 12)
	e.Versioned = true
	if !writer.OfferAs(e, e.At, 10*time.Minute) {
		t.Fatal("it is not taken")
	}
	drain(t, writer)
	c := wantFound(t, reader, "q", "rows")
	if c.At != other.mark(cache.At(3, 500)) || !c.Versioned || len(c.Tags) != 2 || c.Tags[0] != 11 || c.Tags[1] != 12 {
		t.Errorf("found as %+v", c)
	}
	if c.Age < 10*time.Minute || c.Age > 20*time.Minute {
		t.Errorf("it was read 10 minutes ago, and is %v old", c.Age)
	}
	ttl := raw(t, r).PTTL(t.Context(), writer.names.value("server-one", []byte("q"))).Val()
	if ttl <= 0 || ttl > time.Hour {
		t.Errorf("Redis keeps it for %v", ttl)
	}
}

// What is not of the history that is followed is not found, and what has no place in it is not written.
func TestTierOtherHistory(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	tier := startTier(t, testConfig(r), h)
	keep(t, tier, entry("q", "rows", h.mark(7)))
	wantFound(t, tier, "q", "rows")

	h.change(func(h *history) { h.begun++ }) // RESET MASTER
	wantMissing(t, tier, "q", lookupOther)
	h.change(func(h *history) { h.begun--; h.source = "server-two" })
	wantMissing(t, tier, "q", lookupMiss) // another source's are elsewhere
	h.change(func(h *history) { h.source = "" })
	wantMissing(t, tier, "q", lookupOther)

	h.change(func(h *history) { h.source = "server-one"; h.epoch++ })
	before := h.mark(8)
	before.Epoch--
	keep(t, tier, entry("other", "rows", before))
	if writes(tier, writeUnplaced) != 1 {
		t.Error("written, and its mark is of an epoch that is over: ", counts(tier))
	}
}

// Another dialect's values are not found, even under the very name.
func TestTierOtherDialect(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, ctx := newHistory(), t.Context()
	tier := startTier(t, testConfig(r), h)
	other := New(testConfig(r), h, "another", prometheus.NewRegistry())
	defer other.Close()
	keep(t, tier, entry("q", "rows", h.mark(7)))
	wantMissing(t, other, "q", lookupMiss)
	must(t, raw(t, r).Rename(ctx, tier.names.value("server-one", []byte("q")), other.names.value("server-one", []byte("q"))).Err())
	wantMissing(t, other, "q", lookupUnreadable)
}

// What somebody else has put there is no result, of whatever kind it is: another key's value, garbage, a list.
func TestTierStrangeValues(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, ctx := newHistory(), t.Context()
	tier := startTier(t, testConfig(r), h)
	at := func(key string) string { return tier.names.value("server-one", []byte(key)) }
	keep(t, tier, entry("a", "rows", h.mark(7)))
	admin := raw(t, r)
	must(t, admin.Copy(ctx, at("a"), at("b"), 0, true).Err())
	must(t, admin.Set(ctx, at("c"), strings.Repeat("garbage", 1<<20), 0).Err())
	must(t, admin.RPush(ctx, at("d"), "a list").Err())
	before := testutil.ToFloat64(tier.metrics.read)
	for _, key := range []string{"b", "c", "d"} {
		wantMissing(t, tier, key, lookupUnreadable)
	}
	if read := testutil.ToFloat64(tier.metrics.read) - before; read > 2*float64(tier.codec.maxStored()) {
		t.Errorf("%v bytes are read of what cannot be a value", read)
	}
	must(t, admin.Set(ctx, at("e"), "", 0).Err())
	wantMissing(t, tier, "e", lookupMiss)
	wantFound(t, tier, "a", "rows")
	if tier.nodes.open() != 0 {
		t.Error("strange values have put the server out")
	}
}

// Nobody waits for the queue, and what does not fit is counted.
func TestTierQueueFull(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	cfg := testConfig(r)
	cfg.QueueEntries = 3
	tier := New(cfg, h, "dialect", nil) // nobody writes
	defer tier.Close()
	for range 5 {
		tier.Offer(entry("q", "rows", h.mark(7)), 0, 0)
	}
	if tier.OfferAs(entry("q", "rows", h.mark(7)), h.mark(8), 0) || writes(tier, writeFull) != 3 {
		t.Error("more than fits: ", counts(tier))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if tier.Drain(ctx) == nil {
		t.Error("drained, and nobody writes")
	}
}

// Statements that a server answers faster are neither looked up nor written, and are again when that is over.
func TestTierCheap(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h := newHistory()
	cfg := testConfig(r)
	cfg.MinCost = 2 * time.Millisecond
	tier := startTier(t, cfg, h)
	e := entry("q", "rows", h.mark(7))
	offer := func(cost time.Duration) {
		for range 30 {
			tier.Offer(e, 5, cost)
			drain(t, tier)
		}
	}
	offer(time.Millisecond)
	done := writes(tier, writeDone)
	if _, ok := tier.Find(t.Context(), e.Key(), 5); ok || lookups(tier, lookupCheap) != 1 || done != costSamples-1 {
		t.Error("it is cheap: ", counts(tier))
	}
	offer(10 * time.Millisecond)
	if _, ok := tier.Find(t.Context(), e.Key(), 5); !ok || writes(tier, writeDone) == done {
		t.Error("it is cheap no longer: ", counts(tier))
	}
}

// What Redis takes is measured by the prober while nobody looks anything up.
func TestTierMeasures(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	tier := startTier(t, testConfig(r), newHistory())
	await(t, "a round trip is known", func() bool { return tier.costs.lookup() > 0 })
}
