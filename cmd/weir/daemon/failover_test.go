package daemon

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// serviceWithin is how long there may be no hits after a promotion.
const serviceWithin = 5 * time.Second

// TestFailoverOfTheSource: the replica becomes the source, planned and after the source was killed, and then the other way
// round.
func TestFailoverOfTheSource(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.start(p.bothMayBe)
		reader := p.proxy("app", "shop")
		p.works(p.at(p.source), reader, "first")

		p.swap()
		p.hitsAgain("planned", reader)
		p.works(p.at(p.source), reader, "planned")
		p.swap()
		p.hitsAgain("planned, back", reader)
		p.works(p.at(p.source), reader, "back")

		p.must(p.other.CatchUp(t.Context()))
		p.fails()
		p.hitsAgain("killed", reader)
		p.works(p.at(p.source), reader, "killed")
		body, _ := get(t, p.weir.AdminAddr(), "/readyz")
		if !strings.Contains(body, p.source.Addr()) {
			t.Errorf("/readyz does not say that %s is followed: %q", p.source.Addr(), body)
		}
	})
}

// hitsAgain asks until the answer is a hit, of an epoch of the new source, and logs how long that took.
func (p *candidates) hitsAgain(how string, reader *client) {
	p.t.Helper()
	for {
		serves := p.servesAgain()
		_, hit := reader.asked(one)
		took := time.Since(p.promoted)
		if hit && serves {
			p.t.Logf("%s: hits again after %s", how, took.Round(time.Millisecond))
			if took > serviceWithin {
				p.t.Errorf("%s: hits again only after %s", how, took)
			}
			return
		}
		if took > 4*serviceWithin {
			p.t.Fatalf("%s: no hits after %s%s", how, took, p.condition())
		}
	}
}

// TestFailoverTwoSources: a server that was the source comes back and takes writes, beside the new one. Nobody can tell
// which is right: nothing is served from the cache, reads go where they went, until one of them is read-only.
func TestFailoverTwoSources(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.start(p.bothMayBe)
		reader := p.proxy("app", "shop")
		reader.warm(one)
		p.swap()
		p.isFollowed()
		reader.warm(one)
		p.must(p.other.Promote(t.Context()))
		p.takesWrites(p.other, true)
		p.eventually("/readyz says that there are two", func() bool {
			body, code := get(t, p.weir.AdminAddr(), "/readyz")
			return code == http.StatusServiceUnavailable && strings.Contains(body, "more than one server takes writes")
		})
		p.at(p.source).run("UPDATE t SET v = 'here' WHERE id = 1")
		for range 3 {
			if got, hit := reader.asked(one); got != "v\nhere\n" || hit {
				t.Errorf("while there are two Weir answers %q (hit: %v)", got, hit)
			}
		}
		p.takesWrites(p.other, false)
		p.complete()
		reader.warm(one)
		if p.weir.sourceAddr() != p.source.Addr() {
			t.Errorf("Weir follows %s", p.weir.sourceAddr())
		}
	})
}

// TestFailoverReplicaThatTakesWrites: a replica that was never made read-only is not the source, neither beside the source
// nor while that does not answer.
func TestFailoverReplicaThatTakesWrites(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.takesWrites(p.other, true)
		p.start(p.bothMayBe)
		reader := p.proxy("app", "shop")
		p.works(p.at(p.source), reader, "both take writes")
		p.source.Kill()
		p.eventually("the stream is broken", func() bool { return p.weir.notReady() != "" })
		if got := p.weir.sourceAddr(); got != p.source.Addr() {
			t.Errorf("while the source restarts Weir follows %s", got)
		}
		p.must(p.source.Restart(t.Context()))
		p.takesWrites(p.source, true)
		p.isFollowed()
		p.works(p.at(p.source), reader, "restarted")
	})
}

// TestFailoverOfASourceThatHangs: the source does not answer, and does not refuse either. Who waits for it learns so once
// another one is followed.
func TestFailoverOfASourceThatHangs(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.start(p.bothMayBe)
		reader, waits := p.proxy("app", "shop"), p.proxy("app", "shop")
		reader.warm(one)
		waits.run("SELECT 1")
		p.must(p.source.Suspend())
		answered := make(chan answer, 1)
		go func() { answered <- waits.ask("SELECT SQL_NO_CACHE v FROM t WHERE id = 2") }()
		p.applied(p.other)
		p.promote()
		p.hitsAgain("hangs", reader)
		<-answered
		p.works(p.at(p.source), reader, "after")
		p.must(p.other.Resume())
	})
}

// TestPitfall14ErrantTransactionOfAnOldSource replays R25: the source commits what nobody gets, is killed, and comes back as
// a replica. What it alone has is never seen through Weir.
func TestPitfall14ErrantTransactionOfAnOldSource(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.start(func(c *Config) {
			p.bothMayBe(c)
			c.Backends = []Backend{{Addr: p.source.Addr()}, {Addr: p.other.Addr()}}
		})
		reader := p.proxy("app", "shop")
		reader.warm(one)
		p.must(p.other.StopReplica(t.Context(), "IO"))
		p.at(p.source).run("UPDATE t SET v = 'leftover' WHERE id = 1")
		p.source.Kill()
		p.promote()
		p.isFollowed()
		p.at(p.source).run("UPDATE t SET v = 'new' WHERE id = 2")
		p.must(p.other.Restart(t.Context()))
		p.follows()
		p.must(p.other.CatchUp(t.Context()))

		p.eventually("the leftover is found", func() bool { return p.backendMetric("weir_backend_errant", p.other.Addr()) == 1 })
		p.complete()
		for range 50 {
			for _, q := range []string{one, "SELECT SQL_NO_CACHE v FROM t WHERE id = 1"} {
				if got := reader.ask(q); got != "v\nold\n" {
					t.Fatalf("%s: Weir answers %q", q, got)
				}
			}
		}
		reader.warm(one)
	})
}

func (w *world) backendMetric(name, addr string) float64 {
	w.t.Helper()
	return w.counter(name, "backend", addr)
}
