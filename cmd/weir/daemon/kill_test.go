package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// slow takes minutes, and answers a KILL QUERY with 1317 on both flavours. The word behind it tells one from another.
const slow = "SELECT COUNT(*) FROM shop.t a, shop.t b WHERE SLEEP(60) = 0 AND a.v <> "

// numbered is a client by hand that knows its connection id.
type numbered struct {
	*raw
	id uint32
}

func (w *world) numbered(t testing.TB, user string) *numbered {
	t.Helper()
	b, err := login.Dial(t.Context(), login.ClientOptions{Addr: w.weir.Addr(), User: user, Password: user + "-secret", Database: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Conn.Close() })
	return &numbered{&raw{t: t, conn: b.Conn, reader: b.Reader, flags: b.Capabilities}, b.ConnectionID}
}

// starts sends a slow statement and returns when a server is running it.
func (w *world) starts(c *numbered, name string) {
	w.t.Helper()
	c.write(0, wire.ComQuery, slow+"'"+name+"'")
	w.eventually("the server runs the statement "+name, func() bool { return w.runs("'" + name + "'") })
}

// runs reports whether the server runs a statement with the word in it.
func (w *world) runs(word string) bool {
	w.t.Helper()
	return strings.Contains(string(w.watcher().ask("SHOW FULL PROCESSLIST")), word)
}

// watcher is a connection straight to the source, made once.
func (w *world) watcher() *client {
	if w.watching == nil {
		w.watching = w.direct("app", "")
	}
	return w.watching
}

// ends checks that the client is answered what one is whose statement was killed.
func (c *numbered) interrupted(t *testing.T) {
	t.Helper()
	if got := c.finish(); got != "error 1317" {
		t.Errorf("the statement that was killed ends with %s, want error 1317", got)
	}
}

// finish reads an answer to its end, and returns the outcome: that of the first packet, or the error in its place.
func (c *raw) finish() string {
	first := outcome(c.read())
	if !strings.HasSuffix(first, " columns") {
		return first
	}
	for eofs := 0; eofs < 2; {
		switch o := outcome(c.read()); {
		case strings.HasPrefix(o, "error "):
			return o
		case o == "EOF":
			eofs++
		}
	}
	return first
}

func newKillWorld(t *testing.T, flavor sandbox.Flavor) *world {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-connections=300"}})
	w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON *.*"))
	w.start(nil)
	_, p := w.shop()
	p.warm(one)
	return w
}

// The flavours take turns: who waits for another's read is counted in the whole process.
func TestPitfall42Kill(t *testing.T) {
	for _, flavor := range []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB} {
		t.Run(string(flavor), func(t *testing.T) { everyKill(t, newKillWorld(t, flavor)) })
	}
}

func everyKill(t *testing.T, w *world) {
	for _, c := range []struct {
		name string
		do   func(*world, *testing.T)
	}{
		{"query", (*world).killsQuery},
		{"query in a transaction", (*world).killsInTransaction},
		{"connection", (*world).killsConnection},
		{"idle connection", (*world).killsIdle},
		{"itself", (*world).killsItself},
		{"command", (*world).killsByCommand},
		{"others", (*world).killsNoOthers},
		{"what is no number", (*world).killsNoNumber},
		{"the one that others wait for", (*world).killsLeader},
		{"connection id", (*world).connectionID},
	} {
		t.Run(c.name, func(t *testing.T) { c.do(w, t) })
	}
}

