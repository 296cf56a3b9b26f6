package replicator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"time"
)

// Config says which server's change stream is followed, and how closely.
type Config struct {
	// Addr is host:port, or the path of a Unix socket.
	Addr string
	// Addrs, if there are any, are those that the source may be found at, in place of Addr: see [Candidates].
	Addrs    []string
	User     string
	Password string
	TLS      TLS
	// Candidates, if not nil, say where the source is, in place of Addr and TLS.
	Candidates *Candidates
	// ServerID is the id under which the reader registers as a replica. Two readers of one source must not share it.
	ServerID uint32
	// MaxStaleness is the bound that the probe works for; it asks four times within it.
	MaxStaleness time.Duration
}

// DefaultConfig has a random server id in the upper half of the range, where people do not number their servers.
func DefaultConfig() Config {
	return Config{ServerID: 1<<31 | rand.Uint32N(1<<31-1), MaxStaleness: time.Second}
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Addr == "" && c.Addrs != nil && len(c.Addrs) == 0:
		return errors.New("source.addrs is empty; list the host:port of each server that may be the source")
	case c.Addr == "" && len(c.Addrs) == 0:
		return errors.New("source.addr is missing; give the host:port of the server whose binlog is read")
	case c.User == "":
		return errors.New("source.user is missing; give an account with REPLICATION SLAVE and REPLICATION CLIENT")
	case c.ServerID == 0:
		return errors.New("source.server_id must not be 0")
	case c.MaxStaleness < 20*time.Millisecond:
		return fmt.Errorf("max_staleness %s is too short; the source is probed four times within it, 20ms is the least", c.MaxStaleness)
	}
	return c.validateAddrs()
}

func (c Config) validateAddrs() error {
	if len(c.Addrs) == 0 {
		return validAddr("source.addr", c.Addr)
	}
	for i, addr := range c.Addrs {
		if addr == "" || slices.Contains(c.Addrs[:i], addr) {
			return fmt.Errorf("source.addrs has %q as number %d; each server that may be the source must be there, once", addr, i+1)
		}
		if err := validAddr("source.addrs", addr); err != nil {
			return err
		}
	}
	return nil
}

func validAddr(name, addr string) error {
	if addr[0] == '/' {
		return nil
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("%s %q is not host:port (an IPv6 host needs brackets)", name, addr)
	}
	return nil
}

func (c Config) probeEvery() time.Duration { return c.MaxStaleness / 4 }

// heartbeatEvery is how long the source lets the stream be silent. It decides how soon a fresh reader knows that it
// has caught up with an idle source, and how soon a dead connection is noticed.
func (c Config) heartbeatEvery() time.Duration {
	return min(max(c.MaxStaleness/4, 50*time.Millisecond), 500*time.Millisecond)
}

func (c Config) streamTimeout() time.Duration { return max(10*c.heartbeatEvery(), 3*time.Second) }
func (c Config) queryTimeout() time.Duration  { return max(c.MaxStaleness, 2*time.Second) }
