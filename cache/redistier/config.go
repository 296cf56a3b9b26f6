package redistier

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"
)

// MinCostAuto is a MinCost that compares what a server takes for a statement with what Redis takes.
const MinCostAuto = time.Duration(-1)

// MaxMaxValue is the largest MaxValue. Redis itself takes values of up to 512 MB.
const MaxMaxValue = 256 << 20

// Config is the redis section of the configuration.
type Config struct {
	// Addrs are host:port of the server, or the path of its Unix socket; or of some masters of a Cluster, if there is more than one or Cluster is set; or of
	// the Sentinels, if MasterName is set.
	Addrs   []string
	Cluster bool
	// MasterName is what the Sentinels call the master.
	MasterName                         string
	Username, Password                 string
	SentinelUsername, SentinelPassword string
	// DB is the number of the database; a Cluster has only 0.
	DB int
	// TLS is nil for none. Without a ServerName each server's certificate has to be for the host by which it is reached.
	TLS *tls.Config

	// Namespace is what all keys begin with, so that several fleets can share one Redis.
	Namespace string
	// Budget is how long a lookup may wait for Redis.
	Budget time.Duration
	// TTL is how long Redis keeps a value.
	TTL time.Duration
	// MinCost is how long a server has to take for a statement for it to be looked up and written. 0 is everything, and
	// MinCostAuto what Redis itself takes.
	MinCost time.Duration
	// CompressOver is the size of the results, in bytes, above which they are compressed; 0 compresses none.
	CompressOver int64
	// MaxValue is the largest result, as sent to the client, that is written, and that is believed to be one.
	MaxValue int64
	// QueueEntries and QueueBytes bound what waits to be written.
	QueueEntries int
	QueueBytes   int64

	// WarmWindow is how far back a starting Weir takes the stream up again; 0 is not at all. The tier itself makes no use
	// of it, nor of SaveOnStop.
	WarmWindow time.Duration
	// SaveOnStop has what is asked for most written once more before Weir ends.
	SaveOnStop bool
}

// DefaultConfig returns the defaults. They lack an address.
func DefaultConfig() Config {
	return Config{
		Namespace: "weir", Budget: 5 * time.Millisecond, TTL: time.Hour, MinCost: MinCostAuto,
		CompressOver: 4 << 10, MaxValue: 1 << 20, QueueEntries: 8192, QueueBytes: 32 << 20,
		WarmWindow: 15 * time.Minute, SaveOnStop: true,
	}
}

// namespaces are what needs no quoting in the pattern of an ACL rule, and has no braces, which choose slots in a Cluster.
var namespaces = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	if err := c.validateServers(); err != nil {
		return err
	}
	switch {
	case !namespaces.MatchString(c.Namespace):
		return fmt.Errorf("redis.namespace is %q; it must be 1 to 64 letters, digits, or . _ : -", c.Namespace)
	case c.Budget < time.Millisecond || c.Budget > time.Second:
		return fmt.Errorf("redis.budget is %v; it must be 1ms to 1s", c.Budget)
	case c.TTL < time.Second:
		return fmt.Errorf("redis.ttl is %v; it must be at least 1s", c.TTL)
	case c.MinCost < 0 && c.MinCost != MinCostAuto:
		return fmt.Errorf("redis.min_cost is %v; it must be auto, 0 for everything, or a duration", c.MinCost)
	case c.WarmWindow < 0 || c.WarmWindow > 24*time.Hour:
		return fmt.Errorf("redis.warm_window is %v; it must be 0 to 24h", c.WarmWindow)
	}
	return c.validateSizes()
}

func (c Config) validateServers() error {
	switch {
	case len(c.Addrs) == 0:
		return errors.New("redis.addrs is empty; give the host:port of a server, of masters of a Cluster, or of Sentinels")
	case c.badAddr() != "":
		return fmt.Errorf("redis.addrs has %q, which is not host:port", c.badAddr())
	case c.MasterName != "" && c.Cluster:
		return errors.New("redis.master_name is of Sentinels, and redis.cluster says that it is a Cluster; leave one out")
	case c.MasterName == "" && (c.SentinelUsername != "" || c.SentinelPassword != ""):
		return errors.New("redis.sentinel_username and redis.sentinel_password are of no use without redis.master_name")
	case c.DB < 0:
		return fmt.Errorf("redis.db is %d; it must not be negative", c.DB)
	case c.DB > 0 && c.clustered():
		return fmt.Errorf("redis.db is %d; a Cluster has only database 0", c.DB)
	}
	return nil
}

func (c Config) validateSizes() error {
	switch {
	case c.CompressOver < 0:
		return errors.New("redis.compress_over must not be negative; 0 compresses nothing")
	case c.MaxValue < 0 || c.MaxValue > MaxMaxValue:
		return fmt.Errorf("redis.max_value is %d bytes; it must be 0 to 256MiB", c.MaxValue)
	case c.QueueEntries < 1:
		return fmt.Errorf("redis.queue_entries is %d; it must be at least 1", c.QueueEntries)
	case c.QueueBytes < 1:
		return fmt.Errorf("redis.queue_size is %d bytes; it must be at least 1", c.QueueBytes)
	}
	return nil
}

// badAddr returns the first address that is none. A single server may have a Unix socket.
func (c Config) badAddr() string {
	for _, addr := range c.Addrs {
		if _, _, err := net.SplitHostPort(addr); err != nil && (len(c.Addrs) > 1 || !strings.HasPrefix(addr, "/")) {
			return addr
		}
	}
	return ""
}

func (c Config) clustered() bool { return c.MasterName == "" && (c.Cluster || len(c.Addrs) > 1) }
