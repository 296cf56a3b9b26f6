package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

const deployed = "../../../deployments/"

// expression is one that a dashboard or a rule has, as it stands for a Prometheus that scrapes twice a second.
type expression struct{ where, text string }

// faults are expressions that have data only while something is wrong that no server here does on request. All others have
// data for each Weir, or the test brings about what they are for.
var faults = map[string]string{
	"weir_stream_unknown_events_total": "an event that Weir cannot read",
}

// TestGraphsHaveData: a Prometheus that scrapes a Weir, and a relay, under load has data for each expression of each panel,
// for each recording rule, and for each series that an alert looks at. That alerts fire, and when, is shown by promtool
// beside the rules.
func TestGraphsHaveData(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		p := newCandidates(t, flavor)
		w := p.world
		redis, admin := relayedAt(t, w)
		p.start(func(c *Config) {
			p.bothMayBe(c)
			c.Backends = []Backend{{Addr: p.source.Addr()}, {Addr: p.other.Addr()}}
			useRedis(c, "", false, redis)
			c.Redis.Namespace, c.Audit = "graphs", 600
		})
		prom := sandboxtest.Prometheus(t, prometheusConfig(t, w.weir.AdminAddr(), admin))
		w.eventually("both are scraped", func() bool { // what happens before is no increase
			return len(withoutData(t, prom.URL(), []expression{{"ready", "count(up == 1) == 2"}})) == 0
		})
		l := newGraphLoad(t, p)
		missing := append(panelExpressions(t), ruleExpressions(t, flavor)...)
		defer func() {
			if t.Failed() {
				t.Logf("without data: %q", missing)
			}
		}()
		w.eventually("all expressions have data", func() bool {
			l.step()
			missing = withoutData(t, prom.URL(), missing)
			return len(missing) == 0
		})
	})
}

// prometheusConfig is the example, with these targets, scraped twice a second.
func prometheusConfig(t *testing.T, targets ...string) string {
	t.Helper()
	text := readFile(t, deployed+"prometheus/prometheus.yml")
	rules, err := filepath.Abs(deployed + "prometheus")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"scrape_interval: 5s", "scrape_interval: 500ms"}, {"evaluation_interval: 15s", "evaluation_interval: 500ms"},
		{"weir.recording.yml", rules + "/weir.recording.yml"}, {"weir.alerts.yml", rules + "/weir.alerts.yml"},
		{"[127.0.0.1:9307, 127.0.0.2:9307]", "[" + strings.Join(targets, ", ") + "]"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("prometheus.yml does not have %q", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// panelExpressions are those of all panels and annotations, with all jobs and instances.
func panelExpressions(t *testing.T) (all []expression) {
	t.Helper()
	files, err := filepath.Glob(deployed + "grafana/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no dashboards: %v", err)
	}
	written := strings.NewReplacer("$job", ".+", "$instance", ".+", "$__rate_interval", "1m", "$__range", "1m")
	for _, file := range files {
		var d struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
			Annotations struct{ List []struct{ Name, Expr string } }
		}
		if err := json.Unmarshal([]byte(readFile(t, file)), &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				all = append(all, expression{filepath.Base(file) + ": " + p.Title, written.Replace(q.Expr)})
			}
		}
		for _, a := range d.Annotations.List {
			all = append(all, expression{filepath.Base(file) + ": " + a.Name, written.Replace(a.Expr)})
		}
	}
	return all
}

// selector is a series by its name and labels, in an expression without strings that look like one.
var selector = regexp.MustCompile(`(?:[a-z]+:)?\bweir_[a-z_]+(?::[a-z_0-9]+)?(?:\{[^}]*\})?|\bup\{[^}]*\}`)

// ruleExpressions are the recording rules, and what alerts select.
func ruleExpressions(t *testing.T, flavor sandbox.Flavor) (all []expression) {
	t.Helper()
	otherClock := map[sandbox.Flavor]string{sandbox.MySQL: `clock="seconds"`, sandbox.MariaDB: `clock="microseconds"`}[flavor]
	for _, file := range []string{"weir.recording.yml", "weir.alerts.yml"} {
		var rules struct {
			Groups []struct {
				Rules []struct{ Record, Alert, Expr string }
			}
		}
		if err := yaml.Unmarshal([]byte(readFile(t, deployed+"prometheus/"+file)), &rules); err != nil {
			t.Fatal(err)
		}
		for _, r := range rules.Groups[0].Rules {
			if r.Record != "" {
				all = append(all, expression{r.Record, r.Expr})
				continue
			}
			for _, s := range selector.FindAllString(r.Expr, -1) {
				if faults[s] == "" && !strings.Contains(s, otherClock) {
					all = append(all, expression{r.Alert, s})
				}
			}
		}
	}
	return all
}

// withoutData are the expressions that have no number as their value. One that Prometheus cannot read ends the test.
func withoutData(t *testing.T, at string, all []expression) (missing []expression) {
	t.Helper()
	for _, e := range all {
		has, err := hasData(t, at, e.text)
		if err != nil {
			t.Fatalf("%s: %s: %v", e.where, e.text, err)
		}
		if !has {
			missing = append(missing, e)
		}
	}
	return missing
}

func hasData(t *testing.T, at, expr string) (bool, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/v1/query?query="+url.QueryEscape(expr), nil)
	if err != nil {
		return false, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	var said struct {
		Error string
		Data  struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return false, fmt.Errorf("status %d: %w", answer.StatusCode, err)
	}
	if said.Error != "" {
		return false, errors.New(said.Error)
	}
	for _, r := range said.Data.Result {
		text, _ := r.Value[1].(string)
		if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) {
			return true, nil
		}
	}
	return false, nil
}
