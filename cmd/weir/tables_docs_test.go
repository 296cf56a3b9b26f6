package main

import (
	"fmt"
	"strings"
	"testing"

	"weir/cmd/weir/daemon"
)

// TestDocsTables: docs/tables.md describes every column of the tables that Weir answers itself as SHOW FULL COLUMNS does, in
// their order, and no others.
func TestDocsTables(t *testing.T) {
	page := read(t, root+"/docs/tables.md")
	for _, table := range daemon.Tables() {
		name := table.Schema + "." + table.Name
		_, section, found := strings.Cut(page, "\n## "+name+"\n")
		if !found {
			t.Errorf("docs/tables.md has no section %s", name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var want, got []string
		for _, c := range table.Columns {
			if c.Meaning == "" {
				t.Errorf("%s.%s says nothing", name, c.Name)
			}
			want = append(want, fmt.Sprintf("| `%s` | %s | %s |", c.Name, c.Kind.Type(), c.Meaning))
		}
		for line := range strings.Lines(section) {
			if strings.HasPrefix(line, "| `") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("docs/tables.md, %s:\n%s\nwant\n%s", name, a, b)
		}
	}
}
