package inflight

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache/dep"
)

// TestSilence: what a server said last counts for a while when it does not answer, and one warning is given.
func TestSilence(t *testing.T) {
	s := &script{running: [][]string{row("7", "3", "", "ALTER TABLE t FORCE")}}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, log *lines) {
		s.set(func(s *script) { s.err = errors.New("connection refused") })
		after(remembered - 2*time.Second)
		if len(w.Now()) != 1 {
			t.Error("a DDL ended because a connection was cut")
		}
		after(10 * time.Second)
		if len(w.Now()) != 0 {
			t.Error("a DDL of a server that is gone stays for ever")
		}
		s.set(func(s *script) { s.err = nil })
		after(2 * time.Second)
		if len(w.Now()) != 1 {
			t.Error("not seen again")
		}
		if n := strings.Count(log.String(), "does not say which DDL"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, log)
		}
		if n := testutil.ToFloat64(w.metrics.polls.WithLabelValues("a", failed)); n < 30 {
			t.Errorf("%g failed looks counted", n)
		}
	})
}

// TestBlind: without PROCESS the answer lacks the statements of others. That is no answer; it is asked for rarely.
func TestBlind(t *testing.T) {
	s := &script{blind: true}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, log *lines) {
		after(10 * time.Minute)
		if s.polls() != 0 {
			t.Error("asked for what runs, though the answer means nothing")
		}
		if n := strings.Count(log.String(), `GRANT PROCESS ON *.* TO 'o''weir'@'%'`); n != 1 {
			t.Errorf("%d warnings:\n%s", n, log)
		}
		if n := testutil.ToFloat64(w.metrics.polls.WithLabelValues("a", denied)); n < 10 || n > 12 {
			t.Errorf("%g looks in ten minutes", n)
		}
		s.set(func(s *script) { s.blind = false })
		after(2 * time.Minute)
		if s.polls() == 0 {
			t.Error("not asked after the privilege was granted")
		}
	})
}

// TestShadows: a tool's work counts from when its table is there until it is gone; what it runs is on the original.
func TestShadows(t *testing.T) {
	s := &script{shadows: [][]string{{"app", "_t_gho"}, {"app", "_t_ghc"}, {"app", "_x_gho"}}, exist: [][]string{{"t"}}}
	bubble(t, []*script{s}, func(t *testing.T, w *Watch, _ *lines) {
		all := w.Now()
		if len(all) != 1 || all[0].Tool != GhOst || !slices.Equal(all[0].Tables, []dep.Name{{Schema: "app", Table: "t"}}) {
			t.Fatalf("%+v", all)
		}
		s.set(func(s *script) {
			s.running, s.shadows = [][]string{row("7", "0", "", "ALTER TABLE _t_gho ADD b INT")}, nil
		})
		after(10 * time.Second)
		all = w.Now()
		if len(all) != 2 || all[1].Tool != GhOst || all[1].Tables[0].Table != "t" || !all[0].Since.Before(all[1].Since) {
			t.Errorf("%+v", all)
		}
		s.set(func(s *script) { s.running = nil })
		after(10 * time.Second)
		synctest.Wait()
		if len(w.Now()) != 0 {
			t.Errorf("%+v", w.Now())
		}
	})
}
