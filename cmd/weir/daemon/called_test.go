package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// dialogueAs logs in at addr as app, with the given capabilities.
func (w *world) dialogueAs(name, addr, schema string, flags wire.Capability) *dialogue {
	w.t.Helper()
	b, err := login.Dial(w.t.Context(), login.ClientOptions{Addr: addr, User: "app", Password: "app-secret", Database: schema, Capabilities: flags})
	w.must(err)
	w.t.Cleanup(func() { b.Conn.Close() })
	return &dialogue{t: w.t, name: name, Backend: b}
}

// TestPreparedCallsWithOutParameters: servers send the OUT parameters as a result set, behind which an OK packet comes
// that MySQL does not announce; and they send it only to clients that say they can take it.
func TestPreparedCallsWithOutParameters(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Writes = "source" })
		direct := w.direct("app", "")
		direct.run("CREATE DATABASE shop")
		direct.run("CREATE TABLE shop.t (id INT PRIMARY KEY)")
		direct.run("CREATE PROCEDURE shop.p(IN a INT, OUT b INT) BEGIN SELECT a; SELECT COUNT(*) FROM shop.t; SET b = a + 1; END")
		w.caughtUp()
		for _, flags := range []wire.Capability{dialogueFlags, dialogueFlags &^ wire.ClientPSMultiResults} {
			server, weir := w.dialogueAs("the server", w.source.Addr(), "shop", flags), w.dialogueAs("Weir", w.weir.Addr(), "shop", flags)
			there, here := server.mustPrepare("CALL p(?, ?)"), weir.mustPrepare("CALL p(?, ?)")
			for range 2 {
				want := server.execute(there, longParam(3), longParam(1))
				if diff := difference(want, weir.execute(here, longParam(3), longParam(1))); diff != "" {
					t.Errorf("flags %#x: %s", uint64(flags), diff)
				}
				if got := weir.mustQuery("SELECT 7").cells(); got != "7\n" {
					t.Errorf("flags %#x: afterwards the connection answers %q", uint64(flags), got)
				}
			}
		}
	})
}

// TestPitfall40CharsetsAfterAReset: on MySQL COM_RESET_CONNECTION goes to the server's own character sets, on MariaDB to
// those of the handshake.
func TestPitfall40CharsetsAfterAReset(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, server, weir := wireWorld(t, flavor)
		server.mustQuery("USE differ")
		for _, d := range []*dialogue{server, weir} {
			d.mustQuery("SET NAMES latin1")
			if r := d.ask(wire.ComResetConnection, nil); r.kind != wire.KindOK {
				t.Fatalf("%s: %s", d.name, r)
			}
		}
		for _, sql := range []string{
			"SELECT @@character_set_client, @@character_set_results, @@character_set_connection, @@collation_connection",
			"SELECT 'ß' = 'ss', id, v FROM t ORDER BY id",
		} {
			want := server.mustQuery(sql)
			for range 2 {
				if diff := difference(want, weir.mustQuery(sql)); diff != "" {
					t.Errorf("%s: %s", sql, diff)
				}
			}
		}
	})
}
