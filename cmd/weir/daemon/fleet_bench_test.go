package daemon

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/deployments/sandbox"
)

// BenchmarkTier2 measures what an answer from Redis takes that comes through Weir, turn by turn with what it is compared with:
// a bare GET of as many bytes from this process, a hit in memory, and the same read at the server. With Redis paused, reads
// go to the server, and the figures say what was lost by trying.
func BenchmarkTier2(b *testing.B) {
	f := newFleet(b, sandbox.Options{Flavor: sandbox.MariaDB})
	m := f.join(func(c *Config) {
		c.Redis.Addrs = []string{f.redis.Addr()} // with nothing between
		c.Redis.Budget = Default().Redis.Budget
	})
	d := f.direct("app", "")
	d.run("CREATE DATABASE shop")
	d.run("CREATE TABLE shop.page (id INT PRIMARY KEY, v MEDIUMTEXT) ENGINE=InnoDB")
	bare := redis.NewClient(&redis.Options{Addr: f.redis.Addr()})
	b.Cleanup(func() { bare.Close() })
	for id, size := range []int{200, 4 << 10, 64 << 10} {
		d.run(fmt.Sprintf("INSERT INTO shop.page VALUES (%d, '%s')", id, incompressible(size*3/4)))
		m.caughtUp()
		h := &tier2Bench{member: m, redis: bare, client: m.throughWeir("shop"), server: m.atServer("shop"), query: fmt.Sprintf("SELECT v FROM page WHERE id = %d", id)}
		b.Run(fmt.Sprint(size), func(b *testing.B) { h.run(b) })
		b.Run(fmt.Sprint(size)+"/paused", func(b *testing.B) { h.paused(b) })
	}
}

// incompressible is a text of about so many bytes in which there is nothing to save.
func incompressible(size int) string {
	text := ""
	for i := uint64(1); len(text) < size; i++ {
		x := i * 0x9e3779b97f4a7c15
		x ^= x >> 29
		text += fmt.Sprintf("%x", x*0xbf58476d1ce4e5b9)
	}
	return text[:size]
}

type tier2Bench struct {
	*member
	redis          *redis.Client
	client, server *dialogue
	query          string
}

// run compares the four ways.
func (h *tier2Bench) run(b *testing.B) {
	answer := h.shared(b)
	if err := h.redis.Set(b.Context(), "bare", answer.raw, 0).Err(); err != nil {
		b.Fatal(err)
	}
	all := map[string][]time.Duration{}
	found := h.tier2()
	n := 0
	for b.Loop() {
		n++
		all["get"] = append(all["get"], timed(func() { h.redis.Get(context.Background(), "bare") }))
		h.weir.cache.Clear()
		all["redis"] = append(all["redis"], timed(func() { h.client.query(h.query) }))
		all["memory"] = append(all["memory"], timed(func() { h.client.query(h.query) }))
		all["server"] = append(all["server"], timed(func() { h.server.query(h.query) }))
	}
	if got := h.tier2() - found; got < float64(n)*0.9 {
		b.Errorf("only %.0f of %d answers came from Redis", got, n)
	}
	for way, took := range all {
		b.ReportMetric(micro(took, 0.5), way+"-p50-us")
		b.ReportMetric(micro(took, 0.99), way+"-p99-us")
	}
	b.ReportMetric(micro(all["redis"], 0.5)/micro(all["get"], 0.5), "redis/get")
	b.ReportMetric(micro(all["redis"], 0.5)/(micro(all["get"], 0.5)+micro(all["memory"], 0.5)), "redis/(get+memory)")
}

// shared sees to it that the answer is in Redis.
func (h *tier2Bench) shared(b *testing.B) (answer reply) {
	found := h.tier2()
	h.eventually("the answer comes from Redis", func() bool {
		h.weir.cache.Clear()
		answer = h.client.mustQuery(h.query)
		return h.tier2() > found
	})
	return answer
}

// paused measures reads that are not in memory while Redis does not answer.
func (h *tier2Bench) paused(b *testing.B) {
	h.shared(b)
	var through, server []time.Duration
	h.must(h.fleet.redis.Suspend())
	for b.Loop() {
		h.weir.cache.Clear()
		through = append(through, timed(func() { h.client.query(h.query) }))
		server = append(server, timed(func() { h.server.query(h.query) }))
	}
	h.must(h.fleet.redis.Resume())
	h.eventually("Redis is asked again", func() bool {
		before := h.tier2()
		h.weir.cache.Clear()
		h.client.query(h.query)
		return h.tier2() > before
	})
	b.ReportMetric(micro(through, 0.5), "weir-p50-us")
	b.ReportMetric(micro(through, 0.99), "weir-p99-us")
	b.ReportMetric(micro(through, 1), "weir-max-us")
	b.ReportMetric(micro(server, 0.99), "server-p99-us")
	b.ReportMetric(micro(server, 1), "server-max-us")
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// micro is a quantile, in microseconds.
func micro(all []time.Duration, quantile float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return float64(all[min(int(quantile*float64(len(all))), len(all)-1)].Nanoseconds()) / 1000
}
