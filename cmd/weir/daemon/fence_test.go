package daemon

import (
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// A write makes the probe ask at once: with its regular questions minutes apart, the session's reads, which wait for its
// own write, are hits again all the same.
func TestHitsSoonAfterOnesOwnWrite(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) {
			c.Writes, c.MaxStaleness = "source", Duration(10*time.Minute)
		})
		_, p := w.shop()
		p.run("UPDATE t SET v = 'first' WHERE id = 1")
		p.warm(one)
		p.run("UPDATE t SET v = 'second' WHERE id = 1")
		if got, hit := p.asked(one); got != "v\nsecond\n" {
			t.Errorf("right after its write the session reads %q (hit: %v)", got, hit)
		}
		p.warm(one)
		if got := p.ask(one); got != "v\nsecond\n" {
			t.Errorf("the hit after its write is %q", got)
		}
	})
}
