package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// startTimeout ends a start that hangs, when the caller's context does not do so before.
	startTimeout = 2 * time.Minute
	// stopGrace is how long a server may take to end in the orderly way.
	stopGrace = 30 * time.Second
	// farewell is how long MySQL may take to notice that the sandbox's own connection has gone. It announces that to
	// nobody; if it takes longer, it waits two seconds more before it ends.
	farewell = 50 * time.Millisecond
)

// Server is one MySQL or MariaDB server. Its methods may be called from several goroutines, except that Stop, Kill and
// Restart must not overlap.
type Server struct {
	Flavor  Flavor
	Version string // 10.11.19
	Port    int
	Socket  string  // path of the Unix socket
	Root    Account // every privilege, over TCP and over the socket

	opts    Options
	folder  *folder
	proc    *process
	port    *reservation
	stopped sync.Once
}

// StartServer starts a server and returns once it answers, and for a replica once it is connected to its source. ctx
// bounds the start only; the server runs until [Server.Stop], or until this process ends. The error of a server that
// does not come up holds the end of its log.
func StartServer(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s, err := prepare(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Flavor, err)
	}
	if err := s.begin(ctx); err != nil {
		s.Kill()
		s.Stop()
		return nil, fmt.Errorf("start %s: %w", o.Flavor, err)
	}
	return s, nil
}

// prepare does all but run the server. What it leaves behind, Stop removes.
func prepare(ctx context.Context, o Options) (*Server, error) {
	p, err := findProgram(ctx, o.Flavor)
	if err != nil {
		return nil, err
	}
	port, err := reserve(o.Port)
	if err != nil {
		return nil, err
	}
	folder, err := prepareFolder(ctx, p, o)
	if err != nil {
		port.release()
		return nil, err
	}
	proc := newProcess(p.command(serverArgs(o, folder, port.port)...), folder)
	if o.TimeZone != "" {
		proc.env = []string{"TZ=" + o.TimeZone}
	}
	return &Server{
		Flavor: o.Flavor, Version: p.version, Port: port.port, Socket: folder.in("sock"), Root: rootAccount,
		opts: o, folder: folder, port: port, proc: proc,
	}, nil
}

// prepareFolder makes the server's own folder, with a fresh data directory in it.
func prepareFolder(ctx context.Context, p program, o Options) (*folder, error) {
	data, err := template(ctx, p, o)
	if err != nil {
		return nil, err
	}
	folder, err := newFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := copyTree(folder.in("data"), data); err != nil {
		folder.remove()
		return nil, fmt.Errorf("copy a data directory: %w", err)
	}
	return folder, nil
}

func (s *Server) begin(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.opts.Log, "%s %s on %s\n", s.Flavor, s.Version, s.Addr())
	if s.opts.ReplicaOf == nil {
		return nil
	}
	return s.follow(ctx, s.opts.ReplicaOf)
}

// run starts the program and waits until the server answers.
func (s *Server) run(ctx context.Context) error {
	if err := s.proc.start(); err != nil {
		return err
	}
	return awaitLogin(ctx, s.proc, s.Socket, s.Root)
}

// awaitLogin waits until account can log in at socket. It fails if the program ends before.
func awaitLogin(ctx context.Context, proc *process, socket string, account Account) error {
	var last error
	err := poll(ctx, func() (bool, error) {
		last = onSocket(ctx, socket, account, func(conn *sql.Conn) error { return conn.PingContext(ctx) })
		if proc.pid() == 0 {
			return false, errors.New("the server ended at once")
		}
		return last == nil, nil
	})
	if err == nil {
		return nil
	}
	return fmt.Errorf("wait for the server to answer: %w (last login: %w); its log ends with:\n%s", err, last, tail(proc.log))
}

// Addr is the server's TCP address.
func (s *Server) Addr() string { return loopback(s.Port) }

// Pid is the server's process id, 0 while it is down.
func (s *Server) Pid() int { return s.proc.pid() }

// Stop ends the server in the orderly way, with force if that takes more than half a minute, removes its files and
// gives its port back. A second Stop does nothing. The server cannot be started again.
func (s *Server) Stop() {
	s.stopped.Do(func() {
		s.end()
		s.port.release()
		s.folder.remove()
	})
}

// Kill ends the server as a crash would (SIGKILL) and returns when it has gone. Files and port stay, for
// [Server.Restart].
func (s *Server) Kill() { s.proc.kill() }

// Restart ends the server in the orderly way, unless it is down already, and starts it again on the same port and data.
// A replica goes on following its source by itself.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s.end()
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("restart %s: %w", s.Flavor, err)
	}
	return nil
}

// end ends the server in the orderly way.
func (s *Server) end() {
	if s.Pid() != 0 && s.Flavor == MySQL {
		_ = s.proc.signal(sigResume)
		s.closeConnections()
	}
	s.proc.stop(stopGrace)
}

// closeConnections ends all connections of clients but its own. MySQL would do so itself, and wait: two seconds for
// clients, eight for readers of its binlog. Whatever goes wrong here makes the end slower, nothing else.
func (s *Server) closeConnections() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = onSocket(ctx, s.Socket, s.Root, func(conn *sql.Conn) error {
		return poll(ctx, func() (bool, error) { return killClients(ctx, conn) })
	})
	time.Sleep(farewell) //nolint:forbidigo // the server tells nobody when its clients are gone
}

// killClients reports that there are none left, or tells all that are there to go.
func killClients(ctx context.Context, conn *sql.Conn) (none bool, err error) {
	const others = "SELECT id FROM information_schema.processlist " +
		"WHERE id <> CONNECTION_ID() AND user NOT IN ('system user', 'event_scheduler')"
	clients, err := rows(ctx, conn, others)
	for _, c := range clients {
		_, _ = conn.ExecContext(ctx, "KILL "+c["id"]) // it may have gone by itself
	}
	return len(clients) == 0, err
}

// Suspend stops the server from doing anything, with its connections open (SIGSTOP).
func (s *Server) Suspend() error { return s.proc.signal(sigSuspend) }

// Resume lets a suspended server go on.
func (s *Server) Resume() error { return s.proc.signal(sigResume) }

// Log is the path of the server's error log. It goes with Stop.
func (s *Server) Log() string { return s.proc.log }

// LogTail is the end of the error log, for messages.
func (s *Server) LogTail() string { return tail(s.proc.log) }
