package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script answers one after the other, and repeats the last.
type script struct {
	answers []answer
	at      []time.Duration // when it was asked, since the test began
	start   time.Time
}

func (s *script) ask(context.Context, string) (answer, error) {
	s.at = append(s.at, time.Since(s.start))
	a := s.answers[min(len(s.at), len(s.answers))-1]
	if a == "error" {
		return "", errors.New("gone away")
	}
	return a, nil
}

func TestAuditorDecision(t *testing.T) {
	for _, c := range []struct {
		name                               string
		source, weir, replica              []answer
		compared, stale, behind, undecided int64
	}{
		{name: "right", source: []answer{"a"}, weir: []answer{"a"}, compared: 1},
		{
			name:   "stale: the source had it all the time, the replica has it, too",
			source: []answer{"b"}, weir: []answer{"a"}, replica: []answer{"b"}, compared: 1, stale: 1,
		},
		{
			name:   "never an answer of the source's at all",
			source: []answer{"b"}, weir: []answer{"z"}, replica: []answer{"b"}, compared: 1, stale: 1,
		},
		{
			name:   "the replica is behind itself",
			source: []answer{"b"}, weir: []answer{"a"}, replica: []answer{"a"}, compared: 1, behind: 1,
		},
		{
			name:   "the replica is behind, but Weir's answer is another one",
			source: []answer{"c"}, weir: []answer{"a"}, replica: []answer{"b"}, compared: 1, stale: 1,
		},
		{
			name:   "it changed in between: old or new, nothing is decided; then it stays",
			source: []answer{"a", "b", "b"}, weir: []answer{"a", "b"}, compared: 1,
		},
		{
			name:   "it changed in between; then Weir still has the old answer",
			source: []answer{"a", "b", "b"}, weir: []answer{"a", "a"}, replica: []answer{"b"}, compared: 1, stale: 1,
		},
		{
			name:   "it keeps changing",
			source: []answer{"a", "b", "c", "d", "e"}, weir: []answer{"a"}, undecided: 1,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			source, weir, replica := &script{answers: c.source, start: time.Now()}, &script{answers: c.weir, start: time.Now()}, &script{answers: c.replica}
			var f findings
			a := auditor{weir: weir.ask, source: source.ask, replica: replica.ask, maxStaleness: time.Second, findings: &f}
			if err := a.sample(t.Context(), nil, "SELECT 1"); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			got := [...]int64{f.compared.Load(), f.stale.n.Load(), f.behind.Load(), f.undecided.Load()}
			if want := [...]int64{c.compared, c.stale, c.behind, c.undecided}; got != want {
				t.Errorf("%s: compared, stale, behind, undecided are %v, want %v", c.name, got, want)
			}
			if len(replica.at) > 0 != (c.stale+c.behind > 0) {
				t.Errorf("%s: the replica was asked %d times", c.name, len(replica.at))
			}
			for i, at := range weir.at {
				if at < source.at[i]+time.Second {
					t.Errorf("%s: Weir was asked %v after the start, %v after the source", c.name, at, at-source.at[i])
				}
			}
		})
	}
}

// TestAuditorExample: the report has all that is needed to look into it.
func TestAuditorExample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, weir := &script{answers: []answer{"id\n2\n"}}, &script{answers: []answer{"id\n1\n"}}
		var f findings
		a := auditor{weir: weir.ask, source: source.ask, replica: source.ask, maxStaleness: time.Second, findings: &f}
		if err := a.sample(t.Context(), nil, "SELECT id FROM t"); err != nil {
			t.Fatal(err)
		}
		const want = "SELECT id FROM t\nWeir answered:\nid\n1\nthe source, before and after:\nid\n2\n"
		if got := f.stale.example(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAuditorErrors(t *testing.T) {
	for _, c := range []struct {
		name                  string
		source, weir, replica []answer
		want                  string
	}{
		{"source at first", []answer{"error"}, []answer{"a"}, nil, "ask the source"},
		{"source at last", []answer{"a", "error"}, []answer{"a"}, nil, "ask the source"},
		{"Weir", []answer{"a"}, []answer{"error"}, nil, "ask Weir"},
		{"replica", []answer{"b"}, []answer{"a"}, []answer{"error"}, "ask the replica"},
	} {
		synctest.Test(t, func(t *testing.T) {
			source, weir, replica := &script{answers: c.source}, &script{answers: c.weir}, &script{answers: c.replica}
			a := auditor{weir: weir.ask, source: source.ask, replica: replica.ask, maxStaleness: time.Second, findings: &findings{}}
			err := a.sample(t.Context(), nil, "SELECT 1")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "gone away") {
				t.Errorf("%s: got error %v, want one that says %q", c.name, err, c.want)
			}
		})
	}
}

// TestAuditorEnough: a sample that waits is dropped when the load ends, and so is one that nobody has taken.
func TestAuditorEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &script{answers: []answer{"a"}}
		var f findings
		a := auditor{weir: source.ask, source: source.ask, maxStaleness: time.Second, findings: &f}
		enough, samples, done := make(chan struct{}), make(chan string), make(chan error)
		go func() { done <- a.run(t.Context(), enough, samples, 2) }()
		samples <- "SELECT 1"
		synctest.Wait()
		close(enough)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if len(source.at) != 1 || f.compared.Load() != 0 {
			t.Errorf("asked %d times, compared %d; want 1 and 0", len(source.at), f.compared.Load())
		}
	})
}

func TestAuditorFinal(t *testing.T) {
	source, weir := &script{answers: []answer{"a", "b", "c"}}, &script{answers: []answer{"a", "z", "c"}}
	var f findings
	a := auditor{weir: weir.ask, source: source.ask, findings: &f}
	if err := a.final(t.Context(), popular(Sizes{Products: 3}, 1)[:3]); err != nil {
		t.Fatal(err)
	}
	if f.compared.Load() != 3 || f.stale.n.Load() != 1 {
		t.Errorf("compared %d, stale %d; want 3 and 1", f.compared.Load(), f.stale.n.Load())
	}
}
