package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// loginTime is how long a client may take to log in, in these tests.
const loginTime = 500 * time.Millisecond

// clientWorld is a Weir with a well-behaved client in it, whose every answer is a hit.
type clientWorld struct {
	*world
	good *client
}

const (
	badClientsAtMost = 40
	hugeSize         = 64 << 20
)

func newClientWorld(t *testing.T, flavor sandbox.Flavor) *clientWorld {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON *.*"))
	w.seams.proxy = func(c *proxy.Config) { c.LoginTimeout = loginTime }
	w.start(func(c *Config) { c.MaxConnections = badClientsAtMost })
	_, p := w.shop()
	p.warm(one)
	return &clientWorld{world: w, good: p}
}

// A client that misbehaves is cut off, or told what is wrong, and a client beside it notices nothing.
func TestClientsThatMisbehave(t *testing.T) {
	sandboxtest.EachAlone(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newClientWorld(t, flavor)
		for _, c := range []struct {
			name string
			do   func(*clientWorld, *testing.T)
		}{
			{"garbage in place of a login", (*clientWorld).garbage},
			{"half a login", (*clientWorld).halfALogin},
			{"64 MiB without a login", (*clientWorld).hugeLogin},
			{"connect and close", (*clientWorld).connectAndClose},
			{"too many connections", (*clientWorld).tooMany},
			{"half a command", (*clientWorld).halfACommand},
			{"wrong sequence number", (*clientWorld).wrongSequence},
			{"empty packet", (*clientWorld).emptyPacket},
		} {
			t.Run(c.name, func(t *testing.T) {
				w.beside(t, func() { c.do(w, t) })
			})
		}
	})
}

// beside runs f while the good client asks, which must get a hit each time.
func (w *clientWorld) beside(t *testing.T, f func()) {
	t.Helper()
	hits := w.counter("weir_statements_total", "outcome", "hit")
	stop := make(chan struct{})
	var all sync.WaitGroup
	asked := 0
	until(t, &all, stop, func() error {
		asked++
		return equal(w.good.ask(one), "v\nold\n")
	})
	f()
	close(stop)
	all.Wait()
	if got := w.counter("weir_statements_total", "outcome", "hit") - hits; got != float64(asked) {
		t.Errorf("the good client had %.0f hits for %d questions", got, asked)
	}
	w.eventually("the bad clients have gone", func() bool { return w.counter("weir_clients", "", "") == 1 })
}

// stranger connects without a word.
func (w *clientWorld) stranger(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", w.weir.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// cutOff reads until the other side closes.
func cutOff(t testing.TB, c net.Conn) (said []byte) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	said, err := io.ReadAll(c)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("Weir does not cut the client off")
	}
	return said
}

func (w *clientWorld) garbage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := [][]byte{[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), bytes.Repeat([]byte{0}, 1000), bytes.Repeat([]byte{0xff}, 1000)}
	for range 20 {
		b := make([]byte, 4+random.IntN(500))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		texts = append(texts, b)
	}
	var all sync.WaitGroup
	for _, text := range texts {
		c := w.stranger(t)
		all.Go(func() {
			c.Write(text)
			cutOff(t, c)
		})
	}
	all.Wait()
}

func (w *clientWorld) halfALogin(t *testing.T) {
	for _, text := range []string{"", "\x64", "\x64\x00\x00\x01", "\x64\x00\x00\x01half of it"} {
		c := w.stranger(t)
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		cutOff(t, c)
	}
}

