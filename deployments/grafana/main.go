// Command grafana writes the dashboards: go run ./deployments/grafana. They are kept as code because a dashboard of
// twenty panels is a thousand lines of JSON, of which a dozen say something; and as JSON because that is what Grafana
// takes. A test compares the two, another runs each expression against a Prometheus that scrapes a Weir.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// dashboards are all of them, in the order of their links.
func dashboards() []dashboard {
	return []dashboard{lagDashboard(), cacheDashboard(), backendsDashboard(), ddlDashboard()}
}

func main() {
	dir := filepath.Join("deployments", "grafana", "dashboards")
	for _, d := range dashboards() {
		if err := os.WriteFile(filepath.Join(dir, d.file()), d.json(), 0o644); err != nil { //nolint:gosec // for everybody
			fmt.Fprintln(os.Stderr, "cannot write a dashboard:", err, "; run it from the top of the repository")
			os.Exit(1)
		}
	}
}
