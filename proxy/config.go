package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Writes says what happens to a statement that is not a read.
type Writes string

// The settings of writes.
const (
	// Reject answers it with error 1290, as a server under --read-only does.
	Reject Writes = "reject"
	// ToSource sends it, and transactions, to the source.
	ToSource Writes = "source"
)

// CacheType is query_cache_type.
type CacheType string

// The settings of query_cache_type.
const (
	On     CacheType = "ON"
	Off    CacheType = "OFF"
	Demand CacheType = "DEMAND" // only SELECT SQL_CACHE
	// Observe answers nothing from the cache and stores nothing in it, and reports what it would do under On.
	Observe CacheType = "OBSERVE"
)

// Precision is cache.precision: how finely results depend on tables.
type Precision string

// The settings of precision.
const (
	// ByRow: as finely as can be told, see package dep.
	ByRow Precision = "row"
	// ByTable: any change to a table makes every result unservable that reads it.
	ByTable Precision = "table"
)

// Config is what the proxy needs to know.
type Config struct {
	// Listen is the host:port, or the path of a Unix socket, where clients connect.
	Listen string
	// Users are the accounts that clients log in with. Each is used towards the backends, too. If there are none, the
	// backends' accounts are: whoever a backend lets in, Weir does.
	Users []User
	// RequireTLS turns away clients that come without TLS, unless over a Unix socket.
	RequireTLS bool
	// Backends answer reads. There may be none if there are several Sources: then the one that is the source does.
	Backends []string
	// Source answers writes and transactions, under writes: source. If Sources is not empty, another one of them may at any
	// time, see [Server.Follow].
	Source  string
	Sources []string
	Writes  Writes
	Routing Routing
	// MaxLag is how long a backend may lack a change before reads go elsewhere; 0 is without bound.
	MaxLag         time.Duration
	CacheType      CacheType
	Transactions   Transactions
	Precision      Precision
	MaxStaleness   time.Duration
	MaxConnections int
	// FreshWait is how long a read waits for a backend that has what it must contain, before the source is asked:
	// under routing: fresh, and after SET weir_wait_for.
	FreshWait time.Duration
	// WaitFor is how long SET weir_wait_for waits.
	WaitFor time.Duration
	// SilenceTimeout is after how long a backend that answers nothing at all is taken for dead.
	SilenceTimeout time.Duration
	// LoginTimeout is how long a client may take to log in.
	LoginTimeout time.Duration
	// DrainTimeout is how long statements and transactions may go on when the proxy stops. What is left then is ended, which
	// takes up to 2.5 seconds more.
	DrainTimeout time.Duration
	// WaitTimeout is how long a client may be idle, unless it sets wait_timeout itself.
	WaitTimeout time.Duration
	// WriteTimeout is how long a client may leave lying what is sent to it.
	WriteTimeout time.Duration
	// MaxPacket is what a command must be smaller than, in bytes; 0 stands for the source's max_allowed_packet.
	MaxPacket int
}

// defaultPacketLimit is the default of MySQL 8 and later.
const defaultPacketLimit = 64 << 20

// User is an account.
type User struct {
	Name, Password string
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		Listen: "127.0.0.1:3307", Writes: Reject, CacheType: On, Transactions: Bypass, Precision: ByRow, Routing: Balanced,
		MaxLag: 10 * time.Second, FreshWait: 20 * time.Millisecond, WaitFor: 10 * time.Second, SilenceTimeout: 5 * time.Second,
		MaxStaleness: time.Second, MaxConnections: 1040, LoginTimeout: 10 * time.Second, DrainTimeout: 10 * time.Second,
		WaitTimeout: 8 * time.Hour, WriteTimeout: writeTimeout,
	}
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Writes != Reject && c.Writes != ToSource:
		return fmt.Errorf("writes is %q; it must be reject or source", c.Writes)
	case c.CacheType != On && c.CacheType != Off && c.CacheType != Demand && c.CacheType != Observe:
		return fmt.Errorf("query_cache_type is %q; it must be ON, OFF, DEMAND or OBSERVE", c.CacheType)
	case c.Transactions != Bypass && c.Transactions != Snapshot:
		return fmt.Errorf("transactions is %q; it must be bypass or snapshot", c.Transactions)
	case c.Precision != ByRow && c.Precision != ByTable:
		return fmt.Errorf("precision is %q; it must be row or table", c.Precision)
	case c.Routing != Balanced && c.Routing != Fresh:
		return fmt.Errorf("routing is %q; it must be balanced or fresh", c.Routing)
	case c.MaxLag < 0:
		return fmt.Errorf("max_lag is %s; it cannot be negative, and 0 is without bound", c.MaxLag)
	case len(c.Backends) == 0 && len(c.Sources) == 0:
		return errors.New("there are no backends to answer reads")
	case c.WaitTimeout < time.Second:
		return fmt.Errorf("wait_timeout is %s; clients need a second at least between two statements", c.WaitTimeout)
	case c.MaxPacket != 0 && (c.MaxPacket < 1<<10 || c.MaxPacket > 1<<30):
		return fmt.Errorf("max_packet is %d bytes; it must be 1KiB to 1GiB, or 0 for the source's max_allowed_packet", c.MaxPacket)
	case c.MaxConnections < 1:
		return fmt.Errorf("max_connections is %d; at least one client must be able to connect", c.MaxConnections)
	}
	if err := c.validateUsers(); err != nil {
		return err
	}
	return c.validateAddrs()
}

func (c Config) validateUsers() error {
	seen := map[string]bool{}
	for i, u := range c.Users {
		switch {
		case u.Name == "":
			return fmt.Errorf("users: number %d has no name", i+1)
		case seen[u.Name]:
			return fmt.Errorf("users: %q is listed twice", u.Name)
		}
		seen[u.Name] = true
	}
	return nil
}

func (c Config) validateAddrs() error {
	if err := validAddr("listen", c.Listen); err != nil {
		return err
	}
	for i, addr := range c.Backends {
		if addr == "" {
			return fmt.Errorf("backends: number %d has no addr", i+1)
		}
		if err := validAddr("backends", addr); err != nil {
			return err
		}
	}
	return validAddr("source.addr", c.Source)
}

func (c Config) sources() []string {
	if len(c.Sources) == 0 {
		return []string{c.Source}
	}
	return c.Sources
}

func validAddr(name, addr string) error {
	if addr == "" || addr[0] == '/' {
		return nil
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("%s: %q is not host:port (an IPv6 host needs brackets)", name, addr)
	}
	return nil
}
