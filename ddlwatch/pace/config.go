package pace

import (
	"fmt"
	"time"
)

// Config says how many reads of one table may be at servers, and for how long a reader waits.
type Config struct {
	// Limit is the most reads of a table at servers while a DDL on it runs, and where a refill begins.
	Limit int
	// Min is the limit behind a metadata lock, and the lowest that a refill comes down to.
	Min int
	// Max is where pacing ends.
	Max int
	// Wait is how long a reader waits before it goes through, unless readers of the table pile up behind a metadata lock.
	Wait time.Duration
	// Stall is for how long no read of a table has come back when it is suspected of a pile-up, and StallReads how many
	// are at servers then, at least.
	Stall      time.Duration
	StallReads int
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Limit: 8, Min: 2, Max: 64, Wait: 5 * time.Second, Stall: 100 * time.Millisecond, StallReads: 8}
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Min < 1:
		return fmt.Errorf("ddl.pace.min %d is too low; at least one read must be let in", c.Min)
	case c.Limit < c.Min:
		return fmt.Errorf("ddl.pace.limit %d is below ddl.pace.min %d", c.Limit, c.Min)
	case c.Max < c.Limit:
		return fmt.Errorf("ddl.pace.max %d is below ddl.pace.limit %d", c.Max, c.Limit)
	case c.Wait < tick:
		return fmt.Errorf("ddl.pace.wait %s is too short; %s is the least", c.Wait, tick)
	case c.Stall < time.Millisecond:
		return fmt.Errorf("ddl.pace.stall %s is too short; 1ms is the least", c.Stall)
	case c.StallReads < 1:
		return fmt.Errorf("ddl.pace.stall_reads %d is too low; 1 is the least", c.StallReads)
	}
	return nil
}
