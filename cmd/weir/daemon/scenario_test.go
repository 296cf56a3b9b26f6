package daemon

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestScenarios plays every file of testdata/scenarios on both flavours. A file is read like this:
//
//	# a comment
//	config KEY: VALUE, KEY: VALUE    the configuration that it is played with, see scenarioConfig; before all steps
//	only mysql                       this scenario is about one flavour
//	mysql: STEP                      this step is; mariadb: STEP likewise
//	on source: SQL                   on a connection straight to the source
//	on source/b: SQL                 on another one
//	on proxy: SQL                    on a connection through Weir
//	on both: SQL                     on proxy and then on source; on both/b: on proxy/b and source/b
//	fails 1064 on source: SQL        the statement must fail with that error
//	cannot prepare 1290 on proxy: SQL   the binary protocol's prepare must fail with it
//	close proxy/b                    that connection ends; the next step that names it opens another
//	warm: SQL                        run through Weir until the cache answers it
//	catch up                         wait until Weir has recorded all that was committed so far
//	expect hit: SQL                  the cache answers
//	expect miss: SQL                 a backend answers
//	expect no hits: SQL              asked three times, a backend answers each time
//	expect same: SQL                 Weir's answer is the source's
//	expect rows 1|a;2|b: SQL         Weir's answer has these rows
//	expect error 1146: SQL           Weir answers with this error
//	wait 1100ms                      for what depends on the clock of the server
//
// Warm and expect use the connection proxy, and compare with source; "warm on proxy/b: SQL" and "expect same on
// proxy/b: SQL" use proxy/b, and compare with source/b. What follows the slash is an account if it begins with app,
// as in proxy/app2 or proxy/app2/b, and a label of its own otherwise.
//
// Each scenario has a schema of its own, named after the file, which is the default database of its connections.
// Every statement that was warmed, or expected to be the same, is compared with the source once more five seconds
// after the last scenario has ended: what a fill brings back that lost its race shows only then.
func TestScenarios(t *testing.T) { testScenarios(t, false) }

// TestScenariosPrepared plays them with every statement prepared that the servers can prepare.
func TestScenariosPrepared(t *testing.T) { testScenarios(t, true) }

func testScenarios(t *testing.T, prepared bool) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scenarios", err)
	}
	groups := byConfig(t, files)
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-connections=1000"}})
		for _, config := range slices.Sorted(maps.Keys(groups)) {
			w.start(scenarioConfig(t, config))
			playAll(t, w, groups[config], prepared)
			w.stop()
		}
	})
}

func playAll(t *testing.T, w *world, files []string, prepared bool) {
	var all []*scenario
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := newScenario(t, w, file, prepared)
			all = append(all, s)
			s.play()
		})
	}
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	for _, s := range all {
		s.again()
		s.closeAll()
	}
}

// byConfig sorts the files by the configuration that they ask for.
func byConfig(t *testing.T, files []string) map[string][]string {
	groups := map[string][]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		config := ""
		for line := range strings.Lines(string(b)) {
			if after, ok := strings.CutPrefix(strings.TrimSpace(line), "config "); ok {
				config = after
			}
		}
		groups[config] = append(groups[config], file)
	}
	return groups
}

// scenarioConfig reads what follows the word config. Weir itself reads nothing again after a schema change, so that a
// result which the change has ended is a miss.
func scenarioConfig(t *testing.T, text string) func(*Config) {
	return func(c *Config) {
		c.DDL.Refill = 0
		for item := range strings.SplitSeq(text, ", ") {
			key, value, _ := strings.Cut(item, ": ")
			switch key {
			case "":
			case "transactions":
				c.Cache.Transactions = value
			case "writes":
				c.Writes = value
			default:
				t.Fatalf("a scenario cannot set %q", key)
			}
		}
	}
}

// scenario is one file being played.
type scenario struct {
	t       *testing.T
	world   *world
	file    string
	schema  string
	clients map[string]*client
	asked   []question // to be asked again
	// prepared says that statements are prepared where that can be done.
	prepared, skipped bool
	// after, if set, is called with each step that has succeeded.
	after func(line string) error
}

// question is a statement, and the name of the connection through Weir that asks it.
type question struct{ on, query string }

func newScenario(t *testing.T, w *world, file string, prepared bool) *scenario {
	return &scenario{
		t: t, world: w, file: file, prepared: prepared, clients: map[string]*client{},
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
		err := s.step(line)
		if err == nil && s.after != nil && !s.skipped {
			err = s.after(line)
		}
		if err != nil {
			s.t.Fatalf("%s:%d: %s: %v", s.file, i+1, line, err)
		}
		if s.skipped {
			return
		}
	}
}

