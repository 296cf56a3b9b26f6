package proxy

import (
	"context"
	"testing"

	"weir/cache"
	"weir/cache/dep"
)

// TestHitsMakeHeat: hits on texts and on executions are told to the cache, which learns from them what is asked for most.
func TestHitsMakeHeat(t *testing.T) {
	text := func() (*cache.Cache, func()) {
		s, _, text := hitSession(t)
		return s.server.cache, func() { s.query(context.Background(), text) }
	}
	execution := func() (*cache.Cache, func()) {
		s, _, args := executionSession(t)
		return s.server.cache, func() { s.execute(context.Background(), args) }
	}
	for name, session := range map[string]func() (*cache.Cache, func()){"text": text, "execution": execution} {
		t.Run(name, func(t *testing.T) {
			c, ask := session()
			for range 10000 {
				ask()
			}
			hot := c.Hottest(dep.Tags([]dep.Name{dep.Fold("shop", "products")})[0], 1)
			if len(hot) != 1 || hot[0].Rate < 10 { // 1000, or less if this takes more than ten seconds
				t.Errorf("asked for 10000 times: %v", hot)
			}
		})
	}
}
