package daemon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program as people run it.
type binary string

// buildWeir builds it with what the test itself was built with, so that little has to be compiled.
func buildWeir(t *testing.T) binary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weir")
	args := []string{"build", "-o", path}
	if raceEnabled {
		args = append(args, "-race")
	}
	out, err := exec.CommandContext(t.Context(), "go", append(args, "weir/cmd/weir")...).CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary(path)
}

// promptly is more than any start that fails may take, on a machine that is busy.
const promptly = 20 * time.Second

// run returns what the program prints, and its exit code.
func (b binary) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), promptly)
	defer cancel()
	var out, problems bytes.Buffer
	c := exec.CommandContext(ctx, string(b), args...)
	c.Stdout, c.Stderr = &out, &problems
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("weir %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return out.String(), problems.String(), c.ProcessState.ExitCode()
}

// refuses runs the program and expects it to end by itself, with one line that has all the words.
func (b binary) refuses(t *testing.T, words []string, args ...string) {
	t.Helper()
	_, stderr, code := b.run(t, args...)
	if code == 0 {
		t.Errorf("weir %s: exit code 0", strings.Join(args, " "))
	}
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("weir %s says this, in place of one line:\n%s", strings.Join(args, " "), stderr)
	}
	for _, word := range words {
		if !strings.Contains(stderr, word) {
			t.Errorf("weir %s says %q; it is to say %q", strings.Join(args, " "), stderr, word)
		}
	}
}

// running is a Weir in a process of its own.
type running struct {
	t             *testing.T
	process       *os.Process
	listen, admin string
	ended         chan int // its exit code
}

var serving = regexp.MustCompile(`msg=serving listen=(\S+) admin=http://([^/]+)/`)

// serve starts the program and waits until it has said where it listens.
func (b binary) serve(t *testing.T, args ...string) *running {
	t.Helper()
	c := exec.Command(string(b), append([]string{"serve"}, args...)...)
	c.Env = append(os.Environ(), "WEIR_TEST_PASSWORD=weir-secret")
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, process: c.Process, ended: make(chan int, 1)}
	said := make(chan []string, 1)
	var last string
	go func() {
		defer close(said)
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			last = lines.Text()
			if m := serving.FindStringSubmatch(lines.Text()); m != nil {
				said <- m
			}
		}
		io.Copy(io.Discard, log)
		c.Wait()
		r.ended <- c.ProcessState.ExitCode()
	}()
	t.Cleanup(func() { c.Process.Kill() })
	m := <-said
	if m == nil {
		t.Fatalf("weir serve %s ended with code %d: %s", strings.Join(args, " "), <-r.ended, last)
	}
	r.listen, r.admin = m[1], m[2]
	return r
}

func (r *running) terminate() {
	r.t.Helper()
	if err := r.process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
}

// exit waits for the end, and checks that it is a good one.
func (r *running) exit() {
	r.t.Helper()
	select {
	case code := <-r.ended:
		if code != 0 {
			r.t.Errorf("after SIGTERM the exit code is %d", code)
		}
	case <-time.After(promptly):
		r.t.Error("weir serve does not end")
	}
}
