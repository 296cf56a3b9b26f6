package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir/deployments/sandbox"
)

// differencesList is the file with what may differ. A line has, with tabs between them: the reason, which
// docs/query-cache.md explains; the file; the statement after which; the statement or the counter; what the server has; what
// Weir has. A field that ends in * stands for all that begin so. Files for MySQL have "mysql:" in front of their names. A reason
// with ~ in front is for what differs only now and then.
const differencesList = "testdata/suite/querycache.txt"

// differenceList is what the list has for a file.
type differenceList struct {
	file    string
	entries [][]string
	used    []bool
}

func expectedDifferences(t *testing.T, flavor sandbox.Flavor, file string) *differenceList {
	t.Helper()
	b, err := os.ReadFile(differencesList)
	if err != nil {
		t.Fatal(err)
	}
	if flavor == sandbox.MySQL {
		file = "mysql:" + file
	}
	l := &differenceList{file: file}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || len(f) < 2 || f[1] != file {
			continue
		}
		if len(f) != 6 {
			t.Errorf("a line of %s has %d fields, not 6: %s", differencesList, len(f), line)
			continue
		}
		l.entries = append(l.entries, f)
	}
	l.used = make([]bool, len(l.entries))
	return l
}

// check fails for every difference that is not on the list, and for everything on the list that is none.
func (l *differenceList) check(t *testing.T, all []cacheDifference) {
	t.Helper()
	byReason, unknown := map[string]int{}, []string{}
	for _, d := range all {
		if reason := l.reason(d); reason != "" {
			byReason[reason]++
		} else {
			unknown = append(unknown, strings.Join(append([]string{"?", l.file}, d.fields()...), "\t"))
		}
	}
	t.Logf("%d differences, by reason: %v", len(all), byReason)
	if len(unknown) > 0 {
		t.Errorf("not in %s:\n%s", differencesList, strings.Join(unknown, "\n"))
	}
	for i, used := range l.used {
		if !used && l.entries[i][0][0] != '~' {
			t.Errorf("%s says what is not so any more: %s", differencesList, strings.Join(l.entries[i], "\t"))
		}
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "unknown"), []byte(strings.Join(append(unknown, ""), "\n")), 0o644); err != nil {
		t.Error(err)
	}
}

func (l *differenceList) reason(d cacheDifference) (reason string) {
	for i, e := range l.entries {
		if slices.EqualFunc(e[2:], d.fields(), fits) {
			l.used[i], reason = true, e[0]
		}
	}
	return reason
}

// fits reports whether a field of the list stands for a text.
func fits(field, text string) bool {
	if begin, ok := strings.CutSuffix(field, "*"); ok {
		return strings.HasPrefix(text, begin)
	}
	return field == text
}
