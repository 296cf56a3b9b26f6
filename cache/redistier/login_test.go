package redistier

import (
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall50PasswordChanged: a server that refuses the login is out until it lets Weir in again, and nothing counts as
// written meanwhile. The client library tells a refused login for a whole pipeline, and leaves its commands without an error.
func TestPitfall50PasswordChanged(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, cfg := newHistory(), testConfig(r)
	admin := raw(t, r)
	must(t, admin.Do(t.Context(), "ACL", "SETUSER", "weir", "on", ">one", "~*", "+@all").Err())
	cfg.Username, cfg.Password = "weir", "one"
	tier := startTier(t, cfg, h)
	keep(t, tier, entry("k", "answer", h.mark(90)))
	wantFound(t, tier, "k", "answer")

	must(t, admin.Do(t.Context(), "ACL", "SETUSER", "weir", "resetpass", ">two").Err())
	must(t, admin.Do(t.Context(), "CLIENT", "KILL", "USER", "weir").Err())
	written := writes(tier, writeDone)
	for range failuresToOpen {
		tier.OfferAs(entry("k", "answer", h.mark(90)), h.mark(90), time.Second)
	}
	drain(t, tier)
	wantStaysOut(t, tier)
	if now := writes(tier, writeDone); now != written {
		t.Errorf("%d values count as written to a server that has let nobody in", now-written)
	}
	must(t, admin.Do(t.Context(), "ACL", "SETUSER", "weir", "resetpass", ">one").Err())
	wantWell(t, tier, h)
}

// wantStaysOut looks up until the server is out, and then longer than it takes to let one back.
func wantStaysOut(t *testing.T, tier *Tier) {
	t.Helper()
	await(t, "the server is out", func() bool {
		find(t, tier, "k")
		return tier.nodes.open() == 1
	})
	for range 4 {
		<-time.After(goodToClose * probeEvery)
		if tier.nodes.open() == 0 {
			t.Fatal("the server was let back, and still refuses")
		}
	}
}

// TestReadOfAPipelineThatDidNotRun: nobody was asked, and nobody has said that there is nothing.
func TestReadOfAPipelineThatDidNotRun(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "right"})
	cfg := testConfig(r)
	cfg.Password = "wrong"
	tier := startTier(t, cfg, newHistory())
	for _, reply := range tier.nodes.read(t.Context(), []string{"a", "b"}) {
		if reply.err == nil {
			t.Error("a server that refuses the login has nothing under the name")
		}
	}
}

// TestPitfall50NoSentinel: what redis.master_name is asked of is a server of data, and refuses the question.
func TestPitfall50NoSentinel(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, cfg := newHistory(), testConfig(r)
	cfg.MasterName = "mymaster"
	tier := startTier(t, cfg, h)
	for range failuresToOpen {
		tier.OfferAs(entry("k", "answer", h.mark(90)), h.mark(90), time.Second)
	}
	drain(t, tier)
	wantStaysOut(t, tier)
	if n := writes(tier, writeDone); n != 0 {
		t.Errorf("%d values count as written, and there is no server", n)
	}
}
