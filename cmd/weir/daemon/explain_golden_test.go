package daemon

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var updateGolden = flag.Bool("update", false, "write the golden files of EXPLAIN CACHE anew, with what MariaDB says")

const explainDir = "testdata/explain"

// TestExplainGolden: each file has steps, a statement, and what EXPLAIN CACHE says of it, the same on both flavours but for
// what is in brackets.
func TestExplainGolden(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) {
			c.MaxStaleness = Duration(2 * time.Second) // some files ask for less
			c.DDL.Refill = 0                           // which comes sooner or later
		})
		w.explainSchema()
		files, err := filepath.Glob(explainDir + "/*.txt")
		w.must(err)
		for _, file := range files {
			w.golden(file)
		}
	})
}

// explainSchema makes what schema.sql has.
func (w *world) explainSchema() {
	w.t.Helper()
	d := w.direct("app", "")
	for line := range strings.Lines(readFile(w.t, explainDir+"/schema.sql")) {
		line = strings.TrimSpace(line)
		if only, rest, ok := strings.Cut(line, ": "); ok && only == "mariadb" {
			if line = rest; w.flavor != sandbox.MariaDB {
				continue
			}
		}
		if !strings.HasPrefix(line, "--") {
			d.run(line)
		}
	}
	w.caughtUp()
}

func readFile(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// golden plays one file on a connection of its own, and compares.
func (w *world) golden(file string) {
	w.t.Helper()
	steps, want, _ := strings.Cut(readFile(w.t, file), "\n\n")
	steps = strings.TrimSpace(steps)
	if strings.Contains(steps, "only: mariadb") && w.flavor != sandbox.MariaDB {
		return
	}
	c := w.proxy("app", "shop")
	defer c.hangUp()
	got := w.play(c, steps)
	if *updateGolden {
		if w.flavor == sandbox.MariaDB {
			w.must(os.WriteFile(file, []byte(steps+"\n\n"+got), 0o600))
		}
		return
	}
	if got != want {
		w.t.Errorf("%s: EXPLAIN CACHE says\n%s\nwant\n%s", file, got, want)
	}
}

// play runs the steps; the last one is what is explained.
func (w *world) play(c *client, steps string) (said string) {
	w.t.Helper()
	for line := range strings.Lines(steps) {
		step, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch step {
		case "only":
		case "session", "run":
			c.run(text)
		case "warm":
			c.warm(text)
		case "on source":
			w.direct("app", "shop").run(text)
			w.caughtUp()
		case "explain":
			return normal(w.explained(c, text), strings.Contains(steps, "on source: "))
		default:
			w.t.Fatalf("what is %q?", line)
		}
	}
	w.t.Fatalf("nothing is explained in\n%s", steps)
	return ""
}

// explained asks while the change stream is current.
func (w *world) explained(c *client, text string) (a answer) {
	w.t.Helper()
	w.eventually("the stream is current", func() bool {
		a = c.ask("EXPLAIN CACHE " + text)
		return !strings.Contains(string(a), "not_current")
	})
	return a
}

// What differs from run to run, or between the flavours.
var volatile = []struct {
	what *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(ns|µs|ms|s)\b( ago)`), "<time>$3"},
	{regexp.MustCompile(`(?m)^(Entry age\|).*$`), "$1<time>"},
	{regexp.MustCompile(`(?m)^(Entry (?:bytes|hits|as of)\|).*$`), "$1<some>"},
	{regexp.MustCompile(`GTID [^;\n]+`), "GTID <id>"},
	{regexp.MustCompile(`\bat [a-zA-Z0-9._-]*[.:/0-9]*[0-9]+( or before)?;`), "at <place>$1;"},
	{regexp.MustCompile(`\bat [a-zA-Z0-9._-]*[.:/0-9]*[0-9]+( or before)?\n`), "at <place>$1\n"},
	{regexp.MustCompile(`(?m)^Item\|Value\n`), ""},
}

// normal makes an answer what it is on every run: rows as lines, a bar between name and value. The last change is what other
// files have left, but where a file has made one of its own; and how often others have asked is not a matter of this test.
func normal(a answer, changed bool) string {
	text := string(a)
	for _, v := range volatile {
		text = v.what.ReplaceAllString(text, v.to)
	}
	lines := slices.Collect(strings.Lines(text))
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		name, _, _ := strings.Cut(l, "|")
		return name == "So far" || name == "Last change" && !changed || strings.HasPrefix(name, "Entry") && changed // until it is swept
	}), "")
}
