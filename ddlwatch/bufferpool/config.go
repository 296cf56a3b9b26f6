package bufferpool

import (
	"errors"
	"time"
)

// Config says how often servers are asked and how long their past counts. The zero value of a field is its default.
type Config struct {
	Idle time.Duration // between two questions to a server; 5 s
	Busy time.Duration // the same while a schema change or a refill runs; 250 ms
	// Memory is the time constant of the baseline: what is that old counts for a third. 3 minutes.
	Memory time.Duration
	// Settle is how long a pool may count as emptied. 10 minutes.
	Settle time.Duration
	// Results is the volume of the results that clients ask for in bytes, 0 while unknown. It may be nil, and is called
	// from any goroutine.
	Results func() int64
}

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.Idle, 5 * time.Second}, {&c.Busy, 250 * time.Millisecond}, {&c.Memory, 3 * time.Minute}, {&c.Settle, 10 * time.Minute}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.Results == nil {
		c.Results = func() int64 { return 0 }
	}
	return c
}

// Validate says what is wrong with c.
func (c Config) Validate() error {
	c = c.withDefaults()
	switch {
	case c.Busy < 50*time.Millisecond:
		return errors.New("a server cannot be asked more often than every 50 ms")
	case c.Idle < c.Busy:
		return errors.New("a server must be asked at least as often while it is busy as otherwise")
	case c.Memory < c.Idle || c.Settle < c.Idle:
		return errors.New("what a server has said must count for longer than until it is asked again")
	}
	return nil
}
