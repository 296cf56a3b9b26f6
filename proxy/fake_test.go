package proxy

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/login"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// script is what a fake server does with a client's statement: it writes the response, and hangs up if it returns false.
// A nil one refuses the login with error 1040.
type script func(c net.Conn) bool

// fakeServer speaks just enough for a proxy to log in, to learn who it is, and to send one statement.
type fakeServer struct {
	name   string
	l      net.Listener
	script script

	// account is what it calls its clients; app@% if that is empty.
	account string

	// kill answers KILL QUERY, if it is not nil.
	kill script

	mu    sync.Mutex
	asked []string // the clients' statements
}

func newFakeServer(t *testing.T, name string, do script) *fakeServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{name: name, l: l, script: do}
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { f.serve(ctx, c) })
		}
	})
	t.Cleanup(func() {
		cancel()
		l.Close()
		all.Wait()
	})
	return f
}

func (f *fakeServer) addr() string { return f.l.Addr().String() }

func (f *fakeServer) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	s, err := login.Accept(ctx, c, login.ServerOptions{Version: "8.4.0", Plugin: login.NativePassword, Password: func(string) (string, bool) { return "secret", true }})
	if err != nil {
		return
	}
	if f.script == nil {
		_ = s.Refuse(wire.Errorf(wire.CodeTooManyConnections, "Too many connections"))
		return
	}
	if s.Welcome(wire.StatusAutocommit) != nil {
		return
	}
	for {
		s.Reader.Expect(0)
		p, err := s.Reader.ReadPacket(1 << 24)
		if err != nil || !f.answer(c, p) {
			return
		}
	}
}

// answer answers the proxy's own statements, and has the script answer the client's.
func (f *fakeServer) answer(c net.Conn, p []byte) bool {
	command, text := wire.Command(p[0]), string(p[1:])
	switch {
	case command != wire.ComQuery:
		return false
	case strings.HasPrefix(text, "SET SESSION TRANSACTION"):
		return write(c, wire.OK{Status: wire.StatusAutocommit})
	case strings.HasPrefix(text, "SELECT @@global.server_uuid"):
		return rows(c, f.name)
	case strings.HasPrefix(text, "SHOW SESSION VARIABLES"), strings.HasPrefix(text, "SHOW GLOBAL VARIABLES"):
		return rows(c)
	case strings.HasPrefix(text, "SHOW GLOBAL STATUS LIKE 'Uptime'"):
		up := wire.Result{Columns: make([]wire.Column, 2), Rows: []wire.Row{{[]byte("Uptime"), []byte("1000")}}, Status: wire.StatusAutocommit}
		b, _ := up.AppendPackets(nil, 1)
		_, err := c.Write(b)
		return err == nil
	case f.kill != nil && strings.HasPrefix(text, "KILL QUERY "):
		return f.kill(c)
	}
	if strings.HasPrefix(text, "SELECT @@SESSION.wait_timeout") {
		row := wire.Row{[]byte("28800"), []byte("utf8mb4"), []byte("utf8mb4"), []byte("utf8mb4_bin"), []byte(f.called()), []byte("NONE")}
		start := wire.Result{Columns: make([]wire.Column, len(row)), Rows: []wire.Row{row}, Status: wire.StatusAutocommit}
		b, _ := start.AppendPackets(nil, 1)
		_, err := c.Write(b)
		return err == nil
	}
	f.mu.Lock()
	f.asked = append(f.asked, text)
	f.mu.Unlock()
	return f.script(c)
}

// setScript is for scripts that look at what was asked; it comes before the first client.
func (f *fakeServer) setScript(do script) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = do
}

func (f *fakeServer) setAccount(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.account = name
}

func (f *fakeServer) called() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.account, "app@%")
}

func (f *fakeServer) statements() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func write(c net.Conn, m wire.Message) bool {
	b, _ := wire.AppendPacket(nil, 1, m)
	_, err := c.Write(b)
	return err == nil
}

// rows answers with a column and these rows.
func rows(c net.Conn, values ...string) bool {
	_, err := c.Write(resultOf(values...))
	return err == nil
}

func resultOf(values ...string) []byte {
	r := wire.Result{Columns: []wire.Column{{Name: "v"}}, Status: wire.StatusAutocommit}
	for _, v := range values {
		r.Rows = append(r.Rows, wire.Row{[]byte(v)})
	}
	b, _ := r.AppendPackets(nil, 1)
	return b
}

// tables is a catalogue in which every name is a table.
type tables struct{}

func (tables) Relation(dep.Name) dep.Relation        { return dep.Relation{Kind: dep.BaseTable} }
func (tables) Snapshot() (statement.Catalog, uint64) { return tables{}, 1 }

// serveFakes runs a proxy in front of servers and returns it, and a client of it, in whose name statements are asked.
func serveFakes(t *testing.T, writes Writes, source *fakeServer, backends ...string) (*Server, *conn) {
	t.Helper()
	srv, addr := servePartly(t, writes, func(*Parts) {}, source, backends...)
	return srv, dialFake(t, addr)
}

// servePartly runs a proxy with parts that the test may change, and returns its address.
func servePartly(t *testing.T, writes Writes, change func(*Parts), source *fakeServer, backends ...string) (*Server, string) {
	t.Helper()
	srv, addr, _ := serveUntil(t, writes, func(_ *Config, p *Parts) { change(p) }, source, backends...)
	return srv, addr
}

// serveUntil is servePartly with what ends it, once or more often, and returns when it has.
func serveUntil(t *testing.T, writes Writes, change func(*Config, *Parts), source *fakeServer, backends ...string) (_ *Server, addr string, stop func()) {
	t.Helper()
	ledger := cache.NewLedger(1 << 10)
	epoch := ledger.Restart(1)
	ledger.Advance(10)
	ledger.SetComplete(epoch, ledger.Now())
	cfg := DefaultConfig()
	cfg.Backends, cfg.Source, cfg.Writes, cfg.MaxStaleness = backends, source.addr(), writes, time.Hour
	cfg.Users = []User{{Name: "app", Password: "secret"}}
	parts := Parts{
		Cache: cache.New(cache.DefaultConfig(), ledger, nil), Catalog: tables{},
		Sampler: func(string) Sampler { return nil },
		Facts:   Facts{Version: "8.4.0", Flavor: statement.MySQL, Charset: func(uint8) string { return "utf8mb4" }},
		Log:     slog.New(slog.DiscardHandler),
	}
	change(&cfg, &parts)
	srv := New(cfg, parts)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return srv, l.Addr().String(), stop
}

func dialFake(t *testing.T, addr string) *conn {
	t.Helper()
	b, err := login.Dial(t.Context(), login.ClientOptions{Addr: addr, User: "app", Password: "secret", Database: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{net: b.Conn, reader: b.Reader, backend: newBackend(addr, nil)}
	t.Cleanup(c.quit)
	return c
}
