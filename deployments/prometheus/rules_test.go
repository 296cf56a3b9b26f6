// Package prometheus holds the tests of the rules beside it.
package prometheus

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"weir/deployments/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRules: promtool takes the configuration and the rules, and each alert fires in the state of things that it is for.
func TestRules(t *testing.T) {
	promtool, err := sandbox.FindPrometheus("promtool")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"test", "rules", "weir.tests.yml"}} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestAlertsSayWhatToDo: each alert is tested, has a paragraph in docs/dashboards.md, and points to it.
func TestAlertsSayWhatToDo(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert               string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "weir.alerts.yml")), &rules); err != nil {
		t.Fatal(err)
	}
	docs, tests := read(t, "../../docs/dashboards.md"), read(t, "weir.tests.yml")
	for _, r := range rules.Groups[0].Rules {
		switch {
		case !strings.Contains(docs, "\n### "+r.Alert+"\n"):
			t.Errorf("docs/dashboards.md does not say what to do about %s", r.Alert)
		case !strings.Contains(tests, "- name: "+r.Alert+"\n"):
			t.Errorf("weir.tests.yml does not show that %s fires", r.Alert)
		case r.Annotations["runbook"] != "docs/dashboards.md#"+strings.ToLower(r.Alert), r.Annotations["summary"] == "", r.Annotations["description"] == "":
			t.Errorf("%s lacks a summary, a description, or a pointer to its paragraph: %v", r.Alert, r.Annotations)
		case r.Labels["severity"] != "critical" && r.Labels["severity"] != "warning":
			t.Errorf("%s has the severity %q", r.Alert, r.Labels["severity"])
		}
	}
	if got, want := strings.Count(docs, "\n### Weir"), len(rules.Groups[0].Rules); got != want {
		t.Errorf("docs/dashboards.md has %d alerts, and there are %d", got, want)
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
