package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDashboardsAreWritten(t *testing.T) {
	var want []string
	for _, d := range dashboards() {
		file := filepath.Join("dashboards", d.file())
		want = append(want, file)
		if text, err := os.ReadFile(file); err != nil || string(text) != string(d.json()) {
			t.Errorf("%s is not what the program writes (%v): go run ./deployments/grafana", file, err)
		}
	}
	if got, _ := filepath.Glob("dashboards/*"); len(got) != len(want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}

// TestPanels: each says what to do, in which unit, of the instances that are looked at, and stands beside the others.
func TestPanels(t *testing.T) {
	for _, d := range dashboards() {
		var titles []string
		for _, r := range d.rows {
			for _, p := range r.panels {
				if len(p.advice) < 20 || p.unit == "" || len(p.queries) == 0 || slices.Contains(titles, p.title) {
					t.Errorf("%s: %s needs advice, a unit, a query, and a title of its own", d.title, p.title)
				}
				for _, q := range p.queries {
					if strings.Count(q.expr, "weir_") != strings.Count(q.expr, "{$in") {
						t.Errorf("%s: %s: not all of %s is of the instances that are looked at", d.title, p.title, q.expr)
					}
				}
				titles = append(titles, p.title)
			}
		}
		overlap(t, d)
	}
}

// overlap fails if two panels take the same place, or one leaves the page.
func overlap(t *testing.T, d dashboard) {
	t.Helper()
	taken := map[[2]int]bool{}
	for _, o := range d.layOut() {
		pos := o["gridPos"].(object)
		for x := pos["x"].(int); x < pos["x"].(int)+pos["w"].(int); x++ {
			for y := pos["y"].(int); y < pos["y"].(int)+pos["h"].(int); y++ {
				if taken[[2]int{x, y}] || x >= width {
					t.Fatalf("%s: %v does not fit", d.title, o["title"])
				}
				taken[[2]int{x, y}] = true
			}
		}
	}
}

// TestMetricsAreDocumented: dashboards and rules use what docs/metrics.md has, with the endings of its type.
func TestMetricsAreDocumented(t *testing.T) {
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(weir_[a-z_]+)` \\| ([a-z]+)").FindAllStringSubmatch(read(t, "../../docs/metrics.md"), -1) {
		switch name := m[1]; m[2] {
		case "histogram":
			known[name+"_bucket"], known[name+"_sum"], known[name+"_count"] = true, true, true
		case "summary":
			known[name+"_sum"], known[name+"_count"] = true, true
		default:
			known[name] = true
		}
	}
	if len(known) < 100 {
		t.Fatalf("only %d metrics were found", len(known))
	}
	texts := []string{"../prometheus/weir.recording.yml", "../prometheus/weir.alerts.yml"}
	for _, d := range dashboards() {
		texts = append(texts, filepath.Join("dashboards", d.file()))
	}
	for _, file := range texts {
		for _, m := range regexp.MustCompile(`(:?)\b(weir_[a-z_]+)(:?)`).FindAllStringSubmatch(read(t, file), -1) {
			if m[1] == "" && m[3] == "" && !known[m[2]] {
				t.Errorf("%s uses %s, which docs/metrics.md does not have", file, m[2])
			}
		}
	}
}

// TestDashboardsAreJSON: Grafana can read them, and tell them apart.
func TestDashboardsAreJSON(t *testing.T) {
	uids := map[string]bool{}
	for _, d := range dashboards() {
		var read struct{ UID, Title string }
		if err := json.Unmarshal(d.json(), &read); err != nil || read.Title == "" || uids[read.UID] {
			t.Errorf("%s: %v; its uid is %q", d.title, err, read.UID)
		}
		uids[read.UID] = true
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
