package daemon

import (
	"fmt"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/proxy/wire"
)

const (
	largeRow   = "SELECT v FROM shop.large WHERE id = 1"
	largeBytes = 40 << 20
)

// Packets are cut at 16 MiB. Rows and texts below, at and above that pass as they are, from the server and from the
// cache, and so does a change of 80 MiB in the binlog.
func TestPitfall38LargePackets(t *testing.T) {
	eachAtOnce(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{
			"--max-allowed-packet=256M", "--loose-innodb-redo-log-capacity=1G", "--loose-innodb-log-file-size=1G",
		}})
		w.start(nil)
		caching := &world{t: t, flavor: flavor, source: w.source}
		caching.start(func(c *Config) { c.Cache.Size, c.Cache.Limit = 256<<20, 64<<20 })

		d := w.direct("app", "")
		d.run("CREATE DATABASE shop")
		d.run("CREATE TABLE shop.large (id INT PRIMARY KEY, v LONGTEXT) ENGINE=InnoDB")
		d.run(fmt.Sprintf("INSERT INTO shop.large VALUES (1, REPEAT('0123456789abcdef', %d))", largeBytes/16))
		w.complete()
		caching.complete()
		p, c := w.proxy("app", "shop"), caching.proxy("app", "shop")
		same(t, d, p, largeRow)
		if n := w.counter("weir_cache_stores_refused_total", "reason", "too_large"); n != 1 {
			t.Errorf("%.0f results were refused as too large, want 1", n)
		}
		same(t, d, c, largeRow)
		c.warm(largeRow)
		same(t, d, c, largeRow)
		edges(t, d, p, c)
		texts(t, d, p)

		d.run(fmt.Sprintf("UPDATE shop.large SET v = REPEAT('fedcba9876543210', %d) WHERE id = 1", largeBytes/16))
		caching.complete()
		same(t, d, c, largeRow)
		c.warm(largeRow)
		same(t, d, c, largeRow)
	})
}

// same compares answers that are too long to be printed.
func same(t *testing.T, d, p *client, query string) {
	t.Helper()
	got, want := p.ask(query), d.ask(query)
	if strings.HasPrefix(string(want), "error") {
		t.Fatalf("%.60s: the source answers %s", query, want)
	}
	if got != want {
		t.Errorf("%.60s: Weir answers %d bytes, %.40q...; the source %d bytes, %.40q...", query, len(got), got, len(want), want)
	}
}

// edges reads rows whose packet is just below, at and above the size that is cut. A row of one value has four bytes
// before it.
func edges(t *testing.T, d, p, caching *client) {
	t.Helper()
	for _, size := range []int{wire.MaxPayload - 1, wire.MaxPayload, wire.MaxPayload + 1, 2 * wire.MaxPayload} {
		query := fmt.Sprintf("SELECT LEFT(v, %d) AS v FROM shop.large WHERE id = 1", size-4)
		if size > wire.MaxPayload {
			query = fmt.Sprintf("SELECT LEFT(v, %d) AS v FROM shop.large WHERE id = 1", size-9)
		}
		same(t, d, p, query)
		same(t, d, caching, query)
		caching.warm(query)
		same(t, d, caching, query)
	}
}

// texts sends statements whose packet is just below, at and above that size. It has one byte before the text.
func texts(t *testing.T, d, p *client) {
	t.Helper()
	for _, size := range []int{wire.MaxPayload - 1, wire.MaxPayload, wire.MaxPayload + 1, 2 * wire.MaxPayload, 2*wire.MaxPayload + 1} {
		const frame = "SELECT LENGTH('') AS n, id FROM shop.large"
		query := strings.Replace(frame, "''", "'"+strings.Repeat("x", size-1-len(frame))+"'", 1)
		same(t, d, p, query)
	}
	same(t, d, p, one1)
}

// one1 shows that the connection is as good as before.
const one1 = "SELECT id FROM shop.large"