func (s *scenario) step(line string) error {
	words, query, _ := strings.Cut(line, ": ")
	words, on := cutOn(words)
	fields := strings.Fields(words)
	switch fields[0] {
	case "config": // see byConfig
		return nil
	case "only":
		s.skipped = !strings.EqualFold(fields[1], string(s.world.flavor))
		return nil
	case "mysql", "mariadb":
		if strings.EqualFold(words, string(s.world.flavor)) {
			return s.step(query)
		}
		return nil
	case "catch":
		s.world.caughtUp()
		return nil
	case "wait":
		d, err := time.ParseDuration(fields[1])
		time.Sleep(d) //nolint:forbidigo // the scenario waits for the clock of the server
		return err
	case "on":
		return s.run(fields[1], query)
	case "fails":
		return equal(s.client(on).ask(query), answer("error "+fields[1]))
	case "cannot":
		return equal(s.client(on).prepare(query), answer("error "+fields[2]))
	case "close":
		s.close(fields[1])
		return nil
	case "warm":
		if err := s.warm(orProxy(on), query); err != nil {
			return err
		}
		return s.same(orProxy(on), query)
	case "expect":
		return s.expect(fields[1], strings.TrimSpace(strings.TrimPrefix(words, "expect "+fields[1])), orProxy(on), query)
	}
	return fmt.Errorf("this is not a step of a scenario")
}

// close ends a connection, and what it has asked is not asked again.
func (s *scenario) close(name string) {
	s.client(name).hangUp()
	delete(s.clients, name)
	s.asked = slices.DeleteFunc(s.asked, func(q question) bool { return q.on == name })
}

func (s *scenario) closeAll() {
	for _, c := range s.clients {
		c.hangUp()
	}
}

// cutOn takes the name of a connection off the words before a statement, as in "expect hit on proxy/b".
func cutOn(words string) (before, on string) {
	if i := strings.LastIndex(words, " on "); i >= 0 {
		return words[:i], words[i+len(" on "):]
	}
	return words, ""
}

func orProxy(on string) string {
	if on == "" {
		return "proxy"
	}
	return on
}

func (s *scenario) run(on, query string) error {
	on = strings.TrimSuffix(on, ":")
	rest, both := strings.CutPrefix(on, "both")
	if !both {
		return succeeds(s.client(on).ask(query))
	}
	if err := succeeds(s.client("proxy" + rest).ask(query)); err != nil {
		return err
	}
	return succeeds(s.client("source" + rest).ask(query))
}

// warm asks until the answer is a hit. A fill that comes right after a change may be refused, so it may take some tries.
func (s *scenario) warm(on, query string) error {
	for deadline := time.Now().Add(10 * time.Second); ; {
		got, hit := s.client(on).asked(query)
		if hit || time.Now().After(deadline) {
			return when(!hit, "it does not become a hit; Weir answers %q", got)
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // polls, with a deadline
	}
}

func (s *scenario) expect(what, argument, on, query string) error {
	if what == "same" {
		return s.same(on, query)
	}
	got, hit := s.client(on).asked(query)
	switch what {
	case "hit":
		return when(!hit, "it was not a hit; Weir answered %q", got)
	case "miss":
		return when(hit, "it was a hit: %q", got)
	case "no":
		_, again := s.client(on).asked(query)
		_, third := s.client(on).asked(query)
		return when(hit || again || third, "it was a hit: %q", got)
	case "rows":
		_, rows, _ := strings.Cut(string(got), "\n")
		return equal(answer(strings.ReplaceAll(strings.TrimSuffix(rows, "\n"), "\n", ";")), answer(argument))
	case "error":
		return equal(got, answer("error "+argument))
	}
	return fmt.Errorf("cannot expect %q", what)
}

// same compares Weir's answer with the source's, now and at the end.
func (s *scenario) same(on, query string) error {
	s.asked = append(s.asked, question{on, query})
	return s.compare(question{on, query})
}

func (s *scenario) compare(q question) error {
	return equal(s.client(q.on).ask(q.query), s.client("source"+strings.TrimPrefix(q.on, "proxy")).ask(q.query))
}

func (s *scenario) again() {
	if s.skipped || s.t.Failed() {
		return
	}
	for _, q := range s.asked {
		if err := s.compare(q); err != nil {
			s.world.t.Errorf("%s: five seconds after the end: on %s: %s: %v", s.file, q.on, q.query, err)
		}
	}
}

// client returns the connection of that name: proxy or source, then an account and a label of its own, as in
// proxy/app2/b.
func (s *scenario) client(name string) *client {
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
	c.prepares = s.prepared
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
