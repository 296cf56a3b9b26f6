package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestPrintFits: no line is wider than a terminal, unless a single word is.
func TestPrintFits(t *testing.T) {
	for _, c := range sicknesses() {
		w := healthy(c.of == "MariaDB")
		c.change(w, w.Servers[0], w.Servers[1])
		var out bytes.Buffer
		if err := Judge(w).Print(&out, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
}

// TestPrintColours: with colours there are escapes, and without them the same text.
func TestPrintColours(t *testing.T) {
	w := healthy(false)
	w.Servers[0].Vars["sync_binlog"] = "0"
	var plain, coloured bytes.Buffer
	if err := errors.Join(Judge(w).Print(&plain, false), Judge(w).Print(&coloured, true)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(coloured.String(), "\x1b[33mwarning \x1b[0m binlog-durability") {
		t.Errorf("plain:\n%s\ncoloured:\n%q", &plain, &coloured)
	}
}

// TestJSON: the keys are a contract.
func TestJSON(t *testing.T) {
	w := healthy(true)
	w.Servers[0].Vars["sync_binlog"] = "0"
	var out bytes.Buffer
	if err := Judge(w).JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Summary  map[string]int
		Complete bool
		Servers  []struct{ Addr, Role, Flavor, Version string }
		Findings []struct {
			Severity, ID, Where, Evidence, Meaning string
			Mend                                   []string
		}
	}
	if strings.Contains(out.String(), "null") || strings.Count(out.String(), `"mend": [`) != strings.Count(out.String(), `"id":`) {
		t.Errorf("a key is missing or null, over which scripts stumble:\n%s", out.String())
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !got.Complete || got.Summary["warning"] != 1 || got.Summary["error"] != 0 || got.Servers[0].Role != "source and backend" || got.Servers[0].Flavor != "MariaDB" {
		t.Errorf("got %+v", got)
	}
	for _, f := range got.Findings {
		if f.ID == "binlog-durability" && (f.Severity != "warning" || f.Where != "source:3306" || f.Mend[0] != "SET GLOBAL sync_binlog = 1;") {
			t.Errorf("got %+v", f)
		}
	}
}

// TestExitCode: what scripts go by.
func TestExitCode(t *testing.T) {
	change := func(f func(w *World)) *World {
		w := healthy(false)
		f(w)
		return w
	}
	for _, c := range []struct {
		name           string
		world          *World
		errors, strict int
	}{
		{"well", healthy(false), ExitOK, ExitOK},
		{"a note", change(func(w *World) { w.Servers[0].TLS = false }), ExitOK, ExitOK},
		{"a warning", change(func(w *World) { w.Servers[0].Vars["sync_binlog"] = "0" }), ExitOK, ExitWarnings},
		{"an error", change(func(w *World) { w.Servers[1].Err = errors.New("away") }), ExitErrors, ExitErrors},
		{"no source", change(func(w *World) { w.Servers[0].Err = errors.New("away") }), ExitBlind, ExitBlind},
		{"no file", Unread("weir.yaml", errors.New("bad")), ExitBlind, ExitBlind},
	} {
		if got := Judge(c.world).ExitCode(Error); got != c.errors {
			t.Errorf("%s: got %d, want %d", c.name, got, c.errors)
		}
		if got := Judge(c.world).ExitCode(Warning); got != c.strict {
			t.Errorf("%s, warnings count: got %d, want %d", c.name, got, c.strict)
		}
	}
}

// TestSome: ten thousand tables are a number and a few names.
func TestSome(t *testing.T) {
	var s Some
	for _, n := range []string{"a", "b", "b", "c", "d", "e"} {
		s.add(n)
	}
	if got, want := s.of("table"), "5 tables: a, b, c and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSecrets: which files have passwords in them.
func TestSecrets(t *testing.T) {
	for text, want := range map[string]bool{
		"source:\n  password: secret\n":               true,
		"users:\n  - password: secret # of app\n":     true,
		"source: {user: weir, password: secret}\n":    true,
		"redis:\n  sentinel_password: x\n":            true,
		"source:\n  password: ${WEIR_PASSWORD}\n":     false,
		"source:\n  password: \"${WEIR_PASSWORD}\"\n": false,
		"source:\n  password_file: /run/secret\n":     false,
		"source: {password: '${W}', user: weir}\n":    false,
		"source:\n  password:\nlisten: 127.0.0.1:1\n": false,
	} {
		if got := hasSecret([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestNoPassword: what is printed has no password of the configuration.
func TestNoPassword(t *testing.T) {
	w := healthy(false)
	w.Config.Source.Password, w.Config.Redis.Password = "hush-source", "hush-redis"
	w.Servers[0].Grants = append(w.Servers[0].Grants, "GRANT USAGE ON *.* TO `weir`@`%` IDENTIFIED BY PASSWORD '*hush-hash'")
	var out bytes.Buffer
	if err := errors.Join(Judge(w).Print(&out, false), Judge(w).JSON(&out), PrintGrants(&out, "weir", "MySQL", "MariaDB")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hush") {
		t.Errorf("a password is printed:\n%s", &out)
	}
}
