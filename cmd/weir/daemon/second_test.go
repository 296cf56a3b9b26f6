package daemon

import (
	"context"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// sharedMemory is a second tier for Weirs in one process that follow the same source.
type sharedMemory struct {
	mu sync.Mutex
	m  map[string]cache.Copy
}

func (s *sharedMemory) tierOf(ledger *cache.Ledger) cache.Tier { return memoryTier{s, ledger} }

// memoryTier is what one of them sees of it: all of them give the same Seq to the same place, but count epochs for
// themselves.
type memoryTier struct {
	shared *sharedMemory
	ledger *cache.Ledger
}

func (m memoryTier) Find(_ context.Context, key []byte, _ cache.Class) (cache.Copy, bool) {
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	found, ok := m.shared.m[string(key)]
	if found.At.Epoch = m.ledger.Epoch(); found.At.Seq > m.ledger.Head() {
		return cache.Copy{}, false
	}
	return found, ok
}

func (m memoryTier) Offer(e *cache.Entry, _ cache.Class, _ time.Duration) {
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	m.shared.m[string(e.Key())] = cache.Copy{Wire: e.Wire(), Tags: e.Tags, At: e.At, Versioned: e.Versioned}
}

func (w *world) found() float64 { return w.counter("weir_second_tier_hits_total", "", "") }

// twoHosts are two Weirs in front of one server, with a second tier between them. To the server one connects from
// 127.0.0.1, and the other over the socket from localhost; so that u is another account to each, of which one has no
// rights, and v is the same.
func twoHosts(t *testing.T, flavor sandbox.Flavor) (near, far *world) {
	t.Helper()
	near = newSource(t, sandbox.Options{Flavor: flavor})
	tier := &sharedMemory{m: map[string]cache.Copy{}}
	near.seams.second = tier.tierOf
	near.must(near.source.Exec(t.Context(),
		"CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO shop.t VALUES (1, 'secret')",
		"CREATE USER u@'127.0.0.1' IDENTIFIED BY 'u-secret'", "CREATE USER u@localhost IDENTIFIED BY 'u-secret'",
		"CREATE USER v@'%' IDENTIFIED BY 'v-secret'",
		"GRANT SELECT ON shop.* TO u@'127.0.0.1'", "GRANT INSERT ON shop.* TO u@localhost", "GRANT SELECT ON shop.* TO v@'%'",
	))
	other := *near
	far = &other
	near.start(func(c *Config) { c.Users = nil })
	far.start(func(c *Config) { c.Users, c.Backends = nil, []Backend{{Addr: near.source.Socket}} })
	near.caughtUp()
	far.caughtUp()
	return near, far
}

// Who may read at one Weir gets what it has read into the second tier; who may not at another one, under the same name,
// does not get it from there.
func TestPitfall31OneNameTwoHosts(t *testing.T) {
	const text, prepared = "SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = ?"
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		near, far := twoHosts(t, flavor)
		u, v := near.proxy("u", "shop"), near.proxy("v", "shop")
		for _, c := range []*client{u, v} {
			c.warm(text)
			c.holds(prepared).warm(1)
		}
		if got := far.proxy("u", "shop").ask(text); got != "error 1142" {
			t.Errorf("the text: %s", got)
		}
		if got := far.proxy("u", "shop").holdsOrFails(prepared).ask(1); got != "error 1142" {
			t.Errorf("prepared: %s", got)
		}
		if n := far.found(); n != 0 {
			t.Errorf("%v results were found for an account without rights", n)
		}
		w := far.proxy("v", "shop")
		if got, want := w.ask(text), v.ask(text); got != want || far.found() != 1 {
			t.Errorf("the account that is the same at both: %s, found %v", got, far.found())
		}
		if got, want := w.holds(prepared).ask(1), v.holds(prepared).ask(1); got != want || far.found() != 2 {
			t.Errorf("the same, prepared: %s, found %v", got, far.found())
		}
	})
}
