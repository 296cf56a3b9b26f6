package proxy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/wire"
)

// TestPitfall31ProofsAndChanges: a proof counts until a later change, and a later proof is never taken back by an
// earlier one that was slow.
func TestPitfall31ProofsAndChanges(t *testing.T) {
	change := cache.Mark{Epoch: 2, Seq: 50}
	for _, c := range []struct {
		name   string
		proofs []cache.Mark
		want   bool
	}{
		{"none", nil, false},
		{"since the change", []cache.Mark{{Epoch: 2, Seq: 50}}, true},
		{"since a later one", []cache.Mark{{Epoch: 2, Seq: 60}}, true},
		{"since the one before", []cache.Mark{{Epoch: 2, Seq: 40}}, false},
		{"of another epoch", []cache.Mark{{Epoch: 1, Seq: 90}}, false},
		{"a slow one comes last", []cache.Mark{{Epoch: 2, Seq: 50}, {Epoch: 2, Seq: 40}}, true},
		{"a slow one of another epoch comes last", []cache.Mark{{Epoch: 2, Seq: 50}, {Epoch: 1, Seq: 90}}, true},
	} {
		a := &account{}
		for _, at := range c.proofs {
			a.prove(at)
		}
		if got := a.provedSince(change); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if !(&account{listed: true}).provedSince(change) {
		t.Error("a listed account needs a proof")
	}
}

// TestPitfall31HitAfterAChange replays the second interleaving of the comment at account, at the point where B's result
// is in the cache under the key that A uses.
func TestPitfall31HitAfterAChange(t *testing.T) {
	s, _, text := hitSession(t)
	ledger := s.server.cache.Ledger()
	s.server.users = newAccounts(nil)
	old, changed := s.server.users.of("app", "old"), s.server.users.of("app", "changed")
	hit := func(a *account) bool {
		s.account = a
		return s.cached(s.makeKey(text)) != nil
	}
	old.prove(s.server.accounts())
	if !hit(old) {
		t.Fatal("before the change the old password is not good for a hit")
	}
	ledger.Record(20, []cache.Tag{dep.Everything(), dep.Accounts().Tag()})
	changed.prove(s.server.accounts())
	tags := dep.Tags([]dep.Name{dep.Fold("shop", "products")})
	e := cache.NewEntry(slices.Clone(s.makeKey(text)), []byte("B's"), tags, cache.Mark{Epoch: ledger.Epoch(), Seq: 20})
	if why := s.server.cache.Put(e, time.Hour); why != cache.Stored {
		t.Fatal(why)
	}
	if hit(old) {
		t.Error("the old password is good for what was read with the new one")
	}
	if !hit(changed) {
		t.Error("the new password gets no hit")
	}
	old.prove(s.server.accounts()) // both are right, as with RETAIN CURRENT PASSWORD
	if !hit(old) {
		t.Error("the old password gets no hit after a backend has taken it again")
	}
}

// TestPitfall31PoolsOfTwoPasswords replays the first interleaving: a connection that was made with one password is not
// found by a session with the other.
func TestPitfall31PoolsOfTwoPasswords(t *testing.T) {
	b := newBackend("x", nil)
	s, _, _ := hitSession(t)
	s.server.users = newAccounts(nil)
	key := func(password string) poolKey {
		s.client.Password = password
		s.begin()
		return s.poolKey
	}
	old, changed := b.pool(key("old"), true), b.pool(key("changed"), true)
	if old == changed {
		t.Fatal("two passwords share a pool")
	}
	if b.pool(key("old"), true) != old {
		t.Error("one password has two pools")
	}
	b.retire(s.server.users.of("app", "old"))
	if !old.closed || changed.closed {
		t.Errorf("after one was refused: closed %v and %v, want true and false", old.closed, changed.closed)
	}
	if b.pool(key("old"), true) == old {
		t.Error("a pool is used that has been closed")
	}
}

func TestRememberedPasswords(t *testing.T) {
	a := newAccounts(nil)
	one := a.of("u", "1")
	if got := a.passwords("u"); len(got) > 0 {
		t.Errorf("before any proof: %v", got)
	}
	a.remember(one)
	if a.of("u", "1") != one || a.of("u", "2") == one || a.of("v", "1") == one {
		t.Error("accounts are mixed up")
	}
	for _, p := range []string{"2", "3", "2", "4", "5"} {
		a.remember(a.of("u", p))
	}
	if got := a.passwords("u"); !slices.Equal(got, []string{"5", "4", "3", "2"}) {
		t.Errorf("remembered: %v", got)
	}
	five := a.of("u", "5")
	five.prove(cache.Mark{Epoch: 1})
	a.forget(five)
	if got := a.passwords("u"); !slices.Equal(got, []string{"4", "3", "2"}) || five.provedSince(cache.Mark{Epoch: 1}) {
		t.Errorf("after one was refused: %v, still proved %v", got, five.provedSince(cache.Mark{Epoch: 1}))
	}
	listed := newAccounts([]User{{Name: "u", Password: "p"}})
	listed.forget(listed.of("u", "p"))
	if p, ok := listed.password("u"); p != "p" || !ok {
		t.Error("a listed account is forgotten")
	}
	if _, ok := listed.password("v"); ok {
		t.Error("who is not listed has a password")
	}
}

// TestLoginWhileNobodyCanTell: with a stream that is not current a remembered password is not taken without a question.
func TestLoginWhileNobodyCanTell(t *testing.T) {
	s, _, _ := hitSession(t)
	s.server.users = newAccounts(nil)
	a := s.server.users.of("app", "secret")
	a.prove(s.server.accounts())
	if !s.server.current(a) {
		t.Error("with a current stream it is asked")
	}
	s.server.cfg.MaxStaleness = -time.Second
	if s.server.current(a) {
		t.Error("with a stream that is not current it is not asked")
	}
}

// TestRefusal: what a client is told when its account could not be proved.
func TestRefusal(t *testing.T) {
	s, _, _ := hitSession(t)
	s.server.users = newAccounts(nil)
	s.client.Password, s.client.Host = "x", "10.0.0.9"
	s.begin()
	denied := wire.Errorf(wire.CodeAccessDenied, "Access denied for user 'app'@'weir' (using password: YES)")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"let in", nil, ""},
		{"denied", denied, "server error 1045 (28000): Access denied for user 'app'@'10.0.0.9' (using password: YES)"},
		{"no such database", wire.Errorf(wire.CodeUnknownDatabase, "Unknown database"), "server error 1049 (42000): Unknown database"},
		{"nobody there", errLost, "server error 1105 (HY000): Weir cannot ask a server about account 'app': lost the connection to the backend"},
	} {
		got := ""
		if said := s.server.refusal(s, c.err); said != nil {
			got = said.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	s.account.prove(s.server.accounts())
	if said := s.server.refusal(s, errLost); said != nil {
		t.Errorf("an account that is known is kept out by a backend that is down: %v", said)
	}
}

// BenchmarkServersAccountHit is a hit of an account that a backend has let in.
func BenchmarkServersAccountHit(b *testing.B) {
	s, _, text := hitSession(b)
	s.account = &account{user: "app"}
	s.account.prove(s.server.accounts())
	b.ReportAllocs()
	for b.Loop() {
		s.query(b.Context(), text)
	}
}

// TestPitfall31EveryLookupIsEntitled: nobody asks the cache for a client but session.cached. What another lookup returns
// might have been read with a password that the session does not know.
func TestPitfall31EveryLookupIsEntitled(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), ".cache.Get") {
			found = append(found, file)
		}
	}
	if !slices.Equal(found, []string{"admit.go"}) {
		t.Errorf("the cache is asked in %v; use session.cached", found)
	}
}
