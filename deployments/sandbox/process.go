package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is one server program: started, signalled and awaited by its process id, and never outliving this one
// where the system can promise that (Linux).
type process struct {
	argv []string
	dir  string   // working directory
	log  string   // file that gets what the program prints
	env  []string // beside the process's own

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed once the program of cmd has gone; nil before the first start
}

func newProcess(argv []string, f *folder) *process {
	return &process{argv: argv, dir: f.path, log: f.in("log")}
}

var errNotRunning = errors.New("the server is not running")

// start runs the program. It must not be running.
func (p *process) start() error {
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open server log: %w", err)
	}
	defer out.Close()
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = p.dir, out, out, attributes()
	done, started := make(chan struct{}), make(chan error)
	go run(cmd, started, done)
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.argv[0], err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.done = cmd, done
	return nil
}

// run starts cmd and waits for its end on one operating system thread. Linux sends the signal that ends a server with
// its parent when the *thread* that started it ends, so the thread is kept for as long as the server lives.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer close(done)
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}
}

// current returns the running command, if any, and a channel that is closed when the program has gone.
func (p *process) current() (*exec.Cmd, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == nil {
		gone := make(chan struct{})
		close(gone)
		return nil, gone
	}
	select {
	case <-p.done:
		return nil, p.done
	default:
		return p.cmd, p.done
	}
}

// ended is the channel that is closed when the program has gone.
func (p *process) ended() <-chan struct{} {
	_, done := p.current()
	return done
}

func (p *process) signal(sig os.Signal) error {
	cmd, _ := p.current()
	if cmd == nil {
		return errNotRunning
	}
	return cmd.Process.Signal(sig)
}

// stop ends the program in the orderly way, or with force after grace. It returns when the program has gone.
func (p *process) stop(grace time.Duration) {
	_ = p.signal(sigResume) // a suspended program cannot act on the request; errors mean that it has gone
	_ = p.signal(sigTerminate)
	select {
	case <-p.ended():
	case <-time.After(grace):
		p.kill()
	}
}

// kill ends the program at once and returns when it has gone.
func (p *process) kill() {
	_ = p.signal(os.Kill)
	<-p.ended()
}

// pid is the process id, 0 when the program is not running.
func (p *process) pid() int {
	cmd, _ := p.current()
	if cmd == nil {
		return 0
	}
	return cmd.Process.Pid
}
