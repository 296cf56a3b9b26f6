package daemon

import (
	"fmt"
	"net"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

// TestPitfall53TemporaryTables: servers empty and free what a session had for temporary tables when it disconnects, which
// holds everybody up. Clients that connect, ask something with a temporary table on disk, and leave, in an orderly way or
// not, make the server log in and out next to nobody.
func TestPitfall53TemporaryTables(t *testing.T) {
	const clients, handful = 120, 8
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--big-tables=1"}})
		w.start(nil)
		w.shop()
		names := []string{"Connections", "Aborted_clients", "Created_tmp_disk_tables"}
		figures := func() (all [3]int) {
			for i, name := range names {
				all[i] = w.status(name)
			}
			return all
		}
		before := figures()
		for i := range clients {
			c := w.numbered(t, "app")
			if got := c.query(fmt.Sprintf("SELECT COUNT(*) + %d FROM (SELECT v, COUNT(*) FROM shop.t GROUP BY v) AS x", i)); got != fmt.Sprint(i+2) {
				t.Fatalf("client %d gets %s", i, got)
			}
			waysToLeave[i%len(waysToLeave)](c)
			c.conn.Close()
		}
		w.eventually("all have left", func() bool { return w.counter("weir_clients", "", "") == 1 && w.used() == 0 })
		after := figures()
		if n := after[2] - before[2]; n < clients {
			t.Errorf("%d clients have made %d temporary tables on disk: the test shows nothing", clients, n)
		}
		if logins, lost := after[0]-before[0], after[1]-before[1]; logins > handful || lost > 0 {
			t.Errorf("%d clients have cost the server %d logins, and it has lost %d", clients, logins, lost)
		}
	})
}

var waysToLeave = []func(*numbered){
	func(c *numbered) { c.write(0, wire.ComQuit, "") },
	func(c *numbered) { c.conn.(*net.TCPConn).CloseWrite() },
	func(c *numbered) { c.ends("SET time_zone = '+01:00'") },
	func(c *numbered) { c.query("SELECT 1 + 'x' FROM shop.t WHERE id = 1") }, // with a warning to be asked for
	func(c *numbered) { c.ends("BEGIN"); c.ends("SELECT v, 0 FROM shop.t") },
	func(c *numbered) { c.prepared("SELECT v FROM shop.t WHERE id = ?") },
}
