package inflight

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestPace: a server is asked seldom while nothing runs, often while DDL does, and not too often when hurried.
func TestPace(t *testing.T) {
	s := &script{}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		count := func(what string, want int, d time.Duration) {
			before := s.polls()
			after(d)
			if got := s.polls() - before; got != want {
				t.Errorf("%s: %d looks in %s, not %d", what, got, d, want)
			}
		}
		after(time.Millisecond)
		count("idle", 10, 10*time.Second)
		s.set(func(s *script) { s.running = [][]string{row("7", "0.5", "altering", "ALTER TABLE t FORCE")} })
		after(time.Second)
		count("busy", 50, 10*time.Second)
		s.set(func(s *script) { s.running = nil })
		after(time.Second)
		count("idle again", 10, 10*time.Second)
		after(500 * time.Millisecond)
		for range 100 {
			w.Look()
		}
		count("hurried", 1, 45*time.Millisecond)
	})
}

// TestHurried: whoever calls Look all the time makes no more looks than Config.Look lets.
func TestHurried(t *testing.T) {
	s := &script{}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		before := s.polls()
		for range 1000 {
			w.Look()
			after(time.Millisecond)
		}
		if got := s.polls() - before; got < 15 || got > 21 {
			t.Errorf("%d looks in a second", got)
		}
	})
}

// TestAwait: an answer that was asked for before the call does not count.
//
//  1. A look begins; the server takes the list of what runs.
//  2. An ALTER begins.
//  3. Await is called.
//  4. The answer of 1 arrives, without the ALTER.
//  5. The look that Await has asked for begins, and sees it.
func TestAwait(t *testing.T) {
	s := &script{takes: time.Second}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		// 1: the first look is under way, and its answer is fixed.
		s.set(func(s *script) { s.running = [][]string{row("7", "0", "", "ALTER TABLE t FORCE")} }) // 2
		if !w.Looked().IsZero() {
			t.Error("looked before the first answer")
		}
		after(time.Millisecond)
		if err := w.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(w.Now()) != 1 {
			t.Error("what Await returned for does not have the ALTER")
		}
	})
}

// TestAwaitEnds: with its context, or with the servers that do not answer known to be so.
func TestAwaitEnds(t *testing.T) {
	well, slow := &script{}, &script{takes: time.Hour}
	bubble(t, []*script{well, slow}, func(t *testing.T, w *Watch, _ *lines) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v with a server that never answers", err)
		}
	})
	dead := &script{err: errors.New("connection refused")}
	bubble(t, []*script{well, dead}, func(t *testing.T, w *Watch, _ *lines) {
		if err := w.Await(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestOnChange is called when something changes, and not for each look.
func TestOnChange(t *testing.T) {
	s := &script{}
	var calls [][]DDL
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		after(time.Millisecond)
		w.telling.Lock()
		w.OnChange = func(all []DDL) { calls = append(calls, all) }
		w.telling.Unlock()
		waits := func(id, seconds, sql string) []string {
			return row(id, seconds, "Waiting for table metadata lock", sql)
		}
		show := func(running ...[]string) {
			s.set(func(s *script) { s.running = running })
			after(1400 * time.Millisecond)
		}
		show(row("7", "1", "copying", "ALTER TABLE t FORCE"))
		show(waits("7", "3", "ALTER TABLE t FORCE"))
		show(waits("7", "4.5", "ALTER TABLE t FORCE"), waits("8", "0", "select * from t"))
		show(waits("7", "6", "ALTER TABLE t FORCE"), waits("8", "0", "select * from t"), waits("9", "0", "select * from t"))
		show()
	})
	if len(calls) != 4 {
		t.Fatalf("%d calls, not 4: %+v", len(calls), calls)
	}
	last := calls[2]
	if !last[0].Waiting || last[0].Waiters == 0 || len(calls[3]) != 0 {
		t.Errorf("%+v", calls)
	}
}

// TestSince stays what it was first, though servers tell whole seconds; the same text that runs anew begins anew.
func TestSince(t *testing.T) {
	s := &script{running: [][]string{row("7", "3", "", "ALTER TABLE t FORCE")}}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		began := w.Now()[0].Since
		if age := time.Since(began); age < 3*time.Second || age > 4*time.Second {
			t.Errorf("began %s ago", age)
		}
		after(500 * time.Millisecond)
		if !w.Now()[0].Since.Equal(began) {
			t.Error("the beginning moves")
		}
		after(4 * time.Second)
		s.set(func(s *script) { s.running = [][]string{row("7", "0", "", "ALTER TABLE t FORCE")} })
		after(500 * time.Millisecond)
		if !w.Now()[0].Since.After(began.Add(2 * time.Second)) {
			t.Error("another run of the statement has the beginning of the first")
		}
	})
}
