package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
	"weir/replicator/identity"
)

// scripted is a sampler whose answer the test sets.
type scripted struct {
	lacks cache.Seq // how far it is behind the head; 0 if it is not
	err   error
	takes time.Duration
}

func (s *scripted) Sample(_ context.Context, need cache.Mark, _ time.Time) (cache.Mark, identity.Identity, error) {
	time.Sleep(s.takes) //nolint:forbidigo // the test's own clock
	return cache.Mark{Epoch: need.Epoch, Seq: need.Seq - s.lacks}, identity.Identity{}, s.err
}

// watched is a backend with a watch that has looked once, and its sampler and ledger.
func watched(t *testing.T) (*watch, *scripted, *cache.Ledger) {
	t.Helper()
	l := cache.NewLedger(2)
	l.Restart(10)
	l.Advance(100)
	sampler := &scripted{}
	s := &Server{
		cfg: DefaultConfig(), cache: cache.New(cache.DefaultConfig(), l, nil), log: slog.New(slog.DiscardHandler),
	}
	s.followed.Store(newBackend("source", nil))
	w := &watch{server: s, backend: newBackend("x", sampler)}
	w.backend.heard()
	w.check(t.Context())
	return w, sampler, l
}

var errSilent = errors.New("no answer")

func TestBackendIsDownAfterTwoSilentChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, sampler, _ := watched(t)
		for i, step := range []struct {
			err     error
			hears   bool // a statement gets an answer meanwhile
			wantsUp bool
		}{
			{nil, false, true}, {errSilent, false, true}, {nil, false, true}, {errSilent, false, true}, {errSilent, false, false},
			{errSilent, false, false}, {nil, false, true}, {errSilent, false, true}, {errSilent, true, true}, {errSilent, false, true},
			{errSilent, false, false}, {fmt.Errorf("%w: no such account", ErrAnswered), false, true},
		} {
			time.Sleep(time.Second) //nolint:forbidigo // the test's own clock
			sampler.err, sampler.takes = step.err, time.Millisecond
			if step.hears {
				time.AfterFunc(time.Microsecond, w.backend.heard)
			}
			w.check(t.Context())
			synctest.Wait()
			if got := w.backend.up(); got != step.wantsUp {
				t.Fatalf("step %d: it is up: %v, want %v", i, got, step.wantsUp)
			}
		}
	})
}

// A frozen server's connections are given up, but not those of one that still answers statements.
func TestSilentBackendIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, answers := range []bool{true, false} {
			w, sampler, _ := watched(t)
			mine, theirs := net.Pipe()
			w.backend.conns.add(&conn{net: mine})
			sampler.err = errSilent
			for range 8 {
				time.Sleep(time.Second) //nolint:forbidigo // the test's own clock
				if answers {
					w.backend.heard()
				}
				w.check(t.Context())
			}
			cut := w.backend.conns.cut() == 0
			if cut == answers {
				t.Errorf("the server answers statements: %v; its connections are given up: %v", answers, cut)
			}
			theirs.Close()
		}
	})
}

func TestMaxLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, sampler, l := watched(t)
		step := func(name string, wantLags bool, wantLag time.Duration) {
			t.Helper()
			w.check(t.Context())
			if got, lag := w.backend.lagging.Load(), time.Duration(w.backend.lag.Load()); got != wantLags || lag != wantLag {
				t.Errorf("%s: it lags: %v, by %s; want %v, %s", name, got, lag, wantLags, wantLag)
			}
		}
		wait := func(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // the test's own clock
		step("it has all", false, 0)
		wait(time.Hour)
		step("nothing has changed for an hour", false, 0)
		l.Advance(200)
		sampler.lacks = 50
		step("it lacks a change that was just recorded", false, 0)
		wait(10 * time.Second)
		step("it has lacked it for max_lag", false, 10*time.Second)
		wait(time.Millisecond)
		step("for longer", true, 10*time.Second+time.Millisecond)
		sampler.err = fmt.Errorf("%w: no such account", ErrAnswered)
		step("it cannot be told", true, noLag)
		sampler.err, sampler.lacks = nil, 0
		step("it has caught up", false, 0)
		sampler.err = fmt.Errorf("%w: foreign", ErrLacksBase)
		step("it has never had what was there at the first look", true, time.Hour+10*time.Second+time.Millisecond)
		w.server.followed.Store(w.backend)
		step("it is the source", false, time.Hour+10*time.Second+time.Millisecond)
		w.server.followed.Store(newBackend("source", nil))
		w.server.cfg.MaxLag = 0
		step("there is no bound", false, time.Hour+10*time.Second+time.Millisecond)
	})
}

// TestVetting: a server that was the source answers reads again once a check has compared it with the new one, which is in
// an epoch that began later; one that has what the source has not, once it has that no more.
func TestVetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, sampler, l := watched(t)
		may := func(name string, want bool) {
			t.Helper()
			w.check(t.Context())
			if got := w.backend.mayRead(w.server.source()); got != want {
				t.Errorf("%s: it may answer reads: %v, want %v", name, got, want)
			}
		}
		may("a replica", true)
		w.server.sources = []*backend{w.backend, w.server.source()}
		w.server.Follow(w.backend.addr, false)
		may("the source", true)
		w.server.Follow("source", false)
		may("compared in the epoch of before, with itself", false)
		l.Restart(10)
		sampler.err = fmt.Errorf("%w: has not come through the stream yet", ErrAnswered)
		may("it cannot be told", false)
		sampler.err = nil
		may("it has nothing of its own", true)
		sampler.err = fmt.Errorf("%w: 3:11", ErrErrant)
		may("it has", false)
		if !w.backend.up() || w.misses > 0 {
			t.Error("it counts as silent")
		}
		sampler.err = nil
		may("it has it no more", true)
	})
}
