package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// newTier2Shop starts a source with the table shop.t, and two Weirs that share a server, the first one through a network with
// faults. Nobody writes or reads but the test.
func newTier2Shop(t testing.TB, flavor sandbox.Flavor, configure func(*Config)) (p *tier2, d *client, readers [2]*client) {
	t.Helper()
	p = startWeirs(t, flavor, oneRedis, configure)
	d, readers[0] = p.weirs[0].shop()
	p.recorded()
	readers[1] = p.weirs[1].proxy("app", "shop")
	return p, d, readers
}

// fromRedis asks with no memory until the answer has come out of Redis, which must be the wanted one each time.
func (p *tier2) fromRedis(n int, c *client, query string, want answer) {
	p.t.Helper()
	w := p.weirs[n]
	w.eventually("Weir finds the result in Redis", func() bool {
		before := w.counter("weir_second_tier_hits_total", "", "")
		w.weir.cache.Clear()
		if got := c.ask(query); got != want {
			p.t.Fatalf("Weir %d gives %q for %s, want %q", n+1, got, query, want)
		}
		return w.counter("weir_second_tier_hits_total", "", "") > before
	})
}

// written is how many results the Weir has tried to write to Redis, with that outcome.
func (p *tier2) written(n int, outcome string) float64 {
	return p.weirs[n].counter("weir_redis_writes_total", "outcome", outcome)
}

// TestPitfall45SetThatLandsLate: a result that was written before a change lands in Redis after what was stored since, and
// after it was given up.
//
//  1. The first Weir reads v = 'old', as of 90. Its SET is on its way, and given up.
//  2. The row changes at 95. The second Weir reads 'new', and stores it.
//  3. The SET of 1 lands: Redis has 'old' again.
//  4. Both find it. The row has changed since 90: it is no answer.
func TestPitfall45SetThatLandsLate(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p, d, c := newTier2Shop(t, flavor, nil)
		const query = "SELECT v FROM t WHERE id = 1"
		p.fromRedis(0, c[0], "SELECT v FROM t WHERE id = 2", "v\nother\n") // it writes, and reads

		p.setup.network.holdWords("\r\nset\r\n")
		failed := p.written(0, "failed")
		if got := c[0].ask(query); got != "v\nold\n" {
			t.Fatalf("%q", got)
		}
		p.eventually("the write is given up", func() bool { return p.written(0, "failed") > failed })

		d.run("UPDATE shop.t SET v = 'new' WHERE id = 1")
		p.recorded()
		p.fromRedis(1, c[1], query, "v\nnew\n")
		held := p.values()
		p.setup.network.pass()
		p.eventually("the write lands", func() bool { return p.values() != held })

		for range 3 {
			for n := range p.weirs {
				p.weirs[n].weir.cache.Clear()
				for range 2 {
					if got := c[n].ask(query); got != "v\nnew\n" {
						t.Errorf("Weir %d gives %q", n+1, got)
					}
				}
			}
		}
		for n := range p.weirs {
			p.fromRedis(n, c[n], query, "v\nnew\n")
		}
	})
}

// values is all that Redis holds of results, as text that differs if any does.
func (p *tier2) values() (all string) {
	p.t.Helper()
	keys, _ := p.does(p.setup.one, "KEYS", "*").([]any)
	slices.SortFunc(keys, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, k := range keys {
		if p.does(p.setup.one, "TYPE", k) == "string" {
			all += fmt.Sprintf("%s=%x\n", k, p.does(p.setup.one, "GET", k))
		}
	}
	return all
}
