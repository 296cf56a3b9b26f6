package daemon

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var fleetScenarios = flag.String("fleet.scenarios", "06_ddl_elsewhere|12_views|31_", "which scenarios TestFleetScenarios plays, as a pattern")

// TestFleetScenarios plays the files of testdata/scenarios with a second Weir beside the one that they are about. Each
// connection through the first has a twin through the second, which is told what the first is told of its session, and which
// answers every question from what the first has left in Redis, if it can: its memory is emptied before each. What the
// first is expected to answer is expected of it, too, except whether that is a hit.
func TestFleetScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	files = slices.DeleteFunc(files, func(file string) bool { return !regexp.MustCompile(*fleetScenarios).MatchString(file) })
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scenarios", err)
	}
	groups := byConfig(t, files)
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		f := newFleet(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-connections=1000"}})
		for _, config := range slices.Sorted(maps.Keys(groups)) {
			if strings.Contains(config, "writes") { // which twins would do twice
				continue
			}
			f.weirs = nil
			f.join(scenarioConfig(t, config))
			f.join(scenarioConfig(t, config))
			f.playTwins(t, groups[config])
			t.Logf("%q: %.0f answers came from Redis", config, f.weirs[0].tier2()+f.weirs[1].tier2())
			for _, m := range f.weirs {
				m.stop()
			}
		}
	})
}

func (f *fleet) playTwins(t *testing.T, files []string) {
	var all []*twin
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := newTwin(t, f, file)
			all = append(all, s)
			s.first.play()
		})
	}
	<-time.After(5 * time.Second) // a stale refill shows only later
	for _, s := range all {
		s.again()
	}
}

// twin is a scenario as the second Weir sees it.
type twin struct {
	*scenario // of the second Weir
	first     *scenario
}

func newTwin(t *testing.T, f *fleet, file string) *twin {
	w := &twin{scenario: newScenario(t, f.weirs[1].world, file, false), first: newScenario(t, f.weirs[0].world, file, false)}
	w.first.after = w.step
	return w
}

// step does what concerns the twin of a step that the first has done.
func (w *twin) step(line string) error {
	words, query, _ := strings.Cut(line, ": ")
	words, on := cutOn(words)
	fields := strings.Fields(words)
	switch fields[0] {
	case "mysql", "mariadb":
		if strings.EqualFold(words, string(w.world.flavor)) {
			return w.step(query)
		}
	case "catch":
		w.world.caughtUp()
	case "on":
		return w.session(strings.TrimSuffix(fields[1], ":"), query)
	case "close":
		w.close(fields[1])
	case "warm":
		return w.same(orProxy(on), query)
	case "expect":
		w.world.weir.cache.Clear()
		return w.expect(fields[1], strings.TrimSpace(strings.TrimPrefix(words, "expect "+fields[1])), orProxy(on), query)
	}
	return nil
}

// session runs what is about a session. A write is done once.
func (w *twin) session(on, query string) error {
	rest, through := strings.CutPrefix(on, "both")
	if !through {
		if rest, through = strings.CutPrefix(on, "proxy"); !through {
			return nil
		}
	}
	first := strings.Trim(strings.Fields(strings.ToUpper(query) + " ;")[0], ";")
	if slices.Contains([]string{"SET", "USE", "PREPARE", "EXECUTE", "DEALLOCATE", "SELECT", "SHOW", "BEGIN", "START", "COMMIT", "ROLLBACK"}, first) {
		w.client("proxy" + rest).ask(query)
	}
	return nil
}

// expect is that of the scenario, but for hits and misses.
func (w *twin) expect(what, argument, on, query string) error {
	switch what {
	case "same":
		return w.same(on, query)
	case "rows", "error":
		if err := w.scenario.expect(what, argument, on, query); err != nil {
			return fmt.Errorf("the second Weir: %w", err)
		}
	default:
		w.client(on).ask(query)
	}
	return nil
}

// same compares with what the source tells the connection that the first Weir's is compared with: it has the same settings.
func (w *twin) same(on, query string) error {
	source := "source" + strings.TrimPrefix(on, "proxy")
	w.clients[source] = w.first.client(source)
	w.world.weir.cache.Clear()
	if err := w.scenario.same(on, query); err != nil {
		return fmt.Errorf("the second Weir: %w", err)
	}
	return nil
}

func (w *twin) again() {
	w.skipped = w.first.skipped
	w.scenario.again()
	w.first.again()
	w.closeAll()
	w.first.closeAll()
}
