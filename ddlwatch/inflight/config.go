package inflight

import (
	"cmp"
	"time"
)

// Config says how often a server is asked. A zero field is that of [DefaultConfig].
type Config struct {
	// Idle is the time between two looks at a server on which no DDL runs, and Busy while one does.
	Idle, Busy time.Duration
	// Look is the least time between two looks, however often [Watch.Look] is called.
	Look time.Duration
}

// DefaultConfig is quick enough to see a DDL before many reads pile up behind it, and costs a server one small query
// a second.
func DefaultConfig() Config {
	return Config{Idle: time.Second, Busy: 200 * time.Millisecond, Look: 50 * time.Millisecond}
}

func (c Config) withDefaults() Config {
	d := DefaultConfig()
	return Config{Idle: cmp.Or(c.Idle, d.Idle), Busy: cmp.Or(c.Busy, d.Busy), Look: cmp.Or(c.Look, d.Look)}
}

const (
	// shadowEvery is the least time between two looks for shadow tables; shadowShare keeps a look that takes long, in
	// a server with very many tables, to one part in so many of the time.
	shadowEvery = 5 * time.Second
	shadowShare = 50
	// settled is how long what was found out about a server counts: which tables it has, and what the account may
	// see. It is also how long nothing is asked that a missing privilege makes useless.
	settled = time.Minute
	// remembered is how long the DDL of a server counts that does not answer any more: a connection that was cut does
	// not end an ALTER.
	remembered = 30 * time.Second
)
