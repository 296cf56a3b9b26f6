package redistier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// BenchmarkFind compares a lookup with a bare GET of as many bytes by the same client, turn by turn, and reports the median of
// both and their ratio.
func BenchmarkFind(b *testing.B) {
	r := sandboxtest.Redis(b, sandbox.RedisOptions{})
	h := newHistory()
	cfg := testConfig(r)
	tier := startTier(b, cfg, h)
	bare := raw(b, r)
	for _, wire := range []string{incompressible(200), incompressible(4 << 10), incompressible(64 << 10), rows(64 << 10), rows(1 << 20)} {
		key := fmt.Sprintf("SELECT * FROM t WHERE size = %d AND first = %d", len(wire), wire[0])
		keep(b, tier, entry(key, wire, h.mark(7), 1, 2, 3, 4))
		if err := bare.Set(context.Background(), "bare", wire, 0).Err(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d/%s", len(wire), kind(tier, wire)), func(b *testing.B) {
			compare(b, tier, key, func() error { return bare.Get(context.Background(), "bare").Err() })
		})
	}
}

func compare(b *testing.B, tier *Tier, key string, get func() error) {
	var finds, gets []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if err := get(); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if _, ok := tier.Find(context.Background(), []byte(key), cache.Class(1)); !ok {
			b.Fatal("not found: ", counts(tier))
		}
		gets, finds = append(gets, middle.Sub(start)), append(finds, time.Since(middle))
	}
	report := func(name string, all []time.Duration) float64 {
		slices.Sort(all)
		median := all[len(all)/2]
		b.ReportMetric(float64(median.Nanoseconds()), name)
		return float64(median)
	}
	f, g := report("find-p50-ns", finds), report("get-p50-ns", gets)
	b.ReportMetric(f/g, "ratio")
}

// rows look like packets of rows, of so many bytes.
func rows(size int) string {
	var b strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Len() < size; i++ {
		name := fmt.Sprintf("customer-%x", random.Uint32())
		fmt.Fprintf(&b, "%c\x00\x00%c\x06%06d\x11%s\x102026-01-%02d 12:%02d:00\x05%d.50", 60, byte(i), i, name, 1+i%28, i%60, random.IntN(1000))
	}
	return b.String()[:size]
}

func kind(tier *Tier, wire string) string {
	if _, flags := tier.codec.pack([]byte(wire)); flags != 0 {
		return "compressed"
	}
	return "plain"
}
