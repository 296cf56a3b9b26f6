package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis is one Redis or Valkey server. It keeps nothing on disk: after Kill or Restart it is empty, whatever it held.
// Its methods may be called from several goroutines, except that those which end the server must not overlap.
type Redis struct {
	Port int

	folder  *folder
	proc    *process
	port    *reservation
	control *redis.Client
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
	r, err := furnishRedis(o, path, port)
	if err != nil {
		port.release()
		return nil, err
	}
	return r, nil
}

// furnishRedis makes what the server needs in a folder of its own.
func furnishRedis(o RedisOptions, path string, port *reservation) (*Redis, error) {
	control, err := control(o, port.port)
	if err != nil {
		return nil, err
	}
	folder, err := newFolder("")
	if err != nil {
		return nil, err
	}
	if o.sentinel != "" {
		if err := os.WriteFile(folder.in(sentinelFile), []byte(o.sentinel), 0o600); err != nil {
			folder.remove()
			return nil, err
		}
	}
	argv := append([]string{path}, redisArgs(o, folder, port.port)...)
	return &Redis{Port: port.port, folder: folder, port: port, proc: newProcess(argv, folder), control: control}, nil
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

// answers sends PING. An error reply is an answer too, unless it says that the server is reading what it is to hold.
func (r *Redis) answers(ctx context.Context) bool {
	if !r.listens(ctx) { // the client would complain of that aloud
		return false
	}
	_, err := r.briefly(ctx, "PING")
	var said redis.Error
	return err == nil || errors.As(err, &said) && !strings.HasPrefix(said.Error(), "LOADING")
}

func (r *Redis) listens(ctx context.Context) bool {
	conn, err := (&net.Dialer{Timeout: answerTimeout}).DialContext(ctx, "tcp", r.Addr())
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// answerTimeout is how long is waited for a server that may be suspended.
const answerTimeout = time.Second

// briefly is Do for a command that takes no time.
func (r *Redis) briefly(ctx context.Context, words ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return r.Do(ctx, words...)
}

// Do runs one command as the account default, and returns the reply: a string, an int64, a []any, or nil. The error is a
// [redis.Error] if the server has said so.
func (r *Redis) Do(ctx context.Context, words ...any) (any, error) {
	reply, err := r.control.Do(ctx, words...).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%v on Redis %s: %w", words[0], r.Addr(), err)
	}
	return reply, nil
}

// Addr is the server's TCP address.
func (r *Redis) Addr() string { return loopback(r.Port) }

// Pid is the server's process id, 0 while it is down.
func (r *Redis) Pid() int { return r.proc.pid() }

// Stop ends the server in the orderly way, with force if that takes long, removes its files and gives its port back. A
// second Stop does nothing.
func (r *Redis) Stop() {
	r.stopped.Do(func() {
		_ = r.control.Close() // whatever it says, the server goes
		r.proc.stop(stopGrace)
		r.port.release()
		r.folder.remove()
	})
}

// Kill ends the server as a crash would (SIGKILL) and returns when it has gone. The port stays, for [Redis.Restart].
func (r *Redis) Kill() { r.proc.kill() }

// Restart ends the server, unless it is down already, and starts an empty one on the same port, which is nobody's
// replica.
func (r *Redis) Restart(ctx context.Context) error { return r.RestoreDump(ctx, nil) }

// Suspend stops the server from doing anything, with its connections open (SIGSTOP).
func (r *Redis) Suspend() error { return r.proc.signal(sigSuspend) }

// Resume lets a suspended server go on.
func (r *Redis) Resume() error { return r.proc.signal(sigResume) }

// LogTail is the end of the server's log, for messages.
func (r *Redis) LogTail() string { return tail(r.proc.log) }
