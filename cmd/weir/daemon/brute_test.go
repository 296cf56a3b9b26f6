package daemon

import (
	"flag"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var (
	bruteSteps   = flag.Int("brute", 2000, "how many steps TestBrute takes, of both flavors together")
	bruteSeed    = flag.Uint64("brute.seed", 1, "what TestBrute makes its rounds from")
	bruteRound   = flag.Int("brute.round", 0, "the only round that TestBrute plays; 0 is all")
	bruteQueries = flag.Int("brute.queries", 12, "how many queries are kept cached in a round")
)

// stepsPerRound is how many changes a schema sees before another one is made.
const stepsPerRound = 250

// Soundness by brute force: schemas, data, queries and changes are made at random. After each change everything that may
// be served from the cache must be what the source answers. Of the answers that have not changed, as many as possible
// should still be served; how many, is told by the shape of the query.
//
// A round is made from the seed and its number alone. Every third is played racing: answers are filled while the change
// is being made.
func TestBrute(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--innodb-lock-wait-timeout=2"}})
		w.start(func(c *Config) { c.MaxStaleness, c.Writes = Duration(10*time.Second), "source" })
		b := newBrute(t, w)
		for number, left := 1, *bruteSteps/2; left > 0; number, left = number+1, left-stepsPerRound {
			if *bruteRound == 0 || *bruteRound == number {
				b.play(b.round(number, min(left, stepsPerRound)))
			}
			if len(b.faults) >= faultsAtMost {
				break
			}
		}
		b.report()
	})
}
