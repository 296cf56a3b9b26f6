package proxy

import (
	"testing"
	"time"

	"weir/cache"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// observer is a proxy under OBSERVE in front of one server.
func observer(t *testing.T, change func(*Config, *Parts)) (*Server, *fakeServer, string) {
	t.Helper()
	only := newFakeServer(t, "only", fakeAnswers)
	srv, addr, _ := serveUntil(t, Reject, func(cfg *Config, p *Parts) {
		ledger := p.Cache.Ledger()
		cfg.CacheType = Observe
		p.Sampler = func(string) Sampler { return upToDate{ledger, "only"} }
		change(cfg, p)
	}, only, only.addr())
	return srv, only, addr
}

// Under OBSERVE each answer comes from the server, and what would have been a hit is noted: until a change.
func TestObserve(t *testing.T) {
	const text = "SELECT v FROM t"
	srv, only, addr := observer(t, func(*Config, *Parts) {})
	c := dialFake(t, addr)
	for range 3 {
		if got := outcomeOf(c, text); got != "1" {
			t.Fatal(got)
		}
	}
	touch(srv, "t", 95)
	outcomeOf(c, text)
	outcomeOf(c, text)
	if n := len(only.statements()); n != 5 {
		t.Errorf("the server was asked %d times", n)
	}
	s := digestOf(t, srv, text)
	if s.Hits != 0 || s.Misses != 5 || s.WouldHits != 3 || s.Stores != 0 || s.WouldBytes == 0 || s.Changed != 1 {
		t.Errorf("it is counted as %+v", s)
	}
	o := srv.Observed()
	if o.Reads != 5 || o.WouldHits != 3 || o.HitRatio != .6 || o.Results != 1 || o.Bytes == 0 || o.Tables[0].Stores != 2 {
		t.Errorf("the report is %+v", o)
	}
}

// What lies in memory, from before the setting became OBSERVE, is served to nobody: neither to who looks it up first, nor to
// who comes from a directive, nor inside a transaction.
func TestObserveServesNothing(t *testing.T) {
	const text, directed = "SELECT v FROM t", "/* weir: max_staleness=1h */ SELECT v FROM t"
	first, only := newFakeServer(t, "only", fakeAnswers), &Parts{}
	caching, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Catalog, p.Sampler = &describedTables{}, func(string) Sampler { return upToDate{ledger, "only"} }
		*only = *p
	}, first, first.addr())
	c := dialFake(t, addr)
	outcomeOf(c, text)
	outcomeOf(c, directed)
	outcomeOf(c, text)
	if n := len(first.statements()); n != 2 || caching.cache.Stats().Entries != 2 {
		t.Fatal("nothing was stored; the test shows nothing")
	}
	srv, second, addr := observer(t, func(cfg *Config, p *Parts) { cfg.Transactions, *p = Snapshot, *only })
	c = dialFake(t, addr)
	outcomeOf(c, text)
	outcomeOf(c, directed)
	if n := len(second.statements()); n != 2 {
		t.Errorf("the server was asked %d times", n)
	}
	s := newSession(srv, &sink{}, &login.Session{User: "app", Database: "shop", Reader: wire.NewReader(nil)}, 7)
	ledger, key := srv.cache.Ledger(), keyOf(t, caching, text)
	e := srv.cache.Get(key, time.Hour)
	if e == nil {
		t.Fatal("it is not there any more; the test shows nothing")
	}
	opened := ledger.Now()
	ledger.SetComplete(ledger.Epoch(), ledger.Now())
	at := cache.Snapshot{Holds: ledger.Mark(), Opened: opened, Read: map[cache.Tag]time.Duration{}}
	for _, tag := range e.Tags {
		at.Read[tag] = opened
	}
	if srv.cache.GetAt(key, at) == nil {
		t.Fatal("a transaction would not find it in any case; the test shows nothing")
	}
	if s.cached(key) != nil || s.cachedAt(key, at) != nil {
		t.Error("something is found under OBSERVE")
	}
}
