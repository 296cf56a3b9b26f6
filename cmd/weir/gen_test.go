package main

import (
	"fmt"
	"os"
	"testing"

	"weir/cmd/weir/daemon"
)

func TestGen(t *testing.T) {
	f, _ := os.Create("/tmp/vscr/sections.md")
	for _, table := range daemon.Tables() {
		fmt.Fprintf(f, "## %s.%s\n\nINTRO\n\n| column | type | what it has |\n|---|---|---|\n", table.Schema, table.Name)
		for _, c := range table.Columns {
			fmt.Fprintf(f, "| `%s` | %s | %s |\n", c.Name, c.Kind.Type(), c.Meaning)
		}
		fmt.Fprintln(f)
	}
	f.Close()
}
