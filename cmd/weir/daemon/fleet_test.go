package daemon

import (
	"context"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// fleet is a source, a Redis, and several Weirs that share both.
type fleet struct {
	*world // the source's; its Weir is nobody's
	redis  *sandbox.Redis
	weirs  []*member
}

// member is one Weir of a fleet. It reaches Redis through a network of its own.
type member struct {
	*world
	fleet     *fleet
	network   *relay
	configure func(*Config)
}

// newFleet starts a source and a Redis; [fleet.join] adds Weirs.
func newFleet(t testing.TB, o sandbox.Options) *fleet {
	t.Helper()
	return &fleet{world: newSource(t, o), redis: sandboxtest.Redis(t, sandbox.RedisOptions{})}
}

// join starts one more Weir, and waits until it serves from the cache.
func (f *fleet) join(configure func(*Config)) *member {
	f.t.Helper()
	m := &member{
		world: &world{t: f.t, flavor: f.flavor, source: f.source, seams: f.seams},
		fleet: f, network: newRelay(f.t, f.redis.Addr()),
	}
	m.configure = func(c *Config) {
		shareRedis(c, m.network.addr())
		if configure != nil {
			configure(c)
		}
	}
	m.launch(m.configure)
	m.ready()
	f.weirs = append(f.weirs, m)
	return m
}

// shareRedis has everything written there and looked up, whatever it costs.
func shareRedis(c *Config, addr string) {
	c.Redis.Addrs, c.Redis.MinCost = []string{addr}, 0
	c.Redis.Budget = Duration(100 * time.Millisecond) // machines that run tests are busy
	c.Redis.WarmWindow = Duration(time.Minute)        // in which a place is left each second
}

// end stops the Weir: in an orderly way; or as a crash does, after which nobody has heard a word of it. Whatever it may
// have to say when it is told to stop does not get through.
func (m *member) end(crash bool) {
	m.t.Helper()
	if crash {
		m.network.down()
	}
	m.stop()
	m.network.lead(m.fleet.redis.Addr())
}

// restart stops the Weir and starts another one in its place. It does not wait until that one serves from the cache.
func (m *member) restart(crash bool) {
	m.t.Helper()
	m.end(crash)
	m.launch(m.configure)
}

// recorded returns when every Weir has recorded everything that was committed before the call, whether or not it may
// serve from the cache.
func (f *fleet) recorded() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	p, err := f.weirs[0].weir.source.Position(ctx)
	f.must(err)
	for _, m := range f.weirs {
		m.must(m.weir.ledger.WaitHead(ctx, p.Seq))
	}
}

// caughtUp returns when that is so, and all of them serve from the cache.
func (f *fleet) caughtUp() {
	f.t.Helper()
	for _, m := range f.weirs {
		m.caughtUp()
	}
}

// tier2 is how many answers of the Weir came from Redis since it was started.
func (m *member) tier2() float64 { return m.counter("weir_second_tier_hits_total", "", "") }
