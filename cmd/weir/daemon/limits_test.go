package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/wire"
)

// said is everything that a client is sent until the other side closes.
func (c *raw) said() string { return string(cutOff(c.t, c.conn)) }

// A client that was idle for wait_timeout is closed with the server's words, also when it has set the time itself, and
// inside a transaction, whose connection to the server goes with it.
func TestIdleTimeout(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.start(func(c *Config) {
			c.WaitTimeout, c.Writes = Duration(2*time.Second), string(proxy.ToSource)
		})
		_, p := w.shop()
		defer p.hangUp()
		want := w.say("\x91\x00\x00\x00\xff\xbf\x0f#HY000The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.", "")

		direct := w.directly(t)
		direct.query("SET wait_timeout = 1")
		silent, setsIt, longer, transaction := w.numbered(t, "app"), w.numbered(t, "app"), w.numbered(t, "app"), w.numbered(t, "app")
		for c, sql := range map[*numbered]string{setsIt: "SET SESSION wait_timeout = 1", longer: "SET wait_timeout = 60", transaction: "BEGIN"} {
			if got := c.query(sql); got != "OK" {
				t.Errorf("%s: %s", sql, got)
			}
		}
		if got := transaction.query("UPDATE shop.t SET v = 'mine' WHERE id = 1"); got != "OK" {
			t.Errorf("UPDATE: %s", got)
		}
		if got := setsIt.query("SELECT @@wait_timeout"); got != "1" {
			t.Errorf("@@wait_timeout is %s", got)
		}
		for name, got := range map[string]string{
			"the server": direct.said(), "wait_timeout of the session": setsIt.said(), "wait_timeout of Weir": silent.said(), "in a transaction": transaction.said(),
		} {
			if got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if got := longer.query("SELECT 'there'"); got != "there" {
			t.Errorf("a client with a longer wait_timeout gets %q", got)
		}
		w.eventually("the connection of the transaction is free", func() bool { return w.used() == 0 })
		if got := w.watcher().ask("SELECT v FROM shop.t WHERE id = 1 FOR UPDATE"); got != "v\nold\n" {
			t.Errorf("afterwards the server has %q", got)
		}
	})
}

// Commands are limited as on the server: what is as large as max_allowed_packet gets 1153 and is closed.
func TestPacketLimit(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--max-allowed-packet=1M"}})
		w.start(nil)
		w.shop()
		for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 5000} {
			got, want := heard(size, func() *raw { return w.numbered(t, "app").raw }), heard(size, func() *raw { return w.directly(t) })
			if got != want {
				t.Errorf("a command of %d bytes: %q, the server says %q", size, got, want)
			}
		}
		w.stop()
		w.start(func(c *Config) { c.MaxPacket = 4 << 10 })
		for size, want := range map[int]string{4<<10 - 1: "1", 4 << 10: "error 1153, and closed"} {
			if got := heard(size, func() *raw { return w.numbered(t, "app").raw }); got != want {
				t.Errorf("max_packet: 4KiB, a command of %d bytes: %q, want %q", size, got, want)
			}
		}
	})
}

// heard sends a statement of so many bytes on new connections until the outcome is heard: who refuses a command before
// it was sent to its end may cut its own answer off.
func heard(size int, open func() *raw) string {
	for range 50 {
		if got := open().sends(size); got != "" {
			return got
		}
	}
	return "nothing, fifty times"
}

// sends sends a statement of so many bytes, and returns the outcome, empty if the connection ends before it.
func (c *raw) sends(size int) string {
	const text = "SELECT /*  */ 1"
	sql := strings.Replace(text, "  ", strings.Repeat("x", size-1-len(text)+2), 1)
	b, next := wire.AppendPacket(nil, 0, wire.Payload(string(byte(wire.ComQuery))+sql))
	if _, err := c.conn.Write(b); err != nil {
		return ""
	}
	c.reader.Expect(next)
	c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	first, err := c.reader.ReadPacket(1 << 20)
	switch {
	case err != nil:
		return ""
	case outcome(first) == "error 1153":
		c.said()
		return "error 1153, and closed"
	case outcome(first) != "1 columns":
		return outcome(first)
	}
	c.read() // the column
	c.read() // EOF
	return string(c.read()[1:])
}

// One client too many is told what a server tells it, byte for byte.
func TestTooManyConnections(t *testing.T) {
	w := newSource(t, sandbox.Options{Flavor: sandbox.MariaDB, Extra: []string{"--max-connections=12"}})
	w.start(func(c *Config) { c.MaxConnections = 1 })
	p := w.proxy("app", "")
	defer p.hangUp()
	var direct string
	for range 20 {
		c, err := net.Dial("tcp", w.source.Addr())
		w.must(err)
		defer c.Close()
		b := make([]byte, 100)
		n, err := c.Read(b)
		w.must(err)
		if direct = string(b[:n]); strings.Contains(direct, "Too many") {
			break
		}
	}
	for range 200 {
		c, err := net.Dial("tcp", w.weir.Addr())
		w.must(err)
		if got := string(cutOff(t, c)); got != direct {
			t.Fatalf("one too many is told %q, by the server %q", got, direct)
		}
		c.Close()
	}
	w.eventually("nobody serves those that were turned away", func() bool { return goroutines("weir/proxy.(*Server).serve(") == 1 })
}

// goroutines counts those with the function on their stack, in this process.
func goroutines(function string) int {
	stacks := make([]byte, 16<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), function)
}