// A kill ends the one statement, and its connection goes on. The backend's connection that it was aimed at serves nobody
// any more, and other clients' statements go on.
func (w *world) killsQuery(t *testing.T) {
	victim, other, killer := w.numbered(t, "app"), w.numbered(t, "app"), w.numbered(t, "app")
	w.starts(victim, "victim")
	w.starts(other, "other")
	if got := killer.query(fmt.Sprintf("KILL QUERY %d", victim.id)); got != "OK" {
		t.Errorf("KILL QUERY: %s", got)
	}
	victim.interrupted(t)
	if got := victim.query("SELECT v FROM t WHERE id = 2"); got != "other" {
		t.Errorf("the next statement gets %q", got)
	}
	w.eventually("the server has ended the statement", func() bool { return !w.runs("'victim'") })
	if !w.runs("'other'") {
		t.Error("the other client's statement has ended, too")
	}
	if got := killer.query(fmt.Sprintf("KILL QUERY %d", victim.id)); got != "OK" {
		t.Errorf("KILL QUERY of an idle connection: %s", got)
	}
	if got := victim.query("SELECT SLEEP(0.01)"); got != "0" {
		t.Errorf("the statement after that gets %q", got)
	}
	if got := killer.query(fmt.Sprintf("kill query %d;", other.id)); got != "OK" {
		t.Errorf("KILL QUERY: %s", got)
	}
	other.interrupted(t)
}

// The transaction of a statement that was killed is still open, as on a server.
func (w *world) killsInTransaction(t *testing.T) {
	victim, killer := w.numbered(t, "app"), w.numbered(t, "app")
	for _, sql := range []string{"SET @mine = 5", "START TRANSACTION"} {
		if got := victim.query(sql); got != "OK" {
			t.Fatalf("%s: %s", sql, got)
		}
	}
	w.starts(victim, "transaction")
	if got := killer.query(fmt.Sprintf("KILL QUERY %d", victim.id)); got != "OK" {
		t.Errorf("KILL QUERY: %s", got)
	}
	victim.interrupted(t)
	if got := victim.query("SELECT @mine"); got != "5" {
		t.Errorf("afterwards the connection's variable is %q", got)
	}
	if got := victim.query("COMMIT"); got != "OK" {
		t.Errorf("COMMIT: %s", got)
	}
}

func (w *world) killsConnection(t *testing.T) {
	for _, sql := range []string{"KILL %d", "KILL CONNECTION %d"} {
		victim, killer := w.numbered(t, "app"), w.numbered(t, "app")
		w.starts(victim, "connection")
		if got := killer.query(fmt.Sprintf(sql, victim.id)); got != "OK" {
			t.Errorf("%s: %s", sql, got)
		}
		if said := cutOff(t, victim.conn); len(said) > 0 {
			t.Errorf("%s: the client is told %q", sql, said)
		}
		w.eventually("the server has ended the statement", func() bool { return !w.runs("'connection'") })
		w.eventually("the connection has gone", func() bool {
			return killer.query(fmt.Sprintf("KILL %d", victim.id)) == "error 1094"
		})
	}
}

func (w *world) killsIdle(t *testing.T) {
	victim, killer := w.numbered(t, "app"), w.numbered(t, "app")
	if got := killer.query(fmt.Sprintf("KILL %d", victim.id)); got != "OK" {
		t.Errorf("KILL: %s", got)
	}
	cutOff(t, victim.conn)
}

func (w *world) killsItself(t *testing.T) {
	c := w.numbered(t, "app")
	if got := c.query(fmt.Sprintf("KILL QUERY %d", c.id)); got != "error 1317" {
		t.Errorf("KILL QUERY of itself: %s", got)
	}
	if got := c.query("SELECT v FROM t WHERE id = 2"); got != "other" {
		t.Errorf("the next statement gets %q", got)
	}
	if got := c.query(fmt.Sprintf("KILL %d", c.id)); got != w.say("error 1317", "error 1927") {
		t.Errorf("KILL of itself: %s", got)
	}
	cutOff(t, c.conn)
}

func (w *world) killsByCommand(t *testing.T) {
	victim, killer := w.numbered(t, "app"), w.numbered(t, "app")
	w.starts(victim, "command")
	args := []byte{byte(victim.id), byte(victim.id >> 8), byte(victim.id >> 16), byte(victim.id >> 24)}
	if got := outcome(killer.command(wire.ComProcessKill, string(args))); got != "OK" {
		t.Errorf("COM_PROCESS_KILL: %s", got)
	}
	cutOff(t, victim.conn)
	w.eventually("the server has ended the statement", func() bool { return !w.runs("'command'") })
}

