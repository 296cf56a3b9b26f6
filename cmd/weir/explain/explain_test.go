package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"weir/cmd/weir/daemon"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	explaining "weir/proxy/explain"
)

// startWeir runs a Weir in front of a server, and returns the server and where the Weir listens.
func startWeir(t *testing.T, flavor sandbox.Flavor) (source *sandbox.Server, addr string) {
	t.Helper()
	source = sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
	grants := "SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"
	if err := errors.Join(
		source.CreateUser(t.Context(), "weir", "weir-secret", grants),
		source.CreateUser(t.Context(), "app", "app-secret", "SELECT ON shop.*"),
		source.Exec(t.Context(), "CREATE DATABASE shop", "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(20))"),
	); err != nil {
		t.Fatal(err)
	}
	cfg := daemon.Default()
	cfg.Listen, cfg.Admin = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = source.Addr(), "weir", "weir-secret"
	d, err := daemon.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if err := d.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	return source, d.Addr()
}

// ask returns what is printed, and the exit code of a verdict, or the error.
func ask(t *testing.T, o Options) (printed string, code int, err error) {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	err = Run(t.Context(), o)
	var v VerdictError
	if errors.As(err, &v) {
		return out.String(), v.ExitCode(), nil
	}
	return out.String(), 0, err
}

func TestRun(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		source, addr := startWeir(t, flavor)
		app := Options{Server: addr, User: "app", Password: "app-secret", Database: "shop"}
		for _, c := range []struct {
			statement string
			code      int
			says      string
		}{
			{"SELECT name FROM items WHERE id = 5", 0, "rows of shop.items with id = 5, columns id, name"},
			{"SELECT NOW() FROM items", 4, "nondeterministic_function"},
			{"DELETE FROM items", 5, "refused"},
		} {
			o := app
			o.Statement = c.statement
			out, code, err := ask(t, o)
			if err != nil || code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("%s: exit code %d, want %d, error %v:\n%s", c.statement, code, c.code, err, out)
			}
			o.JSON = true
			var e explaining.Explanation
			if out, _, err = ask(t, o); err != nil || json.Unmarshal([]byte(out), &e) != nil || e.Verdict == "" {
				t.Errorf("%s: as JSON: %v:\n%s", c.statement, err, out)
			}
		}
		errorsNameTheNextStep(t, app, source)
	})
}

// errorsNameTheNextStep: each error says what to do.
func errorsNameTheNextStep(t *testing.T, app Options, source *sandbox.Server) {
	t.Helper()
	app.Statement = "SELECT id FROM items"
	for next, change := range map[string]func(*Options){
		"weir serve": func(o *Options) { o.Server = unused(t) },
		"--user":     func(o *Options) { o.Password = "wrong" },
		"--database": func(o *Options) { o.Database = "" },
		"--server":   func(o *Options) { o.Server = source.Addr() },
		"--config":   func(o *Options) { o.User = "" },
		"1146":       func(o *Options) { o.Statement = "SELECT id FROM shop.nowhere" },
	} {
		o := app
		change(&o)
		if out, _, err := ask(t, o); err == nil || !strings.Contains(err.Error(), next) || out != "" {
			t.Errorf("the error does not name %s: %v\n%s", next, err, out)
		}
	}
}

// unused is a port on which nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The account is the one of the flags, else the first of users, else the source's; a password in the file is that of its account.
func TestAccount(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weir.yaml")
	source := "listen: 127.0.0.1:4407\nsource:\n  addr: 127.0.0.1:3306\n  user: weir\n  password: one\n"
	users := source + "users:\n  - name: app\n    password: two\n  - name: report\n    password: three\n"
	for _, c := range []struct {
		file string
		o    Options
		want account
	}{
		{source, Options{Config: file}, account{"127.0.0.1:4407", "weir", "one", ""}},
		{users, Options{Config: file}, account{"127.0.0.1:4407", "app", "two", ""}},
		{users, Options{Config: file, User: "report"}, account{"127.0.0.1:4407", "report", "three", ""}},
		{users, Options{Config: file, User: "report", Password: "mine"}, account{"127.0.0.1:4407", "report", "mine", ""}},
		{users, Options{Config: file, User: "other", Server: "h:1", Database: "d"}, account{"h:1", "other", "", "d"}},
		{users, Options{User: "app"}, account{"127.0.0.1:3307", "app", "", ""}},
	} {
		if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.o.account(); err != nil || got != c.want {
			t.Errorf("%+v: %+v, %v; want %+v", c.o, got, err, c.want)
		}
	}
}

// What is printed is no wider than a terminal, and has colours only where they are wanted; what a literal has for a terminal does
// not get there.
func TestPrint(t *testing.T) {
	e := &explaining.Explanation{
		Verdict: explaining.NotNow, Reason: "session", Sentence: strings.Repeat("so many words ", 20), Detail: "SET \x1b[2J",
		Tables: []explaining.Table{{Name: "shop.v", View: true, Reads: []string{"shop.a", "shop.b"}}, {Name: "shop.a"}},
	}
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		if err := Print(&out, e, color); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\x1b[") != color || strings.Contains(out.String(), "\x1b[2J") {
			t.Errorf("colours %v: %q", color, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > width && !color {
				t.Errorf("a line has %d columns: %s", n, line)
			}
		}
	}
}
