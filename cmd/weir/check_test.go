package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"weir/cmd/weir/check"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestDocsCheck: docs/check.md lists each id that there is, once, and no others.
func TestDocsCheck(t *testing.T) {
	docs := find(t, "(?m)^\\| `([a-z-]+)` \\| (?:note|warning|error) \\|", root+"/docs/check.md")
	sameNames(t, check.IDs(), docs, "docs/check.md")
	seen := map[string]bool{}
	for _, id := range append(check.IDs(), "") {
		if seen[id] {
			t.Errorf("two rules have the id %s", id)
		}
		seen[id] = true
	}
}

// TestCheckCommand: what ends with which code.
func TestCheckCommand(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(bad, []byte("sauce: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"nothing said", nil, check.ExitBlind, "say which server to follow"},
		{"too much said", []string{"--config", bad, "--source", "u:p@h:1"}, check.ExitBlind, "both given"},
		{"a bad file", []string{"--config", bad, "--json"}, check.ExitBlind, ""},
		{"nobody there", []string{"--source", "weir:hush@127.0.0.1:1", "--json"}, check.ExitBlind, ""},
	} {
		var all commands
		_, err := kong.Must(&all).Parse(append([]string{"check"}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		out := captured(t, func() { err = all.Check.Run(t.Context()) })
		var code interface{ ExitCode() int }
		if !errors.As(err, &code) || code.ExitCode() != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", c.name, err)
		}
		if c.says == "" && !json.Valid(out) || bytes.Contains(out, []byte("hush")) {
			t.Errorf("%s: printed %s", c.name, out)
		}
	}
}

// TestCheckGrants: what is printed for a server that does not say what it is, and for either flavour.
func TestCheckGrants(t *testing.T) {
	for _, c := range []struct {
		command     checkCommand
		has, hasNot string
	}{
		{checkCommand{Flavor: "mysql"}, "REPLICATION CLIENT ON *.* TO 'weir'@'%'", "BINLOG MONITOR"},
		{checkCommand{Flavor: "mariadb", Source: "o'neil:hush@127.0.0.1:1"}, "BINLOG MONITOR ON *.* TO 'o''neil'@'%'", "hush"},
		{checkCommand{Source: "weir@127.0.0.1:1"}, "-- GRANT REPLICATION SLAVE, BINLOG MONITOR", "hush"},
	} {
		c.command.PrintGrants = true
		var err error
		out := string(captured(t, func() { err = c.command.Run(t.Context()) }))
		if err != nil || !strings.Contains(out, c.has) || strings.Contains(out, c.hasNot) {
			t.Errorf("%+v: %v, printed\n%s", c.command, err, out)
		}
	}
}

// TestComplain: what has been said is not said again, and ends with its own code.
func TestComplain(t *testing.T) {
	if got := ended(errors.New("a test's")); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
	if got := ended(exitError{code: 3}); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
}

// captured is what f prints.
func captured(t *testing.T, f func()) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = old }()
	f()
	out, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCheckWithoutBinlog: that there is none is the one thing to mend. The server's answers to what else is asked of a binlog are not
// about the account, and no GRANT changes them.
func TestCheckWithoutBinlog(t *testing.T) {
	s := sandboxtest.Server(t, sandbox.Options{Flavor: sandbox.MariaDB, NoBinlog: true})
	c := checkCommand{Source: s.Root.User + ":" + s.Root.Password + "@" + s.Addr()}
	report, err := c.report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Severity == check.Error && f.ID != "binlog-off" && f.ID != "ports" {
			t.Errorf("got %+v", f)
		}
	}
	if report.Count(check.Error) == 0 {
		t.Error("it finds no error")
	}
}

// TestPointed: a start that fails for the source's set-up points to the check, which would find nothing more of another error.
func TestPointed(t *testing.T) {
	s := sandboxtest.Server(t, sandbox.Options{Flavor: sandbox.MariaDB, NoBinlog: true})
	c := serveCommand{Source: s.Root.User + ":" + s.Root.Password + "@" + s.Addr(), LogLevel: "error"}
	err := c.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no binlog") || !strings.Contains(err.Error(), "`weir check --source ...`") || strings.Contains(err.Error(), s.Root.Password) {
		t.Errorf("got %v", err)
	}
	other := errors.New("cannot listen")
	if got := (&serveCommand{Config: "weir.yaml"}).pointed(other); got != other {
		t.Errorf("got %v", got)
	}
}
