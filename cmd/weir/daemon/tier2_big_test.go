package daemon

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall48BigValues: a result of megabytes goes through Redis as it is, ends with a change like any other, and one
// that Redis is not to have is answered all the same.
func TestPitfall48BigValues(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p, d, c := newTier2Shop(t, flavor, func(c *Config) {
			c.Cache.Limit, c.Redis.MaxValue = 16<<20, 4<<20
			c.Redis.Budget = c.MaxStaleness // a millisecond for each kilobyte
		})
		d.run("CREATE TABLE shop.big (id INT PRIMARY KEY, v LONGTEXT)")
		for _, size := range []int{1 << 20, 3 << 20} {
			d.run(fmt.Sprintf("REPLACE INTO shop.big VALUES (1, %s)", text("one", size)))
			p.recorded()
			p.bothFind(c, "SELECT v FROM big WHERE id = 1", size)
		}
		d.run(fmt.Sprintf("REPLACE INTO shop.big VALUES (2, %s)", text("two", 6<<20)))
		p.recorded()
		tooLarge := p.written(0, "too_large")
		for range 2 {
			p.answersBig(0, c[0], "SELECT v FROM big WHERE id = 2", 6<<20)
		}
		if p.written(0, "too_large") == tooLarge {
			t.Error("a result over redis.max_value was not refused: the test shows nothing")
		}
	})
}

// text is an expression for a text of that size which does not repeat itself soon.
func text(seed string, size int) string {
	return fmt.Sprintf("LEFT(REPEAT(SHA2('%s', 512), %d), %d)", seed, size/128+1, size)
}

// bothFind has the first Weir read a big value, and the second one find it in Redis.
func (p *tier2) bothFind(c [2]*client, query string, size int) {
	p.t.Helper()
	w := p.weirs[1]
	hits := w.counter("weir_second_tier_hits_total", "", "")
	w.eventually("a big value is found in Redis", func() bool {
		w.weir.cache.Clear()
		p.answersBig(0, c[0], query, size)
		p.answersBig(1, c[1], query, size)
		return w.counter("weir_second_tier_hits_total", "", "") > hits || p.t.Failed()
	})
}

func (p *tier2) answersBig(n int, c *client, query string, size int) {
	p.t.Helper()
	want := p.weirs[n].direct("app", "shop")
	defer want.hangUp()
	if got := c.ask(query); got != want.ask(query) || len(got) < size {
		p.t.Errorf("Weir %d gives %d bytes for %s, of %d; or other ones than the source", n+1, len(got), query, size)
	}
}

// TestPitfall50NoHerd: many who ask for the same while Redis does not answer, at both Weirs, cost the source one read for
// each Weir, or hardly more.
func TestPitfall50NoHerd(t *testing.T) {
	const clients = 30
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p, _, c := newTier2Shop(t, flavor, nil)
		for n := range p.weirs {
			p.fromRedis(n, c[n], "SELECT v FROM t WHERE id = 2", "v\nother\n")
		}
		p.must(p.setup.one.Suspend())
		for n, w := range p.weirs {
			misses := w.counter("weir_statements_total", "outcome", "miss")
			p.allAsk(n, clients, "SELECT v FROM t WHERE id = 1", "v\nold\n")
			if got := w.counter("weir_statements_total", "outcome", "miss") - misses; got > 3 {
				t.Errorf("%d clients of Weir %d cost %v reads", clients, n+1, got)
			}
		}
		p.must(p.setup.one.Resume())
		for n := range p.weirs {
			p.fromRedis(n, c[n], "SELECT v FROM t WHERE id = 2", "v\nother\n")
		}
	})
}

// allAsk has that many clients ask a Weir at once, when all are connected.
func (p *tier2) allAsk(n, clients int, query string, want answer) {
	p.t.Helper()
	var ready, all sync.WaitGroup
	start := make(chan struct{})
	for range clients {
		c := p.weirs[n].proxy("app", "shop")
		ready.Add(1)
		all.Go(func() {
			ready.Done()
			<-start
			if got := c.ask(query); got != want {
				p.t.Errorf("Weir %d gives %q, want %q", n+1, strings.TrimSpace(string(got)), want)
			}
		})
	}
	ready.Wait()
	close(start)
	all.Wait()
}
