package redistier

import (
	"bytes"
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

// Notes are found by other Weirs of the same source, and by nobody else.
func TestNotes(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, ctx := newHistory(), t.Context()
	one, other := startTier(t, testConfig(r), h), startTier(t, testConfig(r), newHistory())
	if left, err := other.Left(ctx, "positions"); err != nil || len(left) != 0 {
		t.Errorf("before: %v, %v", left, err)
	}
	must(t, one.Leave(ctx, "positions", "a", []byte("here"), time.Minute))
	must(t, one.Leave(ctx, "positions", "b", []byte("there\x00"), time.Minute))
	must(t, one.Leave(ctx, "interests", "a", []byte("all"), time.Minute))
	must(t, one.Leave(ctx, "positions", "a", []byte("further"), time.Minute))
	must(t, one.Drop(ctx, "positions", "none"))
	must(t, one.Drop(ctx, "positions"))
	left, err := other.Left(ctx, "positions")
	must(t, err)
	if len(left) != 2 || string(left["a"]) != "further" || string(left["b"]) != "there\x00" {
		t.Errorf("left are %q", left)
	}
	must(t, one.Drop(ctx, "positions", "a", "b"))
	if left, err := one.Left(ctx, "positions"); err != nil || len(left) != 0 {
		t.Errorf("dropped, and still there: %q, %v", left, err)
	}
	if left, err := one.Notes("server-two").Left(ctx, "interests"); err != nil || len(left) != 0 {
		t.Errorf("another source has %q, %v", left, err)
	}
	h.change(func(h *history) { h.source = "" })
	if err := one.Leave(ctx, "positions", "a", nil, time.Minute); err == nil {
		t.Error("a note about no source")
	}
}

// Notes that have expired are left out, and removed once that is certain by any clock.
func TestNotesExpire(t *testing.T) {
	now := time.UnixMilli(1e12)
	left, gone := openNotes(map[string]string{
		"fresh":   string(sealNote([]byte("a"), now.Add(time.Second))),
		"expired": string(sealNote([]byte("b"), now.Add(-time.Second))),
		"old":     string(sealNote([]byte("c"), now.Add(-2*noteGrace))),
		"strange": "x",
	}, now)
	if len(left) != 1 || !bytes.Equal(left["fresh"], []byte("a")) {
		t.Errorf("left are %q", left)
	}
	if len(gone) != 2 {
		t.Errorf("gone are %q", gone)
	}
}
