package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// RedisOptions say what kind of Redis server [StartRedis] starts. The zero value is a server without a password.
type RedisOptions struct {
	Port      int      // on 127.0.0.1; 0 takes a free one
	Password  string   // empty is none
	MaxMemory int64    // in bytes, with eviction of any key (allkeys-lru) past it; 0 is no limit
	Extra     []string // further words for the command line, as in "--cluster-enabled", "yes"
	Log       io.Writer
}

// Redis is one Redis or Valkey server. It keeps nothing on disk: after Kill or Restart it is empty.
type Redis struct {
	Port int

	folder  *folder
	proc    *process
	port    *reservation
	stopped sync.Once
}

// StartRedis starts a server and returns once it answers. ctx bounds the start only; the server runs until
// [Redis.Stop], or until this process ends.
func StartRedis(ctx context.Context, o RedisOptions) (*Redis, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	r, err := prepareRedis(o)
	if err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	if err := r.run(ctx); err != nil {
		r.Stop()
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	if o.Log != nil {
		fmt.Fprintf(o.Log, "Redis on %s\n", r.Addr())
	}
	return r, nil
}

func prepareRedis(o RedisOptions) (*Redis, error) {
	path, err := findRedis()
	if err != nil {
		return nil, err
	}
	port, err := reserve(o.Port)
	if err != nil {
		return nil, err
	}
	folder, err := newFolder("")
	if err != nil {
		port.release()
		return nil, err
	}
	argv := append([]string{path}, redisArgs(o, folder.path, port.port)...)
	return &Redis{Port: port.port, folder: folder, port: port, proc: newProcess(argv, folder)}, nil
}

// findRedis looks for the server where WEIR_REDIS says, then in the usual places.
func findRedis() (string, error) {
	if path := os.Getenv("WEIR_REDIS"); path != "" {
		path, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("WEIR_REDIS: %w", err)
		}
		return path, nil
	}
	dirs := append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin")
	found := executables(dirs, []string{"redis-server", "valkey-server"})
	if len(found) == 0 {
		return "", errors.New("no redis-server or valkey-server found: run `make servers` to install it, or set WEIR_REDIS to its program")
	}
	return found[0], nil
}

func redisArgs(o RedisOptions, dir string, port int) []string {
	args := []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"}
	if o.Password != "" {
		args = append(args, "--requirepass", o.Password)
	}
	if o.MaxMemory > 0 {
		args = append(args, "--maxmemory", strconv.FormatInt(o.MaxMemory, 10), "--maxmemory-policy", "allkeys-lru")
	}
	return append(args, o.Extra...)
}

func (r *Redis) run(ctx context.Context) error {
	if err := r.proc.start(); err != nil {
		return err
	}
	err := poll(ctx, func() (bool, error) {
		if r.proc.pid() == 0 {
			return false, errors.New("the server ended at once")
		}
		return r.answers(ctx), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the server to answer: %w; its log ends with:\n%s", err, r.LogTail())
	}
	return nil
}

// answers sends PING. An error reply is an answer too: the server may ask for a password.
func (r *Redis) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.Addr())
	if err != nil {
		return false
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return false
	}
	reply, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && (reply[0] == '+' || reply[0] == '-')
}

// Addr is the server's TCP address.
func (r *Redis) Addr() string { return loopback(r.Port) }

// Stop ends the server in the orderly way, with force if that takes long, removes its files and gives its port back. A
// second Stop does nothing.
func (r *Redis) Stop() {
	r.stopped.Do(func() {
		r.proc.stop(stopGrace)
		r.port.release()
		r.folder.remove()
	})
}

// Kill ends the server as a crash would (SIGKILL) and returns when it has gone. The port stays, for [Redis.Restart].
func (r *Redis) Kill() { r.proc.kill() }

// Restart ends the server, unless it is down already, and starts an empty one on the same port.
func (r *Redis) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	r.proc.stop(stopGrace)
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("restart Redis: %w", err)
	}
	return nil
}

// Suspend stops the server from doing anything, with its connections open (SIGSTOP).
func (r *Redis) Suspend() error { return r.proc.signal(sigSuspend) }

// Resume lets a suspended server go on.
func (r *Redis) Resume() error { return r.proc.signal(sigResume) }

// LogTail is the end of the server's log, for messages.
func (r *Redis) LogTail() string { return tail(r.proc.log) }
