package daemon

import (
	"fmt"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// characterSets asks what the handshake's collation has come to.
const characterSets = "SELECT CONCAT_WS(' ', @@character_set_client, COALESCE(@@character_set_results, 'NULL'), @@character_set_connection, @@collation_connection)"

// collationIDs are those of utf8mb4_0900_ai_ci, which MariaDB before 11.4 does not have; of utf8mb4_general_ci; of
// utf8mb4_unicode_ci and utf8mb4_unicode_520_ci; of some of other character sets; and
// of none.
var collationIDs = []uint8{255, 45, 224, 246, 8, 28, 33, 63, 83, 95, 1, 250}

// What a client says in the handshake, where there is room for the low byte, means the same through Weir as on the server.
// So does what it says in COM_CHANGE_USER, with both bytes: 309 is MySQL's utf8mb4_0900_bin, 2304 and up are MariaDB's
// utf8mb4_uca1400 and their like.
func TestPitfall44CollationIDs(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newClientWorld(t, flavor)
		for _, id := range collationIDs {
			through, direct := w.speaking(t, w.weir.Addr(), id), w.speaking(t, w.source.Addr(), id)
			w.sameCharacterSets(t, fmt.Sprintf("handshake with %d", id), through, direct)
			through.conn.Close()
			direct.conn.Close()
		}
		through, direct := w.speaking(t, w.weir.Addr(), 45), w.speaking(t, w.source.Addr(), 45)
		for _, id := range []uint16{255, 45, 224, 246, 8, 309, 2304, 2305, 2320, 60000, 45} {
			through.becomes(id)
			direct.becomes(id)
			w.sameCharacterSets(t, fmt.Sprintf("COM_CHANGE_USER with %d", id), through, direct)
			w.hitsFor(t, through)
		}
	})
}

// speaking logs in with a collation.
func (w *clientWorld) speaking(t *testing.T, addr string, collation uint8) *raw {
	t.Helper()
	b, err := login.Dial(t.Context(), login.ClientOptions{
		Addr: addr, User: "app", Password: "app-secret", Database: "shop", Collation: collation,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Conn.Close() })
	return &raw{t: t, conn: b.Conn, reader: b.Reader, flags: b.Capabilities}
}

func (w *clientWorld) sameCharacterSets(t *testing.T, what string, through, direct *raw) {
	t.Helper()
	for range 2 { // on a connection that is there, and perhaps on one that is not
		if got, want := through.query(characterSets), direct.query(characterSets); got != want {
			t.Errorf("%s: through Weir %q, on the server %q", what, got, want)
		}
	}
}

// becomes is COM_CHANGE_USER to the same account with a collation.
func (c *raw) becomes(collation uint16) {
	c.t.Helper()
	m := wire.ChangeUser{User: "app", Database: "shop", Collation: collation, Plugin: login.NativePassword}
	c.write(0, wire.ComChangeUser, string(m.AppendFor(nil, c.flags)[1:]))
	if got := c.proves("app-secret"); got != "OK" {
		c.t.Fatalf("COM_CHANGE_USER: %s", got)
	}
}

// warmed runs a query until it is a hit, and returns the answer.
func (c *client) warmed(query string) string {
	c.world.t.Helper()
	c.warm(query)
	_, rows, _ := strings.Cut(string(c.ask(query)), "\n")
	return strings.TrimSuffix(rows, "\n")
}

// What frameworks set by prepared statements, with parameters and without, is followed: the session's statements are
// answered as the server would, and from the cache. Laravel prepares its SETs.
func TestPitfall43SetThroughPreparedStatements(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		d, p := w.shop()
		const sum = "SELECT '1'||'0' FROM t WHERE id = 1"
		set := func(c *client, query string, args ...any) {
			t.Helper()
			st, err := c.conn.PrepareContext(t.Context(), query)
			w.must(err)
			defer st.Close()
			_, err = st.ExecContext(t.Context(), args...)
			w.must(err)
		}
		for _, c := range []*client{d, p} {
			set(c, "set names 'utf8mb4' collate 'utf8mb4_unicode_ci'")
			set(c, "SET SESSION sql_mode = CONCAT(?, ',NO_ENGINE_SUBSTITUTION'), group_concat_max_len = ?", "PIPES_AS_CONCAT", 2000)
			set(c, "SET time_zone = ?", "+02:00")
		}
		const variables = "SELECT @@sql_mode, @@group_concat_max_len, @@time_zone, @@collation_connection"
		w.must(equal(p.ask(variables), d.ask(variables)))
		if got := p.warmed(sum); got != "10" {
			t.Errorf("with PIPES_AS_CONCAT: %s", got)
		}
		if got := w.proxy("app", "shop").ask(sum); strings.HasSuffix(string(got), "\n10\n") {
			t.Errorf("the setting has reached another session: %s", got)
		}
		d.run(update)
		w.caughtUp()
		w.must(equal(p.ask(sum), d.ask(sum)))
	})
}