func (w *clientWorld) hugeLogin(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := w.stranger(t)
	chunk := make([]byte, 1<<20)
	copy(chunk, "\xff\xff\xff\x01")
	sent := 0
	for sent < hugeSize {
		n, err := c.Write(chunk)
		sent += n
		if err != nil {
			break
		}
	}
	if sent == hugeSize {
		t.Errorf("Weir has taken all %d MiB", sent>>20)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > hugeSize/4 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func (w *clientWorld) connectAndClose(t *testing.T) {
	for range 300 {
		c, err := net.Dial("tcp", w.weir.Addr())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}

func (w *clientWorld) tooMany(t *testing.T) {
	w.eventually("the clients before have gone", func() bool { return w.counter("weir_clients", "", "") == 1 })
	var open []*raw
	for range badClientsAtMost - 1 {
		open = append(open, w.login(t))
	}
	c := w.stranger(t)
	payload, err := wire.NewReader(c).ReadPacket(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := wire.DecodeError(payload); err != nil || e.Code != wire.CodeTooManyConnections {
		t.Errorf("one client too many is told %v (%v)", e, err)
	}
	for _, o := range open {
		o.conn.Close()
	}
	w.eventually("there is room again", func() bool { return w.counter("weir_clients", "", "") == 1 })
	w.login(t).conn.Close()
}

func (w *clientWorld) halfACommand(t *testing.T) {
	for _, text := range []string{"\x64", "\x64\x00\x00\x00", "\x64\x00\x00\x00\x03SELECT", "\xff\xff\xff\x00\x03SELECT"} {
		c := w.login(t)
		if _, err := io.WriteString(c.conn, text); err != nil {
			t.Fatal(err)
		}
		c.conn.Close()
	}
}

func (w *clientWorld) wrongSequence(t *testing.T) {
	c := w.login(t)
	c.write(5, wire.ComQuery, "SELECT 1")
	cutOff(t, c.conn)
}

func (w *clientWorld) emptyPacket(t *testing.T) {
	c := w.login(t)
	if _, err := io.WriteString(c.conn, "\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	if said := string(cutOff(t, c.conn)); !strings.Contains(said, "Unknown command") {
		t.Errorf("Weir says %q", said)
	}
}

// raw is a client that speaks the protocol by hand.
type raw struct {
	t      testing.TB
	conn   net.Conn
	reader *wire.Reader
	flags  wire.Capability
}

// login logs in as app.
func (w *clientWorld) login(t testing.TB) *raw {
	t.Helper()
	b, err := login.Dial(t.Context(), login.ClientOptions{
		Addr: w.weir.Addr(), User: "app", Password: "app-secret", Database: "shop", Capabilities: wire.ClientMultiStatements,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Conn.Close() })
	return &raw{t: t, conn: b.Conn, reader: b.Reader, flags: b.Capabilities}
}

func (c *raw) write(seq uint8, command wire.Command, args string) {
	c.t.Helper()
	b, next := wire.AppendPacket(nil, seq, wire.Payload(string(byte(command))+args))
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
	c.reader.Expect(next)
}

// command sends a command and returns the payload of the first packet that comes back.
func (c *raw) command(command wire.Command, args string) []byte {
	c.t.Helper()
	c.write(0, command, args)
	return c.read()
}

func (c *raw) read() []byte {
	c.t.Helper()
	c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	payload, err := c.reader.ReadPacket(1 << 20)
	if err != nil {
		c.t.Fatal(err)
	}
	return bytes.Clone(payload)
}

// outcome is OK, EOF, or the number of the error.
func outcome(payload []byte) string {
	switch {
	case wire.IsError(payload):
		return fmt.Sprint("error ", uint16(payload[1])|uint16(payload[2])<<8)
	case payload[0] == wire.HeaderOK:
		return "OK"
	case payload[0] == wire.HeaderEOF:
		return "EOF"
	}
	return fmt.Sprintf("%d columns", payload[0])
}

// query runs a statement with one column and one row, and returns the value, or the outcome if it is none.
func (c *raw) query(sql string) string {
	c.t.Helper()
	if first := c.command(wire.ComQuery, sql); outcome(first) != "1 columns" {
		return outcome(first)
	}
	c.read() // the column
	c.read() // EOF
	row, err := wire.DecodeRow(nil, c.read(), 1)
	if err != nil {
		c.t.Fatal(err)
	}
	c.read() // EOF
	return string(row[0])
}

// Commands that are rare. After each the connection is as good as before, and gets hits.
func TestRareCommands(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newClientWorld(t, flavor)
		c := w.login(t)
		transaction := false // in which nothing is a hit
		for _, step := range []struct {
			command wire.Command
			args    string
			want    string
		}{
			{wire.ComPing, "", "OK"},
			{wire.ComQuery, "", "error 1065"}, // the server's own
			{wire.ComQuery, ";", "error 1065"},
			{wire.ComInitDB, "shop", "OK"},
			{wire.ComInitDB, "nowhere", "error 1049"},
			{wire.ComInitDB, "", "error 1046"},
			{wire.ComSetOption, "\x01\x00", "EOF"},
			{wire.ComQuery, "SELECT 1; SELECT 2", "error 1064"},
			{wire.ComSetOption, "\x00\x00", "EOF"},
			{wire.ComSetOption, "\x02\x00", "error 1047"},
			{wire.ComQuery, "BEGIN", "OK"},
			{wire.ComSetOption, "\x01\x00", "EOF"},
			{wire.ComQuery, "SELECT 1; SELECT 2", "error 1064"},
			{wire.ComQuery, "COMMIT", "OK"},
			{wire.ComQuery, "SELECT 1; SELECT 2", "error 1064"},
			{wire.ComResetConnection, "", "OK"},
			{wire.ComStmtExecute, "\x01\x00\x00\x00\x00\x01\x00\x00\x00", "error 1243"},
			{wire.ComStmtReset, "\x01\x00\x00\x00", "error 1243"},
		} {
			got := outcome(c.command(step.command, step.args))
			if got != step.want {
				t.Errorf("%s %q: %s, want %s", step.command, step.args, got, step.want)
			}
			if transaction = step.args == "BEGIN" || transaction && step.args != "COMMIT"; !transaction {
				w.hitsFor(t, c)
			}
		}
		for _, unknown := range []wire.Command{
			wire.ComCreateDB, wire.ComShutdown, wire.ComProcessInfo, wire.ComDebug, wire.ComBinlogDump,
			wire.ComBinlogDumpGTID, wire.ComTableDump, wire.ComRegisterReplica, wire.ComClone, 0x00, 0x0b, 0x50, 0xff,
		} {
			if got := outcome(c.command(unknown, "\x01\x00\x00\x00")); got != "error 1047" {
				t.Errorf("%s: %s", unknown, got)
			}
			w.hitsFor(t, c)
		}
	})
}

// hitsFor checks that the connection gets its answers, from the cache.
func (w *clientWorld) hitsFor(t *testing.T, c *raw) {
	t.Helper()
	if got := c.query("SELECT v FROM shop.t WHERE id = 1"); got != "old" {
		t.Errorf("afterwards the connection gets %q", got)
	}
	w.eventually("the connection gets hits", func() bool {
		before := w.counter("weir_statements_total", "outcome", "hit")
		c.query("SELECT v FROM shop.t WHERE id = 1")
		return w.counter("weir_statements_total", "outcome", "hit") > before
	})
}

// COM_RESET_CONNECTION and COM_CHANGE_USER make a session as it is after a login: nothing that was set is left, in
// particular nothing that is a part of the key, and a transaction is over.
func TestPitfall40ResetAndChangeUser(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newClientWorld(t, flavor)
		c := w.login(t)
		spoil := func() {
			t.Helper()
			for _, sql := range []string{"SET sql_mode = 'PIPES_AS_CONCAT'", "SET @x = 1", "BEGIN"} {
				if got := c.query(sql); got != "OK" {
					t.Errorf("%s: %s", sql, got)
				}
			}
			if got := c.query("SELECT v||'!' FROM shop.t WHERE id = 1"); got != "old!" {
				t.Errorf("with PIPES_AS_CONCAT: %q", got)
			}
		}
		clean := func(user string) {
			t.Helper()
			for sql, want := range map[string]string{
				"SELECT id||0 FROM shop.t WHERE id = 1": "1",
				"SELECT COALESCE(@x, 'gone')":           "gone",
				"SELECT CURRENT_USER()":                 user + "@%",
			} {
				if got := c.query(sql); got != want {
					t.Errorf("%s: %q, want %q", sql, got, want)
				}
			}
			w.hitsFor(t, c)
		}
		clean("app")
		spoil()
		if got := outcome(c.command(wire.ComResetConnection, "")); got != "OK" {
			t.Errorf("COM_RESET_CONNECTION: %s", got)
		}
		clean("app")
		spoil()
		if got := c.changeUser("app2", "app2-secret"); got != "OK" {
			t.Errorf("COM_CHANGE_USER: %s", got)
		}
		clean("app2")
		if got := c.changeUser("app", "wrong"); got != "error 1045" {
			t.Errorf("COM_CHANGE_USER with a wrong password: %s", got)
		}
		cutOff(t, c.conn)
	})
}

// changeUser asks to be another user, with a password for mysql_native_password.
func (c *raw) changeUser(user, password string) string {
	c.t.Helper()
	m := wire.ChangeUser{User: user, Database: "shop", Collation: 45, Plugin: login.NativePassword}
	c.write(0, wire.ComChangeUser, string(m.AppendFor(nil, c.flags)[1:]))
	return c.proves(password)
}

// proves answers the scramble that follows COM_CHANGE_USER.
func (c *raw) proves(password string) string {
	c.t.Helper()
	ask, err := wire.DecodeAuthSwitchRequest(c.read())
	if err != nil {
		c.t.Fatal(err)
	}
	proof := gomysql.CalcNativePassword(ask.Data[:20], []byte(password))
	if ask.Plugin == login.CachingSHA2Password {
		proof = gomysql.CalcCachingSha2Password(ask.Data[:20], []byte(password))
	}
	b, next := wire.AppendPacket(nil, c.reader.Sequence(), wire.Payload(proof))
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
	c.reader.Expect(next)
	answer := c.read()
	if answer[0] == wire.HeaderAuthMore { // the proof is right
		answer = c.read()
	}
	return outcome(answer)
}