// Only the account itself may kill its connections.
func (w *world) killsNoOthers(t *testing.T) {
	victim, killer := w.numbered(t, "app"), w.numbered(t, "app2")
	w.starts(victim, "anothers")
	for sql, want := range map[string]string{
		fmt.Sprintf("KILL QUERY %d", victim.id):      fmt.Sprintf("#HY000You are not owner of thread %d", victim.id),
		fmt.Sprintf("KILL %d", victim.id):            fmt.Sprintf("#HY000You are not owner of thread %d", victim.id),
		fmt.Sprintf("KILL QUERY %d", victim.id+1000): fmt.Sprintf("#HY000Unknown thread id: %d", victim.id+1000),
		"KILL 0":          "#HY000Unknown thread id: 0",
		"KILL 4294967297": "#HY000Unknown thread id: 4294967297",
	} {
		if got := string(killer.command(wire.ComQuery, sql)[3:]); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	if !w.runs(`'anothers'`) {
		t.Error("another account has killed the statement")
	}
	victim.conn.Close()
}

// KILL with anything but a number means something that is not Weir's; in another statement it would get to a server, where
// numbers mean others.
func (w *world) killsNoNumber(t *testing.T) {
	c := w.numbered(t, "app")
	soft := w.say("error 1064", "error 1094")
	for sql, want := range map[string]string{
		"KILL QUERY ID 5": "error 1235", "KILL USER app": "error 1235", "KILL '5'": "error 1235",
		"KILL CONNECTION_ID()": "error 1235", "KILL @x": "error 1235", "KILL": "error 1235",
		"KILL SOFT QUERY 999999": soft, "KILL HARD 999999": soft,
		"PREPARE k FROM 'KILL 5'": "error 1235",
		"KILL 5 /*!99999 , 6 */":  "error 1235",
	} {
		if got := c.query(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	if got := c.prepared("KILL 999999"); got != "error 1094" {
		t.Errorf("KILL that was prepared: %s", got)
	}
	c.command(wire.ComSetOption, "\x00\x00")
	if got := c.query("SELECT 1; KILL 5"); got != "error 1235" {
		t.Errorf("KILL behind another statement: %s", got)
	}
}

// The client whose read others wait for is killed: it is told so, one of the others reads, and all of them get the answer.
func (w *world) killsLeader(t *testing.T) {
	const query = "SELECT v FROM shop.t WHERE id = 1 AND 'leader' <> ''"
	lock := w.direct("app", "shop")
	lock.run("LOCK TABLES shop.t WRITE")
	leader, killer := w.numbered(t, "app"), w.numbered(t, "app")
	leader.write(0, wire.ComQuery, query)
	w.eventually("the server runs the read", func() bool { return w.runs("'leader'") })
	var others []*numbered
	for range 5 {
		c := w.numbered(t, "app")
		c.write(0, wire.ComQuery, query)
		others = append(others, c)
	}
	w.eventually("they wait for the read under way", func() bool { return waiting() == len(others) })
	if got := killer.query(fmt.Sprintf("KILL QUERY %d", leader.id)); got != "OK" {
		t.Errorf("KILL QUERY: %s", got)
	}
	leader.interrupted(t)
	if got := killer.query(fmt.Sprintf("KILL QUERY %d", others[0].id)); got != "OK" {
		t.Errorf("KILL QUERY of one that waits: %s", got)
	}
	others[0].interrupted(t)
	lock.run("UNLOCK TABLES")
	for _, c := range others[1:] {
		if got := c.value(); got != "old" {
			t.Errorf("one that waited gets %q", got)
		}
	}
}

// value reads an answer of one column and one row.
func (c *raw) value() string {
	c.t.Helper()
	if first := outcome(c.read()); first != "1 columns" {
		return first
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

// Pitfall 35: what Weir answers itself has its columns in the client's format, or the client reads past the end of the answer, and
// takes each answer after that for that of another statement.
func (w *world) weirVariable(t *testing.T) {
	var extended wire.Capability
	decode := wire.DecodeColumn
	if w.flavor == sandbox.MariaDB {
		extended, decode = wire.ClientExtendedMetadata, wire.DecodeExtendedColumn
	}
	b, err := login.Dial(t.Context(), login.ClientOptions{Addr: w.weir.Addr(), User: "app", Password: "app-secret", Capabilities: extended})
	w.must(err)
	defer b.Conn.Close()
	packets := (&raw{t: t, conn: b.Conn, reader: b.Reader}).packets("SELECT @@weir_max_staleness_ms")
	c, err := decode([]byte(packets[1]))
	if err != nil || len(packets) != 5 || c.Name != "@@weir_max_staleness_ms" || c.Length != 20 {
		t.Errorf("%d packets, the column is %+v, %v", len(packets), c, err)
	}
}

// CONNECTION_ID() is the number of the handshake, which KILL takes, and for the rest the server's answer byte for byte.
func (w *world) connectionID(t *testing.T) {
	c := w.numbered(t, "app")
	direct := w.directly(t)
	for _, sql := range []string{
		"SELECT CONNECTION_ID()", "select connection_id( ) as `the id`;", "/* app */ SELECT CONNECTION_ID() id", "SELECT  Connection_Id ()",
	} {
		got, want := c.packets(sql), direct.packets(sql)
		if len(got) != len(want) || len(got) != 5 {
			t.Fatalf("%s: %d packets, want %d", sql, len(got), len(want))
		}
		for i := range got {
			if i != 3 && got[i] != want[i] {
				t.Errorf("%s: packet %d is %q, the server's is %q", sql, i, got[i], want[i])
			}
		}
		if id := fmt.Sprint(c.id); got[3] != string(rune(len(id)))+id {
			t.Errorf("%s: the row is %q, and the connection's id %s", sql, got[3], id)
		}
	}
	if w.flavor == sandbox.MariaDB {
		const sql = "SELECT CONNECTION_ID() AS id"
		extended := func(addr string) string {
			b, err := login.Dial(t.Context(), login.ClientOptions{Addr: addr, User: "app", Password: "app-secret", Capabilities: wire.ClientExtendedMetadata})
			w.must(err)
			defer b.Conn.Close()
			return (&raw{t: t, conn: b.Conn, reader: b.Reader}).packets(sql)[1]
		}
		if got, want := extended(w.weir.Addr()), extended(w.source.Addr()); got != want {
			t.Errorf("with extended metadata the column is %q, want %q", got, want)
		}
	}
	w.weirVariable(t)
	if got := c.query("SELECT FOUND_ROWS()"); got != "1" {
		t.Errorf("FOUND_ROWS() afterwards is %s", got)
	}
	if got, want := c.prepared("SELECT CONNECTION_ID() AS id"), direct.prepared("SELECT CONNECTION_ID() AS id"); got != want || got != "1 columns" {
		t.Errorf("prepared: %s, want %s", got, want)
	}
	c.read() // the column
	c.read() // EOF
	value := []byte{byte(c.id), byte(c.id >> 8), byte(c.id >> 16), byte(c.id >> 24)}
	if got, want := string(c.read()), "\x00\x00"+string(value)+w.say("\x00\x00\x00\x00", ""); got != want {
		t.Errorf("prepared: the row is %q, want %q", got, want)
	}
	c.read() // EOF
	if got := c.query("SELECT CONNECTION_ID() + 0"); got == fmt.Sprint(c.id) {
		t.Log("the server's id happens to be Weir's")
	}
}

// directly logs in to the source.
func (w *world) directly(t testing.TB) *raw {
	t.Helper()
	b, err := login.Dial(t.Context(), login.ClientOptions{Addr: w.source.Addr(), User: "app", Password: "app-secret", Database: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Conn.Close() })
	return &raw{t: t, conn: b.Conn, reader: b.Reader, flags: b.Capabilities}
}

// packets are the packets of a result set.
func (c *raw) packets(sql string) (all []string) {
	c.t.Helper()
	all = append(all, string(c.command(wire.ComQuery, sql)))
	for eofs := 0; eofs < 2; {
		p := c.read()
		if outcome(p) == "EOF" {
			eofs++
		}
		all = append(all, string(p))
	}
	return all
}

// A client that hangs up, in any of the ways in which clients do, ends its statement on the server. One that has sent its
// next command meanwhile has not hung up.
func TestPitfall42HangUp(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newKillWorld(t, flavor)
		for name, hangUp := range map[string]func(*numbered){
			"closes":       func(c *numbered) { c.conn.Close() },
			"says goodbye": func(c *numbered) { c.write(0, wire.ComQuit, ""); c.conn.Close() },
			"only goodbye": func(c *numbered) { c.write(0, wire.ComQuit, "") },
			"resets":       func(c *numbered) { c.conn.(*net.TCPConn).SetLinger(0); c.conn.Close() },
			"half a close": func(c *numbered) { c.conn.(*net.TCPConn).CloseWrite() },
		} {
			t.Run(name, func(t *testing.T) {
				c := w.numbered(t, "app")
				w.starts(c, name)
				hangUp(c)
				w.eventually("the server has ended the statement", func() bool { return !w.runs("'" + name + "'") })
			})
		}
		t.Run("next command", func(t *testing.T) { w.pipelines(t) })
		t.Run("transaction", func(t *testing.T) {
			c := w.numbered(t, "app")
			c.query("BEGIN")
			w.starts(c, "transaction")
			c.conn.Close()
			w.eventually("the server has ended the statement", func() bool { return !w.runs("'transaction'") })
		})
		w.eventually("Weir has let them go", func() bool { return w.counter("weir_clients", "", "") == 1 })
	})
}

// pipelines: two statements at once are both answered, though the first takes longer than the watch needs to see it.
func (w *world) pipelines(t *testing.T) {
	c := w.numbered(t, "app")
	c.write(0, wire.ComQuery, "SELECT SLEEP(0.5)")
	c.write(0, wire.ComQuery, "SELECT 'second'")
	c.reader.Expect(1)
	if got := c.value(); got != "0" {
		t.Errorf("the first statement gets %q", got)
	}
	c.reader.Expect(1)
	if got := c.value(); got != "second" {
		t.Errorf("the second statement gets %q", got)
	}
}

// Ctrl-C in the command-line client: it opens a second connection and says KILL QUERY with the id of the handshake.
func TestPitfall42CtrlC(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newKillWorld(t, flavor)
		host, port, err := net.SplitHostPort(w.weir.Addr())
		w.must(err)
		program, err := exec.LookPath("mariadb")
		if err != nil {
			t.Fatal("the mariadb client is missing; it comes with the server's packages: ", err)
		}
		other := w.numbered(t, "app")
		w.starts(other, "others")
		cmd := exec.CommandContext(t.Context(), program, "--no-defaults", "--skip-ssl", "-h", host, "-P", port, "-u", "app", "-papp-secret",
			"-e", slow+"'ctrl-c'; SELECT 'still there'")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		w.must(cmd.Start())
		w.eventually("the server runs the statement", func() bool { return w.runs("'ctrl-c'") })
		w.must(cmd.Process.Signal(os.Interrupt))
		err = cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "1317") || !strings.Contains(out.String(), "Query execution was interrupted") {
			t.Errorf("the client says %q", out.String())
		}
		w.eventually("the server has ended the statement", func() bool { return !w.runs("'ctrl-c'") })
		if !w.runs("'others'") {
			t.Error("the other client's statement has ended, too")
		}
		other.conn.Close()
	})
}
