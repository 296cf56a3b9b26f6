package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestScenarios plays every file of testdata/scenarios on both flavours. A file is read like this:
//
//	# a comment
//	only mysql                       this scenario is about one flavour
//	on source: SQL                   on a connection straight to the source
//	on source/b: SQL                 on another one
//	on proxy: SQL                    on a connection through Weir
//	fails 1064 on source: SQL        the statement must fail with that error
//	warm: SQL                        run through Weir until the cache answers it
//	catch up                         wait until Weir has recorded all that was committed so far
//	expect hit: SQL                  the cache answers
//	expect miss: SQL                 a backend answers
//	expect same: SQL                 Weir's answer is the source's
//	expect rows 1|a;2|b: SQL         Weir's answer has these rows
//	expect error 1146: SQL           Weir answers with this error
//	wait 1100ms                      for what depends on the clock of the server
//
// Each scenario has a schema of its own, named after the file, which is the default database of its connections.
// Every statement that was warmed, or expected to be the same, is compared with the source once more five seconds
// after the last scenario has ended: what a fill brings back that lost its race shows only then.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scenarios", err)
	}
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		var all []*scenario
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				s := newScenario(t, w, file)
				all = append(all, s)
				s.play()
			})
		}
		time.Sleep(5 * time.Second)
		for _, s := range all {
			s.again()
		}
	})
}

// scenario is one file being played.
type scenario struct {
	t       *testing.T
	world   *world
	file    string
	schema  string
	clients map[string]*client
	asked   []string // to be compared again
	skipped bool
}

func newScenario(t *testing.T, w *world, file string) *scenario {
	return &scenario{
		t: t, world: w, file: file, clients: map[string]*client{},
		schema: "s" + strings.TrimSuffix(filepath.Base(file), ".txt"),
	}
}

func (s *scenario) play() {
	s.world.direct("app", "").run("CREATE DATABASE " + s.schema)
	s.world.caughtUp()
	b, err := os.ReadFile(s.file)
	s.world.must(err)
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := s.step(line); err != nil {
			s.t.Fatalf("%s:%d: %s: %v", s.file, i+1, line, err)
		}
		if s.skipped {
			return
		}
	}
}

func (s *scenario) step(line string) error {
	words, query, _ := strings.Cut(line, ": ")
	fields := strings.Fields(words)
	switch {
	case fields[0] == "only":
		s.skipped = !strings.EqualFold(fields[1], string(s.world.flavor))
		return nil
	case words == "catch up":
		s.world.caughtUp()
		return nil
	case fields[0] == "wait":
		d, err := time.ParseDuration(fields[1])
		time.Sleep(d)
		return err
	case fields[0] == "on":
		return succeeds(s.client(fields[1]).ask(query))
	case fields[0] == "fails":
		return equal(s.client(fields[3]).ask(query), answer("error "+fields[1]))
	case words == "warm":
		s.asked = append(s.asked, query)
		s.client("proxy").warm(query)
		return s.same(query)
	case fields[0] == "expect":
		return s.expect(fields[1], strings.TrimSpace(strings.TrimPrefix(words, "expect "+fields[1])), query)
	}
	return fmt.Errorf("this is not a step of a scenario")
}

func (s *scenario) expect(what, argument, query string) error {
	got, hit := s.client("proxy").asked(query)
	switch what {
	case "hit":
		return when(!hit, "it was not a hit; Weir answered %q", got)
	case "miss":
		return when(hit, "it was a hit: %q", got)
	case "same":
		s.asked = append(s.asked, query)
		return s.same(query)
	case "rows":
		_, rows, _ := strings.Cut(string(got), "\n")
		return equal(answer(strings.ReplaceAll(strings.TrimSuffix(rows, "\n"), "\n", ";")), answer(argument))
	case "error":
		n, err := strconv.Atoi(argument)
		if err != nil {
			return err
		}
		return equal(got, answer(fmt.Sprintf("error %d", n)))
	}
	return fmt.Errorf("cannot expect %q", what)
}

// same compares Weir's answer with the source's.
func (s *scenario) same(query string) error {
	return equal(s.client("proxy").ask(query), s.client("source").ask(query))
}

func (s *scenario) again() {
	if s.skipped || s.t.Failed() {
		return
	}
	for _, query := range s.asked {
		if err := s.same(query); err != nil {
			s.world.t.Errorf("%s: five seconds after the end: %s: %v", s.file, query, err)
		}
	}
}

// client returns the connection of that name: proxy or source, then an account and a label of its own, as in
// proxy/app2/b.
func (s *scenario) client(name string) *client {
	name = strings.TrimSuffix(name, ":")
	if c := s.clients[name]; c != nil {
		return c
	}
	parts := strings.Split(name, "/")
	user := "app"
	if len(parts) > 1 && strings.HasPrefix(parts[1], "app") {
		user = parts[1]
	}
	open := s.world.direct
	if parts[0] == "proxy" {
		open = s.world.proxy
	}
	c := open(user, s.schema)
	s.clients[name] = c
	return c
}

func succeeds(a answer) error { return when(strings.HasPrefix(string(a), "error"), "it failed: %s", a) }

func equal(got, want answer) error { return when(got != want, "got %q, want %q", got, want) }

func when(wrong bool, format string, args ...any) error {
	if wrong {
		return fmt.Errorf(format, args...)
	}
	return nil
}
