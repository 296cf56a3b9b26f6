package proxy

import (
	"context"
	"errors"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/identity"
)

func TestPitfall31WhichIdleConnectionsAreTrusted(t *testing.T) {
	last := cache.Mark{Epoch: 2, Seq: 50}
	cases := []struct {
		name string
		conn conn
		want bool
	}{
		{"let in after the last change of accounts", conn{accounts: last}, true},
		{"let in before it", conn{accounts: cache.Mark{Epoch: 2, Seq: 40}}, false},
		{"let in before the place was lost", conn{accounts: cache.Mark{Epoch: 1, Seq: 90}}, false},
		{"by a replica that may not have had it, a moment ago", conn{accounts: last, doubtful: true, since: time.Unix(1000, 0)}, true},
		{"by one that may not have had it, some time ago", conn{accounts: last, doubtful: true, since: time.Unix(998, 0)}, false},
	}
	for _, c := range cases {
		if got := c.conn.trusted(last, time.Unix(1000, 5e8)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPitfall31LastChangeOfAccounts(t *testing.T) {
	everything, accounts, other := dep.Everything(), dep.Accounts().Tag(), dep.Fold("shop", "t").Tag()
	cases := []struct {
		name string
		tags []cache.Tag
		want cache.Seq
	}{
		{"accounts changed", []cache.Tag{accounts, everything}, 20},
		{"only a table changed", []cache.Tag{other}, 0},
		{"a statement was not understood", []cache.Tag{everything}, 0},
		{"only the tag of accounts was touched, which nothing does", []cache.Tag{accounts}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := cache.NewLedger(1 << 10)
			epoch := l.Restart(10)
			l.Record(20, c.tags)
			s := &Server{changes: newAccountChanges(l)}
			if got, want := s.accounts(), (cache.Mark{Epoch: epoch, Seq: c.want}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// answering is a sampler with one answer.
type answering struct {
	at  cache.Mark
	err error
}

func (a answering) Sample(context.Context, cache.Mark, time.Time) (cache.Mark, identity.Identity, error) {
	return a.at, identity.Identity{}, a.err
}

func TestPitfall31WhetherABackendHasAChangeOfAccounts(t *testing.T) {
	change := cache.Mark{Epoch: 2, Seq: 50}
	cases := []struct {
		name    string
		sampler Sampler
		change  cache.Mark
		want    bool
	}{
		{"it has", answering{at: cache.Mark{Epoch: 2, Seq: 50}}, change, true},
		{"it lags", answering{at: cache.Mark{Epoch: 2, Seq: 49}}, change, false},
		{"the answer is of another epoch", answering{at: cache.Mark{Epoch: 1, Seq: 90}}, change, false},
		{"nothing can be proved", answering{at: change, err: errors.New("no")}, change, false},
		{"nobody can be asked", nil, change, false},
		{"there was none", nil, cache.Mark{Epoch: 2}, true},
	}
	for _, c := range cases {
		if got := newBackend("x", c.sampler).has(t.Context(), c.change); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// recordAccounts makes it known that accounts have changed.
func recordAccounts(s *Server) {
	s.cache.Ledger().Record(20, []cache.Tag{dep.Accounts().Tag(), dep.Everything()})
}

// TestPitfall31ForgottenIsNoChangeOfAccounts: a ledger forgets when what was touched last, and that is not a change of
// accounts, whatever it forgets.
func TestPitfall31ForgottenIsNoChangeOfAccounts(t *testing.T) {
	l := cache.NewLedger(1)
	epoch := l.Restart(10)
	changes := newAccountChanges(l)
	for i := range cache.Seq(100) {
		l.Record(100+i, []cache.Tag{cache.Tag(i + 1)})
	}
	if got, want := changes.last(), (cache.Mark{Epoch: epoch}); got != want || l.Last(dep.Everything()) == 0 {
		t.Errorf("got %v, want %v; the history says %s, which should be more", got, want, l.Last(dep.Everything()))
	}
	l.Record(300, []cache.Tag{dep.Accounts().Tag(), dep.Everything()})
	if got, want := changes.last(), (cache.Mark{Epoch: epoch, Seq: 300}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
