package redistier

import (
	"context"
	"fmt"
	"slices"
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
	for _, size := range []int{200, 4 << 10, 64 << 10} {
		key := fmt.Sprintf("SELECT * FROM t WHERE size = %d", size)
		wire := incompressible(size)
		keep(b, tier, entry(key, wire, h.mark(7), 1, 2, 3, 4))
		if err := bare.Set(context.Background(), "bare", wire, 0).Err(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) { compare(b, tier, key, func() error { return bare.Get(context.Background(), "bare").Err() }) })
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
