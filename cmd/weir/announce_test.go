package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir/cmd/weir/daemon"
)

// slowStart is a Weir that has 90 MB of a binlog to read, 10 MB a second.
type slowStart struct {
	began time.Time
	asked atomic.Int32

	caching string
}

func (s *slowStart) left() time.Duration {
	return 9*time.Second + 500*time.Millisecond - time.Since(s.began)
}

func (s *slowStart) Progress() daemon.Progress {
	s.asked.Add(1)
	return daemon.Progress{What: "reading the binlog", Left: uint64(s.left().Seconds() * 1e7)}
}

func (s *slowStart) WaitReady(ctx context.Context) error {
	select {
	case <-time.After(s.left()):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (*slowStart) Addr() string      { return "[::]:3307" }
func (*slowStart) AdminURL() string  { return "http://127.0.0.1:9307" }
func (s *slowStart) Caching() string { return s.caching }

// TestAnnounce: a start that takes long says what it is at and how long it will be, and then where to go.
func TestAnnounce(t *testing.T) {
	for name, check := range map[string]func(t *testing.T, terminal, log string){
		"terminal": func(t *testing.T, terminal, log string) {
			wantParts(t, terminal, "weir: reading the binlog, 65.0 MB left\n", "35.0 MB left at 10.0 MB/s, about 4s\n",
				"mysql -h 127.0.0.1 -P 3307 -u app -p\n", "http://127.0.0.1:9307/", "weir top --config weir.yaml\n", "weir check --config weir.yaml\n")
			if log != "" {
				t.Errorf("the log says it, too: %s", log)
			}
		},
		"log": func(t *testing.T, _, log string) {
			wantParts(t, log, "reading the binlog, 65.0 MB left", `msg="ready: cached results are served" connect="mysql -h 127.0.0.1 -P 3307 -u app -p"`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var terminal, log bytes.Buffer
				w := &slowStart{began: time.Now()}
				a := announcer{weir: w, log: slog.New(slog.NewTextHandler(&log, nil)), flags: " --config weir.yaml", user: "app"}
				if name == "terminal" {
					a.out = &terminal
				}
				a.run(t.Context())
				check(t, terminal.String(), log.String())
				if w.asked.Load() != 3 {
					t.Errorf("it was asked %d times in 9.5 s, want 3", w.asked.Load())
				}
			})
		})
	}
}

// TestAnnounceNothingCached: who has switched the cache off, or only looks, is not told that cached results are served.
func TestAnnounceNothingCached(t *testing.T) {
	for caching, want := range map[string]string{"OFF": "query_cache_type is OFF", "OBSERVE": "weir.observed"} {
		var terminal, log bytes.Buffer
		a := announcer{weir: &slowStart{caching: caching}, log: slog.New(slog.NewTextHandler(&log, nil))}
		a.ready()
		a.out = &terminal
		a.ready()
		for _, said := range []string{terminal.String(), log.String()} {
			if wantParts(t, said, want, "nothing is cached"); strings.Contains(said, "cached results are served") {
				t.Errorf("under %s it says %q", caching, said)
			}
		}
	}
}

// TestAnnounceNothing: who stops it before it is ready is not told that it is.
func TestAnnounceNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a := announcer{weir: &slowStart{began: time.Now()}, out: &terminal}
		a.run(ctx)
		if terminal.Len() > 0 {
			t.Errorf("it says %q", terminal.String())
		}
	})
}

func wantParts(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%q is not in\n%s", p, got)
		}
	}
}
