package daemon

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

const largeRow = "SELECT v FROM shop.large WHERE id = 1"

// Packets are cut at 16 MiB. Rows and texts below, at and above that pass as they are, from the server and from the
// cache, and so does a change of 80 MiB in the binlog.
func TestPitfall38LargePackets(t *testing.T) {
	sandboxtest.EachAlone(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{
			"--max-allowed-packet=256M", "--loose-innodb-redo-log-capacity=1G", "--loose-innodb-log-file-size=1G",
		}})
		w.start(nil)
		d, _ := w.shop()
		d.run("CREATE TABLE shop.large (id INT PRIMARY KEY, v LONGTEXT) ENGINE=InnoDB")
		value := bytes.Repeat([]byte("0123456789abcdef"), 40<<16)
		d.run(fmt.Sprintf("INSERT INTO shop.large VALUES (1, REPEAT('0123456789abcdef', %d))", len(value)/16))
		w.complete()
		p := (&clientWorld{world: w}).login(t)
		p.large(largeRow, value)
		if n := w.counter("weir_cache_stores_refused_total", "reason", "too_large"); n != 1 {
			t.Errorf("%.0f results were refused as too large, want 1", n)
		}
		if flavor == sandbox.MariaDB { // what is cut where is the same on both
			texts(p)
		}
		w.stop()

		w.start(func(c *Config) { c.Cache.Size, c.Cache.Limit = 256<<20, 64<<20 })
		p = (&clientWorld{world: w}).login(t)
		w.hitsLarge(p, largeRow, value)
		if flavor == sandbox.MySQL {
			edges(w, p, value)
			return
		}
		value = bytes.Repeat([]byte("fedcba9876543210"), 40<<16)
		d.run(fmt.Sprintf("UPDATE shop.large SET v = REPEAT('fedcba9876543210', %d) WHERE id = 1", len(value)/16))
		w.complete()
		p.large(largeRow, value)
	})
}

// edges reads rows whose packet is as large as the size that is cut, and larger by one byte.
func edges(w *world, p *raw, value []byte) {
	w.t.Helper()
	for _, size := range []int{wire.MaxPayload, wire.MaxPayload + 1} {
		n := size - len(wire.AppendLenencInt(nil, uint64(size)))
		w.hitsLarge(p, fmt.Sprintf("SELECT LEFT(v, %d) FROM shop.large WHERE id = 1", n), value[:n])
	}
}

// hitsLarge asks until the answer, which is right each time, is a hit.
func (w *world) hitsLarge(p *raw, query string, value []byte) {
	w.t.Helper()
	w.eventually("the large row is a hit: "+query, func() bool {
		before := w.counter("weir_statements_total", "outcome", "hit")
		p.large(query, value)
		return w.counter("weir_statements_total", "outcome", "hit") > before
	})
}

// large runs a query whose answer is one value.
func (c *raw) large(query string, value []byte) {
	c.t.Helper()
	if first := c.command(wire.ComQuery, query); outcome(first) != "1 columns" {
		c.t.Fatalf("%s: %s", query, outcome(first))
	}
	c.read() // the column
	c.read() // EOF
	row, err := c.reader.ReadPacket(1 << 30)
	if err != nil {
		c.t.Fatal(err)
	}
	head := wire.AppendLenencInt(nil, uint64(len(value)))
	if !bytes.HasPrefix(row, head) || !bytes.Equal(row[len(head):], value) {
		c.t.Errorf("%s: %d bytes, %.40q...; want %d bytes, %.40q...", query, len(row), row, len(head)+len(value), value)
	}
	c.read() // EOF
}

// texts sends statements whose packet has the size that is cut, and one of three parts. There is one byte before the text.
func texts(p *raw) {
	p.t.Helper()
	for _, size := range []int{wire.MaxPayload, 2*wire.MaxPayload + 1} {
		const frame = "SELECT LENGTH('') FROM shop.large"
		n := size - 1 - len(frame)
		if got := p.query(strings.Replace(frame, "''", "'"+strings.Repeat("x", n)+"'", 1)); got != fmt.Sprint(n) {
			p.t.Errorf("a text of %d bytes: %s, want %d", size-1, got, n)
		}
	}
}
