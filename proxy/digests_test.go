package proxy

import (
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/statement"
)

// digestOf returns what is counted of the statement with the text.
func digestOf(t *testing.T, srv *Server, text string) digest.Stats {
	t.Helper()
	for _, s := range srv.Digests().All() {
		if s.Text == text {
			return s
		}
	}
	t.Fatalf("%q is not among %+v", text, srv.Digests().All())
	return digest.Stats{}
}

// Texts that differ in literals count as one; what they cost at servers and what hits save of that is known.
func TestStatementsAreCounted(t *testing.T) {
	only := newFakeServer(t, "only", fakeAnswers)
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Sampler = func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	c := dialFake(t, addr)
	for _, text := range []string{
		"SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2", "select v from t where id = 1", "SELECT v FROM t WHERE id = 1",
		"SELECT NOW() FROM t WHERE id = 3", "SELECT v FROM t WHERE id = 1",
	} {
		if got := outcomeOf(c, text); got != "1" {
			t.Fatalf("%s: %s", text, got)
		}
	}
	s := digestOf(t, srv, "SELECT v FROM t WHERE id = ?")
	if s.Calls != 5 || s.Hits != 2 || s.Misses != 3 || s.Stores != 3 || s.Bytes == 0 || s.Tables[0] != "shop.t" || s.Schema != "shop" {
		t.Errorf("it is counted as %+v", s)
	}
	if s.BackendSeconds <= 0 || s.SavedSeconds <= 0 || s.P50 <= 0 || s.P99 < s.P50 || time.Since(s.Last) > time.Minute {
		t.Errorf("its times are %+v", s)
	}
	s = digestOf(t, srv, "SELECT NOW() FROM t WHERE id = ?")
	if s.Calls != 1 || s.NotCached[string(statement.NonDeterministic)] != 1 {
		t.Errorf("what is not cacheable is counted as %+v", s)
	}
}

func TestRefusedStoresAreCountedByStatement(t *testing.T) {
	only := newFakeServer(t, "only", fakeAnswers)
	srv, c := serveFakes(t, Reject, only, only.addr()) // there is no sampler, so that nothing can be proved
	outcomeOf(c, "SELECT v FROM t")
	if s := digestOf(t, srv, "SELECT v FROM t"); s.Misses != 1 || s.Stores != 0 || s.Refused[string(cache.RefusedUnproved)] != 1 {
		t.Errorf("it is counted as %+v", s)
	}
}

// What the second tier had counts as a hit of its statement, and so do the hits on what was promoted.
func TestSecondTierHitsAreCountedByStatement(t *testing.T) {
	w := newSecondWorld(t)
	w.finds(w.copyAs(8))
	c := dialFake(t, w.addr)
	outcomeOf(c, rowFive)
	outcomeOf(c, rowFive)
	if all := w.srv.Digests().All(); len(all) != 1 || all[0].Hits != 2 || all[0].Calls != 2 {
		t.Errorf("it is counted as %+v", all)
	}
}

// Literals are shown only under show_literals.
func TestLiteralsAreShownOnlyIfTheyMayBe(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 'hunter2'"
	for _, show := range []bool{false, true} {
		only := newFakeServer(t, "only", fakeAnswers)
		srv, addr, _ := serveUntil(t, Reject, func(cfg *Config, _ *Parts) { cfg.ShowLiterals = show }, only, only.addr())
		c := dialFake(t, addr)
		for _, sql := range []string{text, "SELECT NOW(), 'hunter2'", "SHOW TABLES LIKE 'hunter2'", "hunter2", "SELECT 'hunter2"} {
			outcomeOf(c, sql)
		}
		for _, s := range srv.Digests().All() {
			if strings.Contains(s.Text, "hunter2") || s.Example != "" && !show {
				t.Errorf("with show_literals: %v it shows %q, and %q", show, s.Text, s.Example)
			}
		}
		if s := digestOf(t, srv, "SELECT v FROM t WHERE v = ?"); show && s.Example != text {
			t.Errorf("with show_literals it shows %q", s.Example)
		}
	}
}