// SET GLOBAL is not in the binlog, and connections to servers live for hours. Sessions that begin after it start with the
// new value all the same, and are not given what was read under the old one.
func TestPitfall25SetGlobal(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		d, p := w.shop()
		const third = "SELECT id / 3 FROM t WHERE id = 1"
		if got := p.warmed(third); got != "0.3333" {
			t.Fatal(got)
		}
		d.run("SET GLOBAL div_precision_increment = 6")
		w.eventually("a session that begins has the new value", func() bool {
			c := w.proxy("app", "shop")
			defer c.hangUp()
			return strings.Contains(string(c.ask("SELECT @@div_precision_increment")), "6")
		})
		late := w.proxy("app", "shop")
		if got := late.warmed(third); got != "0.333333" {
			t.Errorf("a session that began after SET GLOBAL gets %s", got)
		}
		late.run("SET GLOBAL div_precision_increment = 8")
		if got := w.proxy("app", "shop").warmed(third); got != "0.33333333" {
			t.Errorf("a session that began after a SET GLOBAL through Weir gets %s", got)
		}
	})
}

// Directives bound how old an answer may be. What is read under one has a key of its own: whoever asks the same without
// looking at comments must not find it, nor the other way round.
func TestDirectives(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		d, p := w.shop()
		const bounded = "/* weir: max_staleness=1h */ SELECT v FROM t WHERE id = 1"
		p.warm(one)
		p.warm(bounded)
		p.warm("SELECT /* weir: max_staleness=59m */ v FROM t WHERE id = 1")
		for _, never := range []string{
			"/* weir: nocache */ SELECT v FROM t WHERE id = 1", "SELECT /* weir: max_staleness=0 */ v FROM t WHERE id = 1",
			"/* weir: max_stale=1s */ SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 1 /* weir: nocache */",
			"/* weir: max_staleness=1ns */ SELECT v FROM t WHERE id = 1",
		} {
			for range 3 {
				if got, hit := p.asked(never); hit || got != "v\nold\n" {
					t.Errorf("%s: hit is %v, %q", never, hit, got)
				}
			}
		}
		if n := w.counter("weir_not_cacheable_total", "reason", "directive"); n < 12 {
			t.Errorf("%.0f statements are counted as kept out by a directive", n)
		}
		d.run(update)
		w.caughtUp()
		w.must(equal(p.ask(bounded), d.ask(one)))
		w.must(equal(p.ask(one), d.ask(one)))
	})
}

// A session may ask for fresher answers than the configuration promises, not for older ones.
func TestMaxStalenessOfASession(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		_, p := w.shop()
		p.warm(one)
		for _, step := range []struct{ set, reads string }{
			{"SET weir_max_staleness_ms = 900", "900"}, {"SET SESSION weir_max_staleness_ms = 3600000", "1000"},
			{"SET @@weir_max_staleness_ms := DEFAULT", "1000"},
		} {
			p.run(step.set)
			w.must(equal(p.ask("SELECT @@weir_max_staleness_ms"), answer("@@weir_max_staleness_ms\n"+step.reads+"\n")))
			p.warm(one)
		}
		p.run("SET weir_max_staleness_ms = 0")
		for range 3 {
			if _, hit := p.asked(one); hit {
				t.Error("a hit, although nothing may be stale at all")
			}
		}
		for text, want := range map[string]answer{
			"SET weir_nothing = 1":                  "error 1193",
			"SELECT @@session.weir_nothing":         "error 1193",
			"SET weir_max_staleness_ms = -1":        "error 1231",
			"SET weir_max_staleness_ms = 'a'":       "error 1232",
			"SET weir_max_staleness_ms = 1, @a = 1": "error 1235",
		} {
			w.must(equal(p.ask(text), want))
		}
		if got := p.prepare("SET weir_max_staleness_ms = 5"); got != "error 1295" {
			t.Errorf("prepared: %s", got)
		}
	})
}

// A trigger may set a session variable, and the texts of the client that fired it do not tell. From then on that client
// is answered by the server; one that writes elsewhere is not kept from the cache.
func TestPitfall25TriggersThatSet(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor, Extra: []string{"--log-bin-trust-function-creators=1"}}, func(c *Config) { c.Writes = "source" })
		d, p := w.shop()
		d.run("CREATE TABLE plain (id INT)")
		d.run("CREATE TABLE audited (id INT)")
		d.run("CREATE TABLE stamps (at TIMESTAMP)")
		d.run("INSERT INTO stamps VALUES ('2026-01-02 03:04:05')")
		d.run("CREATE TRIGGER zone AFTER INSERT ON audited FOR EACH ROW SET SESSION time_zone = '+07:00'")
		w.caughtUp()
		const read = "SELECT at FROM stamps"
		p.warm(read)
		p.run("INSERT INTO plain VALUES (1)")
		p.warm(read)
		p.run("INSERT INTO audited VALUES (1)")
		d.run("INSERT INTO audited VALUES (2)")
		for range 2 {
			w.must(equal(p.ask(read), d.ask(read)))
		}
		if got := string(p.ask("SELECT @@time_zone")); !strings.Contains(got, "+07:00") {
			t.Errorf("the trigger has not set the variable: %q", got)
		}
	})
}
