package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestCopyTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	write(t, filepath.Join(from, "a"), "one", 0o600)
	write(t, filepath.Join(from, "sub/b"), "two", 0o644)
	if err := copyTree(to, from); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "one", "sub/b": "two"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "a")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a: %v, %v", info.Mode(), err)
	}
	if err := copyTree(to, from); !errors.Is(err, fs.ErrExist) {
		t.Errorf("copy onto a copy: %v, want %v", err, fs.ErrExist)
	}
}

func TestCopyTreeRefusesLinks(t *testing.T) {
	from := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(filepath.Join(t.TempDir(), "copy"), from); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error is %v, want %v", err, fs.ErrInvalid)
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if got := tail(path); !strings.HasPrefix(got, "(no log: ") {
		t.Errorf("tail of nothing is %q", got)
	}
	write(t, path, "first\n"+strings.Repeat("line\n", tailLines-1)+"last\n", 0o644)
	if got, want := tail(path), strings.Repeat("line\n", tailLines-1)+"last"; got != want {
		t.Errorf("tail is %q, want %q", got, want)
	}
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "lock")
	held, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("second lock: %v, want %v", err, context.Canceled)
	}
	held.Close()
	again, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestNewFolderTooLong: a Unix socket's path has a limit that is better met here than in the server.
func TestNewFolderTooLong(t *testing.T) {
	parent := filepath.Join(t.TempDir(), strings.Repeat("x", longestSocket))
	if err := os.Mkdir(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := newFolder(parent); err == nil || !strings.Contains(err.Error(), "shorter folder") {
		t.Errorf("error is %v, want advice to choose a shorter folder", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSweep: a folder in use stays, one whose owner was killed (its lock is free, its files are there) goes with the
// next folder that is made beside it.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	used, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	left, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	left.lock.Close()
	last, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder *folder
		there  bool
	}{{used, true}, {left, false}, {last, true}} {
		if _, err := os.Stat(c.folder.path); (err == nil) != c.there {
			t.Errorf("%s: %v, want it there: %v", c.folder.path, err, c.there)
		}
	}
	used.remove()
	last.remove()
	if rest, err := os.ReadDir(parent); err != nil || len(rest) != 0 {
		t.Errorf("left behind: %v, %v", rest, err)
	}
}