// A client stops reading in the middle of a result of 100 MB, and another one takes no hits. The others go on, Weir
// keeps little of the result in memory, and after the write timeout the connection to the server is free again.
func TestSlowReaders(t *testing.T) {
	sandboxtest.EachAlone(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.seams.proxy = func(c *proxy.Config) { c.WriteTimeout = 3 * time.Second }
		w.start(nil)
		d, p := w.shop()
		d.run("CREATE TABLE shop.hundred (id INT PRIMARY KEY)")
		for i := range 10 {
			d.run(fmt.Sprintf("INSERT INTO shop.hundred VALUES (%d),(%d),(%d),(%d),(%d),(%d),(%d),(%d),(%d),(%d)",
				10*i, 10*i+1, 10*i+2, 10*i+3, 10*i+4, 10*i+5, 10*i+6, 10*i+7, 10*i+8, 10*i+9))
		}
		w.complete()
		const hit = "SELECT REPEAT('h', 900000) FROM shop.t WHERE id = 1"
		p.warm(hit)
		before := heap()

		large := w.numbered(t, "app")
		large.write(0, wire.ComQuery, "SELECT id, REPEAT('large', 200000) FROM shop.hundred")
		if got := outcome(large.read()); got != "2 columns" {
			t.Fatal(got)
		}
		hits := w.numbered(t, "app")
		for range 50 {
			hits.write(0, wire.ComQuery, hit)
		}
		w.eventually("the server waits with the rest of the result", func() bool { return w.runs("'large'") })
		for i := range 100 {
			if a := p.ask(one); a != "v\nold\n" {
				t.Fatalf("another client's hit: %q", a)
			}
			if a := p.ask(fmt.Sprintf("SELECT v, %d FROM shop.t WHERE id = 1", i)); a != answer(fmt.Sprintf("v|%d\nold|%d\n", i, i)) {
				t.Fatalf("another client's miss: %q", a)
			}
		}
		if grown := heap() - before; grown > 20<<20 {
			t.Errorf("the heap has grown by %d MiB", grown>>20)
		}
		w.eventually("the server has got rid of the result", func() bool { return !w.runs("'large'") })
		w.eventually("both clients are closed", func() bool { return w.counter("weir_clients", "", "") == 1 })
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// LOAD DATA LOCAL is refused in every form, whatever the client says it can do; nobody reads a file, and the connection
// is as good as before.
func TestPitfall41LoadDataLocal(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--local-infile=1"}})
		w.start(func(c *Config) { c.Writes = string(proxy.ToSource) })
		d, _ := w.shop()
		d.run("CREATE TABLE shop.loaded (v TEXT)")
		w.complete()
		file := filepath.Join(t.TempDir(), "secret.txt")
		w.must(os.WriteFile(file, []byte("secret\n"), 0o644))
		c := w.numbered(t, "app")
		c.command(wire.ComSetOption, "\x00\x00")
		for _, sql := range []string{
			"LOAD DATA LOCAL INFILE '%s' INTO TABLE shop.loaded",
			"load data low_priority local infile '%s' ignore into table shop.loaded",
			"/* app */ LOAD /**/ DATA CONCURRENT LOCAL INFILE '%s' REPLACE INTO TABLE shop.loaded",
			"LOAD /*!50000 DATA LOCAL */ INFILE '%s' INTO TABLE shop.loaded",
			"LOAD XML LOCAL INFILE '%s' INTO TABLE shop.loaded",
			"SELECT 1; LOAD DATA LOCAL INFILE '%s' INTO TABLE shop.loaded",
		} {
			got := c.outcomes(fmt.Sprintf(sql, file))
			if !strings.HasPrefix(got, "error ") || got == "error 1064" {
				t.Errorf("%s: %s", sql, got)
			}
			if got := c.query("SELECT COUNT(*) FROM shop.loaded"); got != "0" {
				t.Errorf("%s: afterwards %q rows", sql, got)
			}
		}
		if got := c.prepared("LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE shop.loaded"); got != w.say("error 1295", "error 4166") {
			t.Errorf("prepared: %s", got)
		}
		w.stop()
		w.start(nil)
		if got := w.numbered(t, "app").query("LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE shop.loaded"); got != "error 1290" {
			t.Errorf("under writes: reject: %s", got)
		}
	})
}

// outcomes runs a text of one statement or several, and returns the last outcome.
func (c *raw) outcomes(sql string) (last string) {
	c.t.Helper()
	c.write(0, wire.ComQuery, sql)
	for more := true; more; {
		p := c.read()
		last = outcome(p)
		more = false
		if strings.HasSuffix(last, " columns") {
			for eofs := 0; eofs < 2; {
				if p = c.read(); outcome(p) == "EOF" {
					eofs++
				}
			}
			more = p[3]&8 != 0 // SERVER_MORE_RESULTS_EXISTS
		}
	}
	return last
}

// prepared prepares a statement without parameters, and executes it if it can be prepared.
func (c *raw) prepared(sql string) string {
	c.t.Helper()
	p := c.command(wire.ComStmtPrepare, sql)
	if outcome(p) != "OK" {
		return outcome(p)
	}
	for range int(p[5]) + int(p[7]) + min(1, int(p[5])) + min(1, int(p[7])) {
		c.read() // definitions, and an EOF behind those of columns and those of parameters
	}
	return outcome(c.command(wire.ComStmtExecute, string(p[1:5])+"\x00\x01\x00\x00\x00"))
}
