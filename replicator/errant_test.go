package replicator

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

const oldSource, newSource = "33333333-3333-3333-3333-333333333333", "44444444-4444-4444-4444-444444444444"

// vetting is a sampler with a source that has written something.
func vetting(t *testing.T, source string) (*Sampler, func(string) *gtid.State) {
	t.Helper()
	state := func(text string) *gtid.State {
		s, err := gtid.ParseState(gtid.MySQL, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	l, j := cache.NewLedger(4), NewJournal()
	j.Restart(l.Restart(1), mustSet(t, gtid.MySQL, source))
	j.Has(state(source))
	return &Sampler{ledger: l, journal: j}, state
}

// TestPitfall14StrayTransactions: what a server has that the source is not known to have is waited for. It is errant once
// the ledger is complete as of a later moment, and nothing is known of it before.
func TestPitfall14StrayTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, state := vetting(t, oldSource+":1-9")
		if err := s.stray(t.Context(), state(oldSource+":1-8"), s.ledger.Now()); err != nil {
			t.Errorf("a server that lags: %v", err)
		}
		go func() {
			<-time.After(30 * time.Millisecond)
			s.journal.Append(mysqlGTID(t, "3:10"), 10)
		}()
		if err := s.stray(t.Context(), state(oldSource+":1-10"), s.ledger.Now()); err != nil {
			t.Errorf("the stream came to it a little later: %v", err)
		}
		if err := s.stray(t.Context(), state(oldSource+":1-11"), s.ledger.Now()); !errors.Is(err, errUnknown) || Errant(err) {
			t.Errorf("the stream does not come to it: %v", err)
		}
		first := s.doubtful.since
		s.ledger.SetComplete(s.ledger.Epoch(), first-time.Millisecond)
		if err := s.stray(t.Context(), state(oldSource+":1-11"), s.ledger.Now()); Errant(err) {
			t.Errorf("complete as of before it was asked: %v", err)
		}
		s.ledger.SetComplete(s.ledger.Epoch(), first)
		err := s.stray(t.Context(), state(oldSource+":1-11"), s.ledger.Now())
		if !Errant(err) {
			t.Errorf("complete as of when it was first asked: %v", err)
		}
		if err := s.stray(t.Context(), state(oldSource+":1-12"), s.ledger.Now()); Errant(err) {
			t.Errorf("of another transaction nothing is known yet: %v", err)
		}
	})
}

// TestSourceMovesWhileItIsSampled replays R26 in each order: an answer of a server as the source counts only in an epoch of
// that source.
func TestSourceMovesWhileItIsSampled(t *testing.T) {
	older, newer := identity.Identity{Flavor: gtid.MySQL, ID: oldSource}, identity.Identity{Flavor: gtid.MySQL, ID: newSource}
	for _, c := range []struct {
		name string
		// moves says before which of the sampler's steps the reader does which of its own.
		before, between, told, after func(l *cache.Ledger, follow func(identity.Identity))
		counts                       bool
	}{
		{name: "nothing moves", counts: true},
		{name: "the epoch begins before the answer", after: func(l *cache.Ledger, follow func(identity.Identity)) {
			follow(identity.Identity{})
			l.Restart(1)
			follow(newer)
		}},
		{name: "nobody is followed when it is asked who is", between: func(l *cache.Ledger, follow func(identity.Identity)) {
			follow(identity.Identity{})
			l.Restart(1)
		}},
		{name: "all of it while it is asked who is followed", between: func(l *cache.Ledger, follow func(identity.Identity)) {
			follow(identity.Identity{})
			l.Restart(1)
			follow(newer)
		}},
		{name: "all of it right after it was told who is followed", told: func(l *cache.Ledger, follow func(identity.Identity)) {
			follow(identity.Identity{})
			l.Restart(1)
			follow(newer)
		}},
		{name: "all of it before", before: func(l *cache.Ledger, follow func(identity.Identity)) {
			follow(identity.Identity{})
			l.Restart(1)
			follow(newer)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := cache.NewLedger(4)
			l.Restart(1)
			following := older
			follow := func(id identity.Identity) { following = id }
			step := func(f func(*cache.Ledger, func(identity.Identity))) {
				if f != nil {
					f(l, follow)
				}
			}
			s := &Sampler{ledger: l, source: func() identity.Identity {
				step(c.between)
				told := following
				step(c.told)
				return told
			}}
			step(c.before)
			r, err := s.roleOf(older)
			step(c.after)
			if err == nil {
				err = r.check(l.Mark()) // the epoch that the answer would be of
			}
			if counts := err == nil && r.source; counts != c.counts {
				t.Errorf("as the source's the answer counts: %v (%v)", counts, err)
			}
		})
	}
}
