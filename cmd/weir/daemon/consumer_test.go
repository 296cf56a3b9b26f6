package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// relayed runs a relay for the world's source, and gives the Redis that it publishes to.
func relayed(t testing.TB, w *world) (addr string) {
	t.Helper()
	addr, _ = relayedAt(t, w)
	return addr
}

// relayedAt is relayed; it also gives the relay's admin port.
func relayedAt(t testing.TB, w *world) (addr, admin string) {
	t.Helper()
	addr = sandboxtest.Redis(t, sandbox.RedisOptions{}).Addr()
	cfg := Default()
	cfg.Admin, cfg.Redis.Addrs = "127.0.0.1:0", []string{addr}
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = w.source.Addr(), "weir", "weir-secret"
	cfg.Source.TLS.Mode = tlsDisabled
	r, err := OpenRelay(t.Context(), cfg, slog.New(slog.NewTextHandler(testWriter{t}, nil)))
	w.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() { cancel(); w.must(<-done) })
	return addr, r.AdminAddr()
}

// TestServesThroughRelay: a Weir that follows a relay serves hits, drops them when their rows change, and only then.
func TestServesThroughRelay(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		sandboxtest.Exec(t, w.source, "CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)", "INSERT INTO shop.t VALUES (1, 10), (2, 20)")
		addr := relayed(t, w)
		w.start(func(c *Config) { c.Stream, c.Redis.Addrs = streamRedis, []string{addr} })
		p := w.proxy("app", "shop")
		const one, two = "SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2"
		p.warm(one)
		for v := 100; v < 110; v++ {
			sandboxtest.Exec(t, w.source, fmt.Sprintf("UPDATE shop.t SET v = %d WHERE id = 1", v))
			w.eventually("the new value", func() bool { return p.ask(one) == answer(fmt.Sprintf("v\n%d\n", v)) })
			p.warm(one)
		}
		w.eventually("a hit on a row that changes to others do not touch", func() bool {
			p.warm(two)
			sandboxtest.Exec(t, w.source, "UPDATE shop.t SET v = v + 1 WHERE id = 1")
			w.caughtUp()
			_, hit := p.asked(two)
			return hit
		})
		d := w.direct("app", "shop")
		d.run("ALTER TABLE t ADD COLUMN w INT DEFAULT 5")
		w.eventually("the new column", func() bool { return p.ask("SELECT w FROM t WHERE id = 2") == "w\n5\n" })
		p.warm("SELECT w FROM t WHERE id = 2")
	})
}
