package demo

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
)

// small is a demo that takes seconds.
func small(t *testing.T) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	o := DefaultOptions(sandbox.MariaDB)
	o.Duration, o.Baseline = 3*time.Second, time.Second
	o.Shop, o.Readers, o.Writers = smallShop, 2, 2
	o.Listen, o.Admin, o.Dir = "127.0.0.1:0", "127.0.0.1:0", t.TempDir()
	return o
}

func TestDemo(t *testing.T) {
	o := small(t)
	var out bytes.Buffer
	o.Out = &out
	s, err := Run(t.Context(), t.Context(), o)
	t.Log("\n" + out.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		n    int64
	}{
		{"queries with Weir", s.With.Queries},
		{"queries without Weir", s.Without.Queries},
		{"commits with Weir", s.With.Commits},
		{"hits", s.Hits},
		{"SELECTs on the servers", s.With.Selects},
		{"changes seen by the prober", s.Probes},
		{"changes that took no time", int64(s.LagP50)},
		{"comparisons beside the last ones", s.Compared - int64(len(popular(o.Shop, finalRanks)))},
	} {
		if c.n <= 0 {
			t.Errorf("%s: %d", c.what, c.n)
		}
	}
	for _, want := range []string{"mariadb -h 127.0.0.1 -P ", "How Weir is:", header(false), "Summary: MariaDB 10.", "0 stale answers found, "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	nothingLeft(t, o)
}

// TestDemoInterrupted: whenever somebody has had enough, nothing is left behind.
func TestDemoInterrupted(t *testing.T) {
	for _, c := range []struct {
		name string
		at   string // what the demo says at that moment
		all  bool   // not only the load, but everything shall end
		want error
	}{
		{name: "while servers start", at: "Starting a source", want: errInterrupted},
		{name: "while the shop is loaded", at: "Loading a shop", want: errInterrupted},
		{name: "under load, at once", at: "lag p50", all: true, want: errStop},
		{name: "in the last comparison, at once", at: "The load has ended", all: true, want: errStop},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := small(t)
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			enough, stopLoad := context.WithCancel(t.Context())
			defer stopLoad()
			o.Out = &watch{text: c.at, then: func() {
				stopLoad()
				if c.all {
					stop(errStop)
				}
			}}
			if _, err := Run(ctx, enough, o); !errors.Is(err, c.want) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			nothingLeft(t, o)
		})
	}
}

var errStop = errors.New("stop")

// watch calls a function when a text is written.
type watch struct {
	text string
	then func()
}

func (w *watch) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.then()
	}
	return len(b), nil
}

func nothingLeft(t *testing.T, o Options) {
	t.Helper()
	left, err := os.ReadDir(o.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("in the servers' folder are still %v, %v", left, err)
	}
}

// TestDemoPort: a port that is taken is no reason not to start.
func TestDemoPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := l.Addr().String()
	if got := freeOr(taken); got != "127.0.0.1:0" {
		t.Errorf("while %s is taken: %s, want any port", taken, got)
	}
	l.Close()
	if got := freeOr(taken); got != taken {
		t.Errorf("while %s is free: %s", taken, got)
	}
	if got := freeOr("nonsense"); got != "nonsense" {
		t.Errorf("what is no address must be left to who reports it; got %s", got)
	}
}

func TestBaseline(t *testing.T) {
	for _, c := range []struct {
		given, duration, want time.Duration
	}{
		{0, 0, 5 * time.Second},
		{0, 9 * time.Second, 5 * time.Second},
		{0, time.Minute, 20 * time.Second},
		{time.Second, time.Minute, time.Second},
	} {
		if got := (Options{Baseline: c.given, Duration: c.duration}).baseline(); got != c.want {
			t.Errorf("baseline %v, duration %v: %v, want %v", c.given, c.duration, got, c.want)
		}
	}
}
