package login

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"weir/proxy/wire"
)

// listening accepts clients until the test ends and answers OK to whatever they send. It returns its port, and what ends
// it and returns the sessions that it has had: a client's program may end before its session here does.
func listening(t *testing.T, o ServerOptions) (addr *net.TCPAddr, sessions func() []*Session) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	var had []*Session
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				serving(context.WithoutCancel(t.Context()), conn, o, func(s *Session) {
					mu.Lock()
					defer mu.Unlock()
					had = append(had, s)
				})
			})
		}
	})
	end := func() []*Session {
		l.Close()
		running.Wait()
		return had
	}
	t.Cleanup(func() { end() })
	return l.Addr().(*net.TCPAddr), end
}

// serving logs one client in and answers it until it quits. One that may get in is noted before it is told so, since it
// may be gone as soon as it has its answers.
func serving(ctx context.Context, conn net.Conn, o ServerOptions, note func(*Session)) {
	s, err := Accept(ctx, conn, o)
	if err != nil {
		return
	}
	note(s)
	if s.Welcome(wire.StatusAutocommit) != nil {
		return
	}
	for {
		s.Reader.Expect(0)
		command, err := s.Reader.ReadPacket(1 << 20)
		if err != nil || wire.Command(command[0]) == wire.ComQuit || s.peer.send(wire.OK{Status: wire.StatusAutocommit}) != nil {
			return
		}
	}
}

// ping connects and hangs up.
func ping(t *testing.T, c *mysql.Config) {
	t.Helper()
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if err := db.PingContext(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPitfall37GoDriver: go-sql-driver/mysql against Accept.
func TestPitfall37GoDriver(t *testing.T) {
	tests := []struct {
		name, plugin, user, password string
		code                         uint16
	}{
		{"caching", CachingSHA2Password, "app", "secret", 0},
		{"native", NativePassword, "app", "secret", 0},
		{"caching, no password", CachingSHA2Password, "open", "", 0},
		{"native, no password", NativePassword, "open", "", 0},
		{"caching, wrong password", CachingSHA2Password, "app", "wrong", 1045},
		{"native, wrong password", NativePassword, "app", "wrong", 1045},
		{"unknown user", CachingSHA2Password, "nobody", "secret", 1045},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := server()
			o.Plugin = tc.plugin
			addr, _ := listening(t, o)
			c := mysql.NewConfig()
			c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", addr.String(), tc.user, tc.password, "shop"
			db, err := sql.Open("mysql", c.FormatDSN())
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			err = db.PingContext(t.Context())
			var e *mysql.MySQLError
			switch {
			case tc.code == 0 && err != nil:
				t.Errorf("ping: %v", err)
			case tc.code != 0 && (!errors.As(err, &e) || e.Number != tc.code || string(e.SQLState[:]) != "28000"):
				t.Errorf("ping: %v, want %d", err, tc.code)
			}
		})
	}
}

// TestPitfall37MariaDBClient: MariaDB's command line client against Accept. Its library has its own ideas of which
// plugin to start with.
func TestPitfall37MariaDBClient(t *testing.T) {
	client, err := exec.LookPath("mariadb")
	if err != nil {
		t.Fatalf("install mariadb-client: %v", err)
	}
	tests := []struct {
		name, offered, user, password, auth string
		want                                string // in what the client prints
	}{
		{"reveals", "", "app", "secret", "", ""},
		{"reveals a longer one", "", "app", "v-secret", "", ""},
		{"reveals a long one", "", "app", longPassword, "", ""},
		{"reveals, starts with native", "", "app", "secret", NativePassword, ""},
		{"reveals, starts in clear", "", "app", "secret", clearPassword, ""},
		{"reveals no password", "", "open", "", "", ""},
		{"caching", CachingSHA2Password, "app", "secret", "", ""},
		{"native", NativePassword, "app", "secret", "", ""},
		{"no password", CachingSHA2Password, "open", "", "", ""},
		{"starts in clear", CachingSHA2Password, "app", "secret", clearPassword, ""},
		{"starts with ed25519", NativePassword, "app", "secret", ed25519Password, ""},
		{"starts with native", CachingSHA2Password, "app", "secret", NativePassword, ""},
		{"wrong password", CachingSHA2Password, "app", "wrong", "",
			"ERROR 1045 (28000): Access denied for user 'app'@'127.0.0.1' (using password: YES)"},
		{"no password where one is needed", NativePassword, "app", "", "",
			"ERROR 1045 (28000): Access denied for user 'app'@'127.0.0.1' (using password: NO)"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := server()
			if o.Plugin = tc.offered; tc.offered == "" {
				o = revealing()
			}
			addr, sessions := listening(t, o)
			args := []string{"--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--port=" + port(addr), "--user=" + tc.user,
				"--skip-ssl", "--password=" + tc.password, "--default-auth=" + tc.auth, "--execute=DO 1", "shop"}
			if tc.auth == "" {
				args = append(args[:7], args[8:]...)
			}
			out, err := exec.CommandContext(t.Context(), client, args...).CombinedOutput()
			if tc.want != "" {
				if err == nil || strings.TrimSpace(string(out)) != tc.want {
					t.Errorf("client printed %q, %v, want %q", out, err, tc.want)
				}
				return
			}
			if err != nil || len(out) > 0 {
				t.Fatalf("client printed %q, %v", out, err)
			}
			had := sessions()
			checkMariaDBSession(t, had)
			if had[0].Password != tc.password || had[0].Revealed != (tc.offered == "") {
				t.Errorf("session has password %q, revealed %v", had[0].Password, had[0].Revealed)
			}
		})
	}
}

func port(addr *net.TCPAddr) string {
	_, port, _ := net.SplitHostPort(addr.String())
	return port
}

// checkMariaDBSession: the client must have taken Weir for a server without MariaDB's extended capabilities.
func checkMariaDBSession(t *testing.T, sessions []*Session) {
	t.Helper()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions, want 1", len(sessions))
	}
	s := sessions[0]
	if s.Database != "shop" || s.Capabilities&^Offered != 0 || s.Attributes.Get("_client_name") != "libmariadb" {
		t.Errorf("session in database %q with capabilities %#x, attributes %v", s.Database, uint64(s.Capabilities), s.Attributes)
	}
}
