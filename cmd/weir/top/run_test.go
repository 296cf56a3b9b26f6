package top

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// terminal is one that can be waited for.
type terminal struct {
	mu       sync.Mutex
	emulator *vt.Emulator
	more     chan struct{}
}

// newTerminal returns a terminal, what it answers to questions of a program included, and its keyboard.
func newTerminal(t *testing.T, width, height int) (w *terminal, input io.Reader, press io.Writer) {
	w = &terminal{emulator: vt.NewEmulator(width, height), more: make(chan struct{}, 1)}
	keys, keyboard := io.Pipe()
	answers := make(chan struct{})
	go func() { defer close(answers); io.Copy(keyboard, w.emulator) }()
	t.Cleanup(func() {
		w.emulator.InputPipe().(io.Closer).Close() // Close would race with who reads
		<-answers
		keys.Close()
	})
	return w, keys, keyboard
}

func (w *terminal) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
	if _, err := w.emulator.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil { // as a tty does
		return 0, err
	}
	return len(p), nil
}

func (w *terminal) screen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.emulator.String()
}

// expect waits until a text is on the screen.
func (w *terminal) expect(t *testing.T, part string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(w.screen(), part) {
		select {
		case <-w.more:
		case <-deadline:
			t.Fatalf("%q is not on the screen:\n%s", part, w.screen())
		}
	}
}

// TestRun: on a terminal, keys work, figures change by themselves, and a Weir that is gone is told and then found again.
func TestRun(t *testing.T) {
	var clients atomic.Int64
	var gone atomic.Bool
	weir := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		o := sample()
		o.Clients = int(clients.Add(1))
		json.NewEncoder(w).Encode(o)
	}))
	defer weir.Close()
	out, keys, press := newTerminal(t, 100, 30)
	done := make(chan error, 1)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		done <- Run(t.Context(), Source{URL: weir.URL, Token: "secret", Client: client}, 10*time.Millisecond,
			tea.WithInput(keys), tea.WithOutput(out), tea.WithWindowSize(100, 30), tea.WithEnvironment([]string{"TERM=xterm"}))
	}()
	out.expect(t, "10.0.0.2:3306")
	io.WriteString(press, "2")
	out.expect(t, "by cost and gain")
	io.WriteString(press, "ss")
	out.expect(t, "by hits/s")
	io.WriteString(press, "\t")
	out.expect(t, "by reads and changes")
	gone.Store(true)
	out.expect(t, "admin_auth")
	gone.Store(false)
	out.expect(t, "Cached results are served.")
	io.WriteString(press, "q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSourceErrors: each failure says what to do.
func TestSourceErrors(t *testing.T) {
	status := http.StatusOK
	weir := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, "<html>")
	}))
	client := weir.Client()
	ask := func(url string) string {
		_, err := Source{URL: url, Client: client}.Overview(context.Background())
		if err == nil {
			t.Fatal("it has an overview")
		}
		return err.Error()
	}
	for code, want := range map[int]string{200: "does not speak", 401: "give --config, --token", 404: "a relay has no overview", 500: "500 Internal Server Error"} {
		if status = code; !strings.Contains(ask(weir.URL), want) {
			t.Errorf("of a %d it says %q, want %q in it", code, ask(weir.URL), want)
		}
	}
	weir.Close()
	if got := ask(weir.URL); !strings.Contains(got, "connection refused; start one with weir serve") {
		t.Errorf("without a Weir it says %q", got)
	}
	if got := ask("http://a b"); !strings.Contains(got, "is no address of an admin port") {
		t.Errorf("of no address it says %q", got)
	}
}

// TestUnicodeTerminal: by the locale, as other programs do it.
func TestUnicodeTerminal(t *testing.T) {
	for env, want := range map[string]bool{
		"": true, "LANG=C": false, "LANG=de_DE.UTF-8": true, "LC_ALL=C LANG=en_US.UTF-8": false, "TERM=dumb LANG=en_US.utf8": false, "LC_CTYPE=C.UTF-8": true,
	} {
		set := map[string]string{}
		for _, v := range strings.Fields(env) {
			name, value, _ := strings.Cut(v, "=")
			set[name] = value
		}
		if got := unicodeTerminal(func(name string) string { return set[name] }); got != want {
			t.Errorf("with %q it is %v, want %v", env, got, want)
		}
	}
}
