package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
)

// Prometheus is one Prometheus server, with its data in a folder that goes with it.
type Prometheus struct {
	Port int

	folder  *folder
	proc    *process
	port    *reservation
	stopped sync.Once
}

// StartPrometheus starts a server with the configuration in the file, whose relative paths count from there, and returns
// once it answers queries. ctx bounds the start only; the server runs until [Prometheus.Stop], or until this process
// ends.
func StartPrometheus(ctx context.Context, config string) (*Prometheus, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	p, err := preparePrometheus(config)
	if err != nil {
		return nil, fmt.Errorf("start Prometheus: %w", err)
	}
	if err := p.run(ctx); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start Prometheus: %w", err)
	}
	return p, nil
}

func preparePrometheus(config string) (*Prometheus, error) {
	path, err := FindPrometheus("prometheus")
	if err != nil {
		return nil, err
	}
	port, err := reserve(0)
	if err != nil {
		return nil, err
	}
	folder, err := newFolder("")
	if err != nil {
		port.release()
		return nil, err
	}
	argv := []string{
		path, "--config.file=" + config, "--storage.tsdb.path=" + folder.in("data"), "--web.listen-address=" + loopback(port.port),
		"--query.lookback-delta=1m", "--log.level=warn",
	}
	return &Prometheus{Port: port.port, folder: folder, port: port, proc: newProcess(argv, folder)}, nil
}

// FindPrometheus looks for prometheus or promtool where WEIR_PROMETHEUS or WEIR_PROMTOOL says, then in PATH.
func FindPrometheus(name string) (string, error) {
	variable := map[string]string{"prometheus": "WEIR_PROMETHEUS", "promtool": "WEIR_PROMTOOL"}[name]
	if path := os.Getenv(variable); path != "" {
		name = path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no %s found: run `make servers` to install it, or set %s to its program", name, variable)
	}
	return path, nil
}

func (p *Prometheus) run(ctx context.Context) error {
	if err := p.proc.start(); err != nil {
		return err
	}
	err := poll(ctx, func() (bool, error) {
		if p.proc.pid() == 0 {
			return false, errors.New("the server ended at once")
		}
		return p.ready(ctx), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the server to answer: %w; its log ends with:\n%s", err, p.LogTail())
	}
	return nil
}

func (p *Prometheus) ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+"/-/ready", nil)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// URL is where the server's HTTP API is, without a slash at the end.
func (p *Prometheus) URL() string { return "http://" + loopback(p.Port) }

// Stop ends the server, removes its files and gives its port back. A second Stop does nothing.
func (p *Prometheus) Stop() {
	p.stopped.Do(func() {
		p.proc.kill() // nobody needs the data any more
		p.port.release()
		p.folder.remove()
	})
}

// LogTail is the end of the server's log, for messages.
func (p *Prometheus) LogTail() string { return tail(p.proc.log) }
