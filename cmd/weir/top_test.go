package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTopSource: where the Weir is and what it wants to be shown come from its file, and flags win.
func TestTopSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weir.yaml")
	text := "source: {addr: '127.0.0.1:1', user: weir}\nadmin: '0.0.0.0:9400'\nadmin_auth: {token: from-the-file-0123456789}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command         topCommand
		url, token, err string
	}{
		{command: topCommand{}, url: "http://127.0.0.1:9307"},
		{command: topCommand{Admin: "weir.example:9307", Token: "t"}, url: "http://weir.example:9307", token: "t"},
		{command: topCommand{Admin: "https://weir.example"}, url: "https://weir.example"},
		{command: topCommand{Config: file}, url: "http://localhost:9400", token: "from-the-file-0123456789"},
		{command: topCommand{Config: file, Token: "flag"}, url: "http://localhost:9400", token: "flag"},
		{command: topCommand{Config: file, Admin: "x"}, err: "both given"},
		{command: topCommand{Config: file + "x"}, err: "no such file"},
		{command: topCommand{CA: file}, err: "no certificate in PEM"},
	} {
		from, err := c.command.source()
		switch {
		case err != nil && (c.err == "" || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%+v: %v", c.command, err)
		case err == nil && (c.err != "" || from.URL != c.url || from.Token != c.token):
			t.Errorf("%+v asks %s with %q, want %s with %q, or an error with %q", c.command, from.URL, from.Token, c.url, c.token, c.err)
		}
	}
}
