package demo

import (
	"io"
	"log/slog"
	"time"

	"weir/deployments/sandbox"
)

// Options say how large the demo is. [DefaultOptions] are those of weir demo.
type Options struct {
	Flavor sandbox.Flavor
	// Duration is how long the load runs through Weir; 0 is until Run is told that it is enough.
	Duration time.Duration
	// Baseline is how long it runs without Weir; 0 is a third of Duration, and at least five seconds.
	Baseline time.Duration

	Shop    Sizes
	Readers int
	Writers int
	// Commits is how many the writers make, together, in a second.
	Commits float64
	// Samples is how many of the readers' answers the auditor has under way at a time.
	Samples int

	// Listen and Admin are Weir's addresses if they are free; otherwise others are taken.
	Listen, Admin string
	// Dir is where the servers make their folders; empty is the system's temporary folder.
	Dir string

	Out   io.Writer
	Color bool
	Log   *slog.Logger
}

// DefaultOptions returns the options of weir demo for a server of that flavor.
func DefaultOptions(flavor sandbox.Flavor) Options {
	return Options{
		Flavor:  flavor,
		Shop:    Sizes{Customers: 20_000, Products: 5_000, Orders: 100_000, Items: 200_000},
		Readers: 8, Writers: 4, Commits: 20, Samples: 32,
		Listen: "127.0.0.1:3307", Admin: "127.0.0.1:9307",
		Out: io.Discard, Log: slog.New(slog.DiscardHandler),
	}
}

const leastBaseline = 5 * time.Second

func (o Options) baseline() time.Duration {
	if o.Baseline > 0 {
		return o.Baseline
	}
	return max(leastBaseline, o.Duration/3)
}
