package main

import (
	"strings"
	"testing"
)

// TestDocsCompatibility: docs/compatibility.md names the files of MariaDB's suite that are played, and no others.
func TestDocsCompatibility(t *testing.T) {
	_, docs, _ := strings.Cut(read(t, root+"/docs/compatibility.md"), "\n### Played on MariaDB\n")
	mariadb, docs, _ := strings.Cut(docs, "\n### Played on MySQL\n")
	mysql, _, _ := strings.Cut(docs, "\n### Not played\n")
	for flavor, section := range map[string]string{"mariadb": mariadb, "mysql": mysql} {
		played := find(t, `(?m)^([a-z0-9_-]+) `, root+"/cmd/weir/daemon/testdata/suite/"+flavor+".txt")
		sameNames(t, played, matchesOf("`([a-z0-9_-]+)`", section), "docs/compatibility.md")
	}
}
