package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program that prints a version.
func script(t *testing.T, version string) string {
	path := filepath.Join(t.TempDir(), "mysqld")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindProgramFromEnvironment(t *testing.T) {
	const (
		mysqld   = "mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)"
		mariadbd = "mysqld  Ver 11.4.2-MariaDB for Linux on x86_64 (Source distribution)"
	)
	for _, c := range []struct {
		name, variable, prints string
		flavor                 Flavor
		want, wantErr          string
	}{
		{"MySQL", "WEIR_MYSQLD", mysqld, MySQL, "8.4.3", ""},
		{"MariaDB", "WEIR_MARIADBD", mariadbd, MariaDB, "11.4.2", ""},
		{"mysqld that is MariaDB", "WEIR_MYSQLD", mariadbd, MySQL, "", "is not MySQL"},
		{"mariadbd that is MySQL", "WEIR_MARIADBD", mysqld, MariaDB, "", "is not MariaDB"},
		{"no version", "WEIR_MYSQLD", "hello", MySQL, "", "no version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.variable, script(t, c.prints))
			p, err := findProgram(t.Context(), c.flavor)
			if p.version != c.want || (err == nil) != (c.wantErr == "") {
				t.Fatalf("version %q, error %v", p.version, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.wantErr) || !strings.Contains(err.Error(), c.variable)) {
				t.Errorf("error is %v, want %s and %q", err, c.variable, c.wantErr)
			}
		})
	}
}

func TestPrivateProgramNotInstalled(t *testing.T) {
	t.Setenv("WEIR_SANDBOX_CACHE", t.TempDir())
	if _, err := privateProgram(t.Context()); !os.IsNotExist(err) {
		t.Errorf("error is %v, want one that says that it does not exist", err)
	}
}
