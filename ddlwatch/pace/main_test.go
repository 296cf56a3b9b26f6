package pace

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"weir/cache/dep"
)

// The collation tables bring a logger along, which keeps a goroutine from the start.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}

var (
	orders  = dep.Fold("shop", "orders")
	items   = dep.Fold("shop", "items")
	errGone = errors.New("the client has gone")
)

func newGates(cfg Config) *Gates {
	return New(cfg, slog.New(slog.DiscardHandler), prometheus.NewPedanticRegistry())
}

// narrow lets in two during a DDL, one during a pile-up, and has limits that a test can count up to.
func narrow() Config {
	cfg := DefaultConfig()
	cfg.Min, cfg.Limit, cfg.Max = 1, 2, 8
	return cfg
}

// reader is a read that has asked to be let in.
type reader struct {
	done  chan struct{}
	leave func()
	err   error
}

// enter asks, and returns when the reader is in or waits. It is for a bubble.
func enter(ctx context.Context, g *Gates, names ...dep.Name) *reader {
	r := &reader{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.leave, r.err = g.Enter(ctx, names)
	}()
	synctest.Wait()
	return r
}

// enterMany is enter for several.
func enterMany(ctx context.Context, g *Gates, n int, names ...dep.Name) (all []*reader) {
	for range n {
		all = append(all, enter(ctx, g, names...))
	}
	return all
}

// in reports whether the reader was let in.
func (r *reader) in() bool {
	select {
	case <-r.done:
		return r.err == nil
	default:
		return false
	}
}

func countIn(all []*reader) (n int) {
	for _, r := range all {
		if r.in() {
			n++
		}
	}
	return n
}

// want checks which of the readers are in: one letter for each, i if it is, w if it waits, and e for an error.
func want(t *testing.T, want string, all ...*reader) {
	t.Helper()
	synctest.Wait()
	got := ""
	for _, r := range all {
		switch {
		case r.in():
			got += "i"
		case r.err != nil:
			got += "e"
		default:
			got += "w"
		}
	}
	if got != want {
		t.Fatalf("readers are %s, want %s", got, want)
	}
}

// drain lets everybody go who waits, and everybody leave who is in.
func drain(t *testing.T, all []*reader) {
	t.Helper()
	for _, r := range all {
		<-r.done
		if r.leave != nil {
			r.leave()
		}
	}
}

// stateOf is the table's gate; false if none is up.
func stateOf(g *Gates, n dep.Name) (State, bool) {
	for _, s := range g.State() {
		if s.Table == n.String() {
			return s, true
		}
	}
	return State{}, false
}

// wantGate checks the table's gate.
func wantGate(t *testing.T, g *Gates, n dep.Name, phase Phase, limit, inside, waiting int) {
	t.Helper()
	s, _ := stateOf(g, n)
	if s.Phase != phase || s.Limit != limit || s.Inside != inside || s.Waiting != waiting {
		t.Fatalf("the gate of %s is %q, limit %d, %d inside, %d waiting; want %q, %d, %d, %d",
			n, s.Phase, s.Limit, s.Inside, s.Waiting, phase, limit, inside, waiting)
	}
}

func wantNoGate(t *testing.T, g *Gates, n dep.Name) {
	t.Helper()
	if s, ok := stateOf(g, n); ok {
		t.Fatalf("%s has a gate: %+v", n, s)
	}
}
