package login

import (
	"bytes"
	"fmt"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

// account is a way to log in on a real server.
type account struct {
	name       string
	statements []string // that make it
	user       string
	password   string
	socket     bool
	code       wire.Code // of the error
}

var bothAccounts = []account{
	{name: "password", user: "root", password: "weir-sandbox"},
	{name: "password over a Unix socket", user: "root", password: "weir-sandbox", socket: true},
	{name: "wrong password", user: "root", password: "wrong", code: wire.CodeAccessDenied},
	{name: "no password", statements: []string{"CREATE USER open@'%' IDENTIFIED BY ''"}, user: "open"},
	{name: "no password where one is needed", user: "root", code: wire.CodeAccessDenied},
}

var mysqlAccounts = []account{
	{name: "caching, not in the server's cache", statements: []string{
		"CREATE USER c@'%' IDENTIFIED WITH caching_sha2_password BY 'pw-c'"}, user: "c", password: "pw-c"},
	{name: "caching, in the server's cache now", user: "c", password: "pw-c"},
	{name: "caching, not in the server's cache, wrong password", statements: []string{"FLUSH PRIVILEGES"}, user: "c",
		password: "wrong", code: wire.CodeAccessDenied},
	{name: "caching, not in the server's cache, over a Unix socket", statements: []string{"FLUSH PRIVILEGES"}, user: "c",
		password: "pw-c", socket: true},
	{name: "sha256", statements: []string{"CREATE USER s@'%' IDENTIFIED WITH sha256_password BY 'pw-s'"}, user: "s",
		password: "pw-s"},
	{name: "sha256 over a Unix socket", user: "s", password: "pw-s", socket: true},
	{name: "long password", statements: []string{"CREATE USER l@'%' IDENTIFIED BY '" + longPassword + "'"}, user: "l",
		password: longPassword},
}

var mariadbAccounts = []account{
	{name: "ed25519", statements: []string{"INSTALL SONAME 'auth_ed25519'",
		"CREATE USER e@'%' IDENTIFIED VIA ed25519 USING PASSWORD('pw-e')"}, user: "e", password: "pw-e"},
	{name: "ed25519, wrong password", user: "e", password: "wrong", code: wire.CodeAccessDenied},
}

// TestPitfall37Servers: Dial against real servers.
func TestPitfall37Servers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		accounts := append(bothAccounts, mysqlAccounts...)
		if flavor == sandbox.MariaDB {
			accounts = append(bothAccounts, mariadbAccounts...)
		}
		for _, a := range accounts {
			t.Run(a.name, func(t *testing.T) { logInAs(t, s, a) })
		}
		t.Run("unknown database", func(t *testing.T) {
			o := ClientOptions{Addr: s.Addr(), User: "root", Password: "weir-sandbox", Database: "none"}
			if _, err := Dial(t.Context(), o); code(err) != wire.CodeUnknownDatabase {
				t.Errorf("error %v, want 1049", err)
			}
		})
		t.Run("facts", func(t *testing.T) { checkFacts(t, s) })
	})
}

func logInAs(t *testing.T, s *sandbox.Server, a account) {
	sandboxtest.Exec(t, s, a.statements...)
	o := ClientOptions{Addr: s.Addr(), User: a.user, Password: a.password}
	if a.socket {
		o.Addr = s.Socket
	}
	b, err := Dial(t.Context(), o)
	if code(err) != a.code || (err == nil) != (a.code == 0) {
		t.Fatalf("error %v, want %d", err, a.code)
	}
	if err != nil {
		return
	}
	defer b.Conn.Close()
	if got, want := query(t, b, "SELECT SUBSTRING_INDEX(USER(), '@', 1), CONNECTION_ID()"),
		fmt.Sprintf("[%s %d]", a.user, b.ConnectionID); got != want {
		t.Errorf("server says %s, want %s", got, want)
	}
}

// TestPitfall38ServerRow follows a row of 40 MB, which starts with 0xFE and takes three packets, from real servers, and
// the connection can be used afterwards.
func TestPitfall38ServerRow(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-allowed-packet=64M"}})
		b, err := Dial(t.Context(), ClientOptions{Addr: s.Addr(), User: "root", Password: "weir-sandbox"})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Conn.Close()
		scanner := follow(t, b, "SELECT REPEAT('x', 40000000) UNION ALL SELECT 'y'", func([]byte) {})
		if scanner.Rows() != 2 || scanner.Size() < 40000000 || b.Reader.Buffered() {
			t.Errorf("%d rows in %d bytes, want 2 in all that was sent", scanner.Rows(), scanner.Size())
		}
		if got := query(t, b, "SELECT 1"); got != "[1]" {
			t.Errorf("the next result is %s, want [1]", got)
		}
	})
}

// checkFacts compares what a login tells with what the server says when asked.
func checkFacts(t *testing.T, s *sandbox.Server) {
	b, err := Dial(t.Context(), ClientOptions{Addr: s.Addr(), User: "root", Password: "weir-sandbox", Database: "mysql",
		Collation: 33, Capabilities: Offered})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Conn.Close()
	if string(b.Flavor) != string(s.Flavor) || !b.Status.Has(wire.StatusAutocommit) {
		t.Errorf("flavor %s, status %#x", b.Flavor, b.Status)
	}
	if got, want := query(t, b, "SELECT VERSION(), DATABASE(), @@collation_connection = 'utf8mb3_general_ci'"),
		fmt.Sprintf("[%s mysql 1]", b.Version); got != want {
		t.Errorf("server says %s, want %s", got, want)
	}
}

// query returns the first row of a result as text.
func query(t *testing.T, b *Backend, sql string) string {
	t.Helper()
	var first []byte
	s := follow(t, b, sql, func(payload []byte) {
		if first == nil {
			first = bytes.Clone(payload)
		}
	})
	row, err := wire.DecodeRow(nil, first, s.Columns())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s", row)
}

// follow sends a query and reads its response to the end. It calls row with the first packet of each row.
func follow(t *testing.T, b *Backend, sql string, row func(payload []byte)) *wire.Scanner {
	t.Helper()
	c := &script{t: t, peer: peer{conn: b.Conn, reader: b.Reader}}
	c.reader.Expect(0)
	c.write(wire.Payload(append([]byte{byte(wire.ComQuery)}, sql...)))
	s := new(wire.Scanner)
	s.Begin(wire.ShapeQuery)
	for done := false; !done; {
		raw, continuation, err := b.Reader.ReadRaw()
		c.must(err)
		before := s.Rows()
		done, err = s.Next(raw, continuation)
		c.must(err)
		if s.Rows() > before {
			row(raw[wire.HeaderSize:])
		}
	}
	return s
}
