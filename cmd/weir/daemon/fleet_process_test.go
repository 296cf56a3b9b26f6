package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processConfig is the variable of the environment that makes this program a Weir: the path of its configuration.
const processConfig = "WEIR_TEST_PROCESS_CONFIG"

// runProcess is what a Weir does that is a process of its own. It says where it listens, and serves until it is told to
// stop, or until whoever has started it is gone.
func runProcess(path string) (code int) {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "weir:", err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	b, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	var cfg Config
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&cfg); err != nil {
		return fail(err)
	}
	d, err := open(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)), seams{history: 1 << 16})
	if err != nil {
		return fail(err)
	}
	fmt.Println(d.Addr(), d.AdminAddr())
	if err := d.Run(ctx); err != nil {
		return fail(err)
	}
	return 0
}

// weirProcess is a Weir that can be killed.
type weirProcess struct {
	t           testing.TB
	path        string
	command     *exec.Cmd
	stdin       io.Closer
	said        *lines
	addr, admin string
}

// startWeir runs a Weir as a process of its own, with this configuration.
func startWeir(t testing.TB, cfg Config) *weirProcess {
	t.Helper()
	p := &weirProcess{t: t, path: filepath.Join(t.TempDir(), "config")}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(cfg); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the Weir has said\n%s", p.said)
		}
	})
	return p
}

// start starts the process, and returns when it listens.
func (p *weirProcess) start() {
	p.t.Helper()
	program, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	p.said = &lines{}
	p.command = exec.Command(program, "-test.run=^$")
	p.command.Env = append(os.Environ(), processConfig+"="+p.path)
	p.command.Stderr = p.said
	out, err := p.command.StdoutPipe()
	if err == nil {
		p.stdin, err = p.command.StdinPipe()
	}
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if n, _ := fmt.Sscan(line, &p.addr, &p.admin); n != 2 {
		p.kill()
		p.t.Fatalf("the Weir says %q (%v): %s", line, err, p.said)
	}
}

// kill ends it as kill -9 does.
func (p *weirProcess) kill() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Kill()
	p.stdin.Close()
	_ = p.command.Wait() // says that it was killed
	p.command = nil
}

// stop ends it in the orderly way. A data race that it has found would be the error.
func (p *weirProcess) stop() {
	p.t.Helper()
	p.stdin.Close()
	if err := p.command.Wait(); err != nil {
		p.t.Errorf("the Weir ends with %v: %s", err, p.said)
	}
	p.command = nil
}

// get asks the admin port, and returns the body if it says that all is well.
func (p *weirProcess) get(path string) (body string, ok bool) {
	response, err := http.Get("http://" + p.admin + path)
	if err != nil {
		return "", false
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return string(b), err == nil && response.StatusCode == http.StatusOK
}

// metrics are all of them, as of one moment.
func (p *weirProcess) metrics() metrics {
	body, _ := p.get("/metrics")
	return metrics(body)
}

// metrics are what the admin port says.
type metrics string

// sum is that of a metric over all labels that contain the given text.
func (m metrics) sum(name, label string) (sum float64) {
	for line := range strings.Lines(string(m)) {
		of, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		metric, labels, _ := strings.Cut(of, "{")
		if metric == name && strings.Contains(labels, label) {
			v, _ := strconv.ParseFloat(value, 64)
			sum += v
		}
	}
	return sum
}

// lines are those of the metrics whose names begin so, and that are not zero.
func (m metrics) lines(prefix string) (all []string) {
	for line := range strings.Lines(string(m)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, prefix) && !strings.HasSuffix(line, " 0") {
			all = append(all, line)
		}
	}
	return all
}
