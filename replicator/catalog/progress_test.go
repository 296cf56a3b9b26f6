package catalog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

// watched answers queries, and notes at each how far the load is.
type watched struct {
	Querier
	progress *progress
	seen     []Progress
}

func (w *watched) Query(ctx context.Context, sql string) ([][]string, error) {
	if p := w.progress.at.Load(); p != nil && !slices.Contains(w.seen, *p) {
		w.seen = append(w.seen, *p)
	}
	return w.Querier.Query(ctx, sql)
}

// TestProgress: who waits for a long load is told its steps, and how many tables are left.
func TestProgress(t *testing.T) {
	q := &watched{Querier: mariaDB(), progress: &progress{}}
	l := newLoader(q)
	l.portion, l.progress = 3, q.progress
	if err := l.run(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, p := range q.seen {
		if !slices.Contains(steps, p.Step) {
			steps = append(steps, p.Step)
		}
	}
	if got, want := strings.Join(steps[len(steps)-3:], ", "), "read triggers, "+stepShapes+", read foreign keys again"; got != want {
		t.Errorf("the last steps are %q, want %q", got, want)
	}
	var last Progress
	for _, p := range q.seen {
		if p.Step == stepShapes {
			last = p
		}
	}
	if last.Of != len(l.tables) || last.Done == 0 || last.Done >= last.Of {
		t.Errorf("at the last portion %d of %d tables are read, want some of %d, and not all", last.Done, last.Of, len(l.tables))
	}
}

// TestProgressEnds: nothing is said any more of a load that has failed.
func TestProgressEnds(t *testing.T) {
	c := New(failing{}, nil, nil, nil)
	if err := c.Foresee(t.Context()); err == nil {
		t.Fatal("it loads")
	}
	if p, running := c.Progress(); running {
		t.Errorf("it is still at %+v", p)
	}
}

type failing struct{}

func (failing) Query(context.Context, string) ([][]string, error) { return nil, errors.New("no") }
