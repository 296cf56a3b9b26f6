package redistier

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
	"weir/deployments/sandbox"
)

// history is a source that has one binlog file, which was begun at a certain time, and is followed in a certain epoch.
type history struct {
	mu     sync.Mutex
	source string
	begun  uint32
	epoch  uint64
}

var _ cache.Places = (*history)(nil)

func newHistory() *history { return &history{source: "server-one", begun: 1000, epoch: 7} }

func (h *history) change(f func(h *history)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(h)
}

func (h *history) Source() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.source
}

func (h *history) Place(at cache.Mark) (cache.Place, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cache.Place{Source: h.source, Begun: h.begun, Seq: at.Seq}, at.Epoch == h.epoch
}

func (h *history) Mark(p cache.Place) (cache.Mark, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cache.Mark{Epoch: h.epoch, Seq: p.Seq}, p.Source == h.source && p.Begun == h.begun
}

// mark is one of the present epoch.
func (h *history) mark(seq cache.Seq) cache.Mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cache.Mark{Epoch: h.epoch, Seq: seq}
}

// testBudget is long enough for a machine that does much else.
const testBudget = 200 * time.Millisecond

func testConfig(r *sandbox.Redis) Config {
	cfg := DefaultConfig()
	cfg.Addrs, cfg.Budget, cfg.MinCost = []string{r.Addr()}, testBudget, 0
	return cfg
}

// startTier runs a tier until the test ends.
func startTier(t testing.TB, cfg Config, h *history) *Tier {
	t.Helper()
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	tier := New(cfg, h, "dialect", nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { tier.Run(ctx); close(done) }()
	t.Cleanup(func() {
		cancel()
		<-done
		tier.Close()
	})
	return tier
}

func entry(key, wire string, at cache.Mark, tags ...cache.Tag) *cache.Entry {
	return cache.NewEntry([]byte(key), []byte(wire), tags, at)
}

// keep offers an entry and waits until that is done.
func keep(t testing.TB, tier *Tier, e *cache.Entry) {
	t.Helper()
	tier.Offer(e, 0, time.Millisecond)
	drain(t, tier)
}

func drain(t testing.TB, tier *Tier) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := tier.Drain(ctx); err != nil {
		t.Fatal("what was offered is not written: ", err)
	}
}

func find(t testing.TB, tier *Tier, key string) (cache.Copy, bool) {
	t.Helper()
	return tier.Find(t.Context(), []byte(key), 0)
}

// wantFound fails unless the tier has the wire bytes for the key.
func wantFound(t testing.TB, tier *Tier, key, wire string) cache.Copy {
	t.Helper()
	c, ok := find(t, tier, key)
	if !ok {
		t.Fatalf("%s is not found; lookups: %s", key, counts(tier))
	}
	if string(c.Wire) != wire {
		t.Fatalf("%s is %.40q, want %.40q", key, c.Wire, wire)
	}
	return c
}

func wantMissing(t testing.TB, tier *Tier, key string, why lookupOutcome) {
	t.Helper()
	before := lookups(tier, why)
	if c, ok := find(t, tier, key); ok {
		t.Fatalf("%s is found: %.40q", key, c.Wire)
	}
	if lookups(tier, why) != before+1 {
		t.Fatalf("%s is missing, but not counted as %s: %s", key, why, counts(tier))
	}
}

func lookups(tier *Tier, o lookupOutcome) int {
	return int(testutil.ToFloat64(tier.metrics.outcomes.WithLabelValues(string(o))))
}

func writes(tier *Tier, o writeOutcome) int {
	return int(testutil.ToFloat64(tier.metrics.writes.WithLabelValues(string(o))))
}

// counts is for messages.
func counts(tier *Tier) string {
	var b strings.Builder
	for _, o := range []lookupOutcome{lookupHit, lookupMiss, lookupLate, lookupError, lookupOpen, lookupCheap, lookupUnreadable, lookupOther} {
		fmt.Fprintf(&b, "%s %d, ", o, lookups(tier, o))
	}
	for _, o := range []writeOutcome{writeDone, writeFull, writeTooLarge, writeOpen, writeCheap, writeUnplaced, writeRefused, writeFailed} {
		fmt.Fprintf(&b, "%s %d, ", o, writes(tier, o))
	}
	return b.String()
}

// await looks again until it is so.
func await(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !so(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it never happens: ", what)
		}
	}
}

// incompressible is text that zstd cannot make shorter, the same each time.
func incompressible(n int) string {
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return string(b)
}
