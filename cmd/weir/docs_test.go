package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir/cmd/weir/daemon"
)

const root = "../.."

// TestDocsMetrics: docs/metrics.md lists the metrics that the code has, and no others.
func TestDocsMetrics(t *testing.T) {
	code := find(t, `"(weir_[a-z_]+)"`, sources(t, root)...)
	docs := find(t, "(?m)^\\| `(weir_[a-z_]+)` \\|", root+"/docs/metrics.md")
	sameNames(t, code, docs, "docs/metrics.md")
}

// TestDocsReasons: the README explains each reason for which a statement is not cached, and no others.
func TestDocsReasons(t *testing.T) {
	docs := reasonsInReadme(t)
	for _, r := range find(t, `Reason\s+= "([a-z_]+)"`, root+"/proxy/statement/reason.go") {
		if !slices.Contains(docs, r) {
			t.Errorf("README.md does not explain the reason %s", r)
		}
	}
	code := find(t, `"([a-z_]+)"`, sources(t, root+"/proxy")...)
	for _, r := range docs {
		if !slices.Contains(code, r) {
			t.Errorf("README.md explains the reason %s, which the proxy does not have", r)
		}
	}
}

// reasonsInReadme are the words in the first column of the table.
func reasonsInReadme(t *testing.T) []string {
	t.Helper()
	_, section, _ := strings.Cut(read(t, root+"/README.md"), "\n## What is not cached\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var reasons []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) > 1 {
			reasons = append(reasons, matchesOf("`([a-z_]+)`", cells[0])...)
		}
	}
	return reasons
}

// TestDocsConfiguration: docs/configuration.md lists the keys of the file, and no others.
func TestDocsConfiguration(t *testing.T) {
	docs := find(t, "(?m)^\\| `([a-z_.]+)` \\|", root+"/docs/configuration.md")
	sameNames(t, keys(reflect.TypeFor[daemon.Config](), ""), docs, "docs/configuration.md")
}

// keys are the keys of a section and of the sections in it; those of lists are told with the list.
func keys(section reflect.Type, prefix string) (all []string) {
	for f := range section.Fields() {
		key := prefix + f.Tag.Get("yaml")
		if f.Type.Kind() == reflect.Struct {
			all = append(all, keys(f.Type, key+".")...)
		} else {
			all = append(all, key)
		}
	}
	return all
}

// TestReadmeConfiguration: the file in the README is one that Weir accepts.
func TestReadmeConfiguration(t *testing.T) {
	t.Setenv("WEIR_PASSWORD", "one")
	t.Setenv("APP_PASSWORD", "two")
	_, text, _ := strings.Cut(read(t, root+"/README.md"), "\n```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := daemon.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Source.Addr != "10.0.0.1:3306" || cfg.Source.Password != "one" || len(cfg.Backends) != 2 || cfg.Users[0].Password != "two" {
		t.Errorf("the configuration was read as %+v", cfg)
	}
}

func sameNames(t *testing.T, code, docs []string, file string) {
	t.Helper()
	for _, name := range code {
		if !slices.Contains(docs, name) {
			t.Errorf("%s does not have %s", file, name)
		}
	}
	for _, name := range docs {
		if !slices.Contains(code, name) {
			t.Errorf("%s has %s, which does not exist", file, name)
		}
	}
}

// find returns what the pattern's group matches in the files, at least something.
func find(t *testing.T, pattern string, files ...string) (found []string) {
	t.Helper()
	for _, f := range files {
		found = append(found, matchesOf(pattern, read(t, f))...)
	}
	if len(found) == 0 {
		t.Fatalf("nothing in %d files looks like %s", len(files), pattern)
	}
	return found
}

func matchesOf(pattern, text string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// sources are the Go files below dir that are not tests.
func sources(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
