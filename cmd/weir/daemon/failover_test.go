package daemon

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// serviceWithin is how long there may be no hits after a promotion: a second or two, and more where a machine is busy.
const serviceWithin = 15 * time.Second

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
		if moves, lost := p.counter("weir_source_moves_total", "", ""), p.counter("weir_stream_lost_total", "", ""); moves != 3 || lost != 0 {
			t.Errorf("three moves count as %v, and as the loss of %v places", moves, lost)
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
			return
		}
		if took > serviceWithin {
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
		p.doubts()
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

// doubts waits until Weir says that nobody can tell which server is the source.
func (p *candidates) doubts() {
	p.t.Helper()
	p.eventually("/readyz says that there are two", func() bool {
		body, code := get(p.t, p.weir.AdminAddr(), "/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(body, "more than one server takes writes")
	})
}

// TestFailoverStartWhileThereAreTwo: clients are served while nobody can tell which server is the source, and nothing is
// cached before it is clear. The one that stood in need not be the one that is the source then.
func TestFailoverStartWhileThereAreTwo(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.must(p.other.Promote(t.Context()))
		p.takesWrites(p.other, true)
		p.launch(p.bothMayBe)
		p.doubts()
		reader := p.proxy("app", "shop")
		for range 3 {
			if got, hit := reader.asked(one); got != "v\nold\n" || hit {
				t.Errorf("while nobody can tell which server is the source Weir answers %q (hit: %v)", got, hit)
			}
		}
		p.takesWrites(p.source, false)
		p.source, p.other = p.other, p.source
		p.complete()
		p.works(p.at(p.source), p.proxy("app", "shop"), "it is clear")
		if n := p.counter("weir_source_moves_total", "", ""); n != 0 {
			t.Errorf("the first source that is followed counts as %v moves", n)
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
		stop := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() { p.readsOld(reader, stop) })
		p.must(p.other.Restart(t.Context()))
		p.follows()
		p.must(p.other.CatchUp(t.Context()))

		p.eventually("the leftover is found", func() bool { return p.backendMetric("weir_backend_errant", p.other.Addr()) == 1 })
		p.complete()
		close(stop)
		all.Wait()
		reader.warm(one)
		if got := reader.ask(one); got != "v\nold\n" {
			t.Errorf("the hit is %q", got)
		}
	})
}

// readsOld asks, from the cache and not, until it is told to stop, and then a few times more.
func (p *candidates) readsOld(reader *client, stop <-chan struct{}) {
	for left := 50; left > 0; {
		select {
		case <-stop:
			left--
		case <-time.After(time.Millisecond):
		}
		for _, q := range []string{one, "SELECT SQL_NO_CACHE v FROM t WHERE id = 1"} {
			if got := reader.ask(q); got != "v\nold\n" {
				p.t.Errorf("%s: Weir answers %q", q, got)
				return
			}
		}
	}
}

func (w *world) backendMetric(name, addr string) float64 {
	w.t.Helper()
	return w.counter(name, "backend", addr)
}

// TestFailoverSourceBecomesReadOnly: from the moment on at which the source takes no writes any more, another server may.
// So nothing is complete as of then, whether one does or not, and hits end within max_staleness.
func TestFailoverSourceBecomesReadOnly(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		p.start(p.bothMayBe)
		reader := p.proxy("app", "shop")
		reader.warm(one)
		p.takesWrites(p.source, false)
		if hits := reader.rightAfter(time.Now(), one, "v\nold\n"); hits > 0 {
			t.Errorf("%d hits although the source is read-only for longer than max_staleness", hits)
		}
		p.takesWrites(p.source, true)
		p.works(p.at(p.source), reader, "after")
	})
}

// TestFailoverStreamHasNoGap: what the old source had committed, and Weir had not got from it, comes from the new one, if
// that is MySQL. Nothing that is cached depends on it; whoever looks at the stream, or waits for a position, sees all.
func TestFailoverStreamHasNoGap(t *testing.T) {
	t.Parallel()
	p := newCandidates(t, sandbox.MySQL)
	network := newRelay(t, p.source.Addr())
	p.start(func(c *Config) {
		p.bothMayBe(c)
		c.Source.Addrs[0] = network.addr()
	})
	p.complete()
	network.holdDumps()
	before := p.counter("weir_stream_transactions_total", "", "")
	p.at(p.source).run("UPDATE t SET v = 'unseen' WHERE id = 1")
	p.at(p.source).run("ALTER TABLE t ADD COLUMN unseen INT")
	p.must(p.other.CatchUp(t.Context()))
	network.down()
	network.pass()
	p.takesWrites(p.source, false)
	p.promote()
	p.isFollowed()
	if n := p.counter("weir_stream_transactions_total", "", "") - before; n != 2 {
		t.Errorf("%v transactions came through the stream; want both that the old source had not sent", n)
	}
}

// TestSourceAddrs: what is wrong with a list of candidates is said at the start.
func TestSourceAddrs(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"both", "source: {addr: 'a:1', addrs: ['a:1', 'b:1'], user: weir}", "source.addr and source.addrs are both given"},
		{"twice the same", "source: {addrs: ['a:1', 'a:1'], user: weir}", `source.addrs has "a:1" as number 2`},
		{"no port", "source: {addrs: ['a:1', 'b'], user: weir}", `source.addrs "b" is not host:port`},
		{"none", "source: {addrs: [], user: weir}", "source.addrs is empty"},
	} {
		if _, _, err := parse([]byte(c.yaml)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	one, _, err := parse([]byte("source: {addrs: ['a:1'], user: weir}"))
	if err != nil || one.Source.Addr != "a:1" || len(one.Backends) != 1 {
		t.Errorf("one alone: %+v, %v", one, err)
	}
	two, _, err := parse([]byte("source: {addrs: ['a:1', 'b:1'], user: weir}"))
	if err != nil || len(two.Backends) != 0 {
		t.Errorf("two: %+v, %v", two, err)
	}
}

// TestFailoverNobodyTakesWrites: Weir does not start if it cannot tell who is the source.
func TestFailoverNobodyTakesWrites(t *testing.T) {
	t.Parallel()
	p := newCandidates(t, sandbox.MariaDB)
	p.takesWrites(p.source, false)
	cfg := Default()
	cfg.Listen, cfg.Admin, cfg.Source.User, cfg.Source.Password = "127.0.0.1:0", "127.0.0.1:0", "weir", "weir-secret"
	p.bothMayBe(&cfg)
	if _, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("%v", err)
	}
}
