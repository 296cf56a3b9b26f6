package relay

import (
	"errors"
	"time"
)

// Config is what a relay and its consumers agree on, and how much a relay keeps.
type Config struct {
	// Name is part of all keys in Redis: relays of different sources that share a Redis have different names.
	Name string
	// MaxStaleness is the bound that consumers work for; each asks four times within it.
	MaxStaleness time.Duration

	// Buffer is how many bytes a relay keeps while Redis is away. Past it a new incarnation begins, which costs every
	// consumer what it knows.
	Buffer int
	// Window, Entries and Bytes bound what stays in Redis. A consumer that starts begins as far back as that.
	Window  time.Duration
	Entries int
	Bytes   int
	// Lease is how long a relay that has died keeps the others waiting.
	Lease time.Duration
}

// DefaultConfig keeps a quarter of an hour, in at most a quarter of a gigabyte.
func DefaultConfig() Config {
	return Config{
		Name: "weir", MaxStaleness: time.Second,
		Buffer: 64 << 20, Window: 15 * time.Minute, Entries: 200_000, Bytes: 256 << 20, Lease: 3 * time.Second,
	}
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("the relay's name is empty; give the one under which relay and consumers find each other")
	case c.MaxStaleness < 20*time.Millisecond:
		return errors.New("max_staleness is too short for a relay; 20ms is the least")
	case c.Buffer < 1<<20 || c.Bytes < 1<<20:
		return errors.New("a relay needs a mebibyte for what is on its way, and one for what it keeps, at least")
	case c.Window < time.Second || c.Entries < 1000:
		return errors.New("a relay keeps at least a second, and a thousand entries: consumers read them in blocks")
	case c.Lease < 100*time.Millisecond:
		return errors.New("a relay's lease must be 100ms at least; it has to be renewed within")
	}
	return nil
}

// Keys in Redis. The braces put them into one slot of a Cluster, so that answers go out together with entries.
func (c Config) key(what string) string { return c.Name + ":{" + c.Name + "-relay}:" + what }

func (c Config) stream() string    { return c.key("stream") }
func (c Config) asks() string      { return c.key("asks") }
func (c Config) answers() string   { return c.key("answers") }
func (c Config) interests() string { return c.key("interests") }
func (c Config) lease() string     { return c.key("relay") }

// hints is the channel on which consumers say that there is something to read: the first byte of a message says where.
// A message that is lost costs time alone.
func (c Config) hints() string { return c.key("hints") }

const (
	hintAsks      = "a"
	hintInterests = "i"
)

func (c Config) askEvery() time.Duration { return c.MaxStaleness / 4 }
