package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"weir/cache"
	"weir/ddlwatch"
	"weir/proxy"
	"weir/replicator"
)

// Config is the configuration file. Its names are a contract with the people who run Weir.
type Config struct {
	// Listen is where clients connect, in the MySQL protocol.
	Listen string `yaml:"listen"`
	// Admin is where metrics and health are served, over HTTP.
	Admin string `yaml:"admin"`
	// Source is the server whose binlog is read.
	Source Source `yaml:"source"`
	// Backends answer reads; the source, if there are none.
	Backends []Backend `yaml:"backends"`
	// TLS is for clients.
	TLS TLS `yaml:"tls"`
	// Users are the accounts that clients log in with; those of the servers, if there are none.
	Users          []User   `yaml:"users"`
	Writes         string   `yaml:"writes"`
	Routing        string   `yaml:"routing"`
	MaxLag         Duration `yaml:"max_lag"`
	MaxStaleness   Duration `yaml:"max_staleness"`
	MaxConnections Count    `yaml:"max_connections"`
	// WaitTimeout is how long a client may be idle.
	WaitTimeout Duration `yaml:"wait_timeout"`
	// MaxPacket is what a command must be smaller than; the source's max_allowed_packet if it is 0.
	MaxPacket Size  `yaml:"max_packet"`
	Cache     Cache `yaml:"cache"`
	// ShowLiterals shows the last text of each statement with its literals.
	ShowLiterals bool `yaml:"show_literals"`
	// Stream says where the source's changes come from: its binlog, or a relay's stream in Redis.
	Stream string `yaml:"stream"`
	// Redis is a second tier, shared with other Weirs.
	Redis Redis `yaml:"redis"`
	DDL   DDL   `yaml:"ddl"`
}

// Source is the section of that name.
type Source struct {
	Addr string `yaml:"addr"`
	// Addrs, in place of Addr, are servers that may be the source: the one that takes writes is.
	Addrs        []string `yaml:"addrs"`
	User         string   `yaml:"user"`
	Password     Secret   `yaml:"password"`
	PasswordFile string   `yaml:"password_file"`
	ServerID     ServerID `yaml:"server_id"`
	// TLS is for all connections to the source, and to backends that have no section of their own.
	TLS ServerTLS `yaml:"tls"`
}

// Backend is an item of the list of that name. Weir asks it what it has applied, with the source's account.
type Backend struct {
	Addr string `yaml:"addr"`
	// TLS is that of the source, if there is none.
	TLS *ServerTLS `yaml:"tls"`
}

// User is an item of the list of that name.
type User struct {
	Name         string `yaml:"name"`
	Password     Secret `yaml:"password"`
	PasswordFile string `yaml:"password_file"`
}

// Cache is the section of that name.
type Cache struct {
	Type string `yaml:"query_cache_type"`
	// Transactions says whether reads inside read-only transactions may be answered from the cache.
	Transactions string `yaml:"transactions"`
	// Precision says how finely results depend on tables.
	Precision string `yaml:"precision"`
	Size      Size   `yaml:"query_cache_size"`
	Limit     Size   `yaml:"query_cache_limit"`
	// MaxAge bounds what changes can do that are not in the binlog.
	MaxAge Duration `yaml:"max_age"`
	// History is for how many tags the ledger remembers exactly when they changed.
	History Count `yaml:"history"`
}

// DDL is the section of that name: what is done around schema changes.
type DDL struct {
	// Reads is how many reads of a table may be at servers while it is being changed, and when a refill begins.
	Reads Count `yaml:"reads"`
	// MaxWait is how long a read waits for its turn in a refill.
	MaxWait Duration `yaml:"max_wait"`
	// Refill is how many statements Weir itself reads again after a change.
	Refill Count `yaml:"refill"`
}

// Default returns the configuration of an empty file.
func Default() Config {
	p, c, r, d := proxy.DefaultConfig(), cache.DefaultConfig(), replicator.DefaultConfig(), ddlwatch.DefaultConfig()
	return Config{
		Listen: p.Listen, Admin: "127.0.0.1:9307",
		Source:  Source{ServerID: ServerID(r.ServerID), TLS: ServerTLS{Mode: tlsPreferred}},
		TLS:     TLS{Mode: tlsOptional},
		Routing: string(p.Routing), MaxLag: Duration(p.MaxLag),
		Writes: string(p.Writes), MaxStaleness: Duration(p.MaxStaleness), MaxConnections: Count(p.MaxConnections),
		WaitTimeout: Duration(p.WaitTimeout), MaxPacket: Size(p.MaxPacket),
		Cache:  Cache{Type: string(p.CacheType), Transactions: string(p.Transactions), Precision: string(p.Precision), Size: Size(c.Size), Limit: Size(c.Limit), MaxAge: Duration(c.MaxAge), History: Count(c.History)},
		Stream: streamBinlog, Redis: defaultRedis(),
		DDL: DDL{Reads: Count(d.Pace.Limit), MaxWait: Duration(d.Pace.Wait), Refill: Count(d.Refill)},
	}
}

// SetSource takes the short form of the command line, user:password@host:port.
func (c *Config) SetSource(short string) error {
	at := strings.LastIndexByte(short, '@')
	if at < 0 {
		return fmt.Errorf("--source %q is not user:password@host:port", hidePassword(short))
	}
	user, password, _ := strings.Cut(short[:at], ":")
	if user == "" {
		return errors.New("--source has no user; it must be user:password@host:port")
	}
	c.Source.User, c.Source.Password, c.Source.Addr = user, Secret(password), short[at+1:]
	if c.Source.Addr != "" && c.Source.Addr[0] != '/' {
		if _, _, err := net.SplitHostPort(c.Source.Addr); err != nil {
			c.Source.Addr = net.JoinHostPort(c.Source.Addr, "3306")
		}
	}
	return nil
}

func hidePassword(short string) string {
	user, _, _ := strings.Cut(short, ":")
	return user + ":..."
}

// complete reads password files, and fills in what follows from something else.
func (c *Config) complete() error {
	if err := readPassword("source", &c.Source.Password, &c.Source.PasswordFile); err != nil {
		return err
	}
	if err := readPassword("redis", &c.Redis.Password, &c.Redis.PasswordFile); err != nil {
		return err
	}
	for i := range c.Users {
		u := &c.Users[i]
		if err := readPassword(fmt.Sprintf("users[%d]", i), &u.Password, &u.PasswordFile); err != nil {
			return err
		}
	}
	if len(c.Source.Addrs) == 1 {
		c.Source.Addr, c.Source.Addrs = c.Source.Addrs[0], nil
	}
	if len(c.Backends) == 0 && len(c.Source.Addrs) == 0 {
		c.Backends = []Backend{{Addr: c.Source.Addr}}
	}
	return nil
}

// readPassword takes the password out of the file, and then forgets the file: a configuration is completed by whoever
// reads it and again by whoever runs it.
func readPassword(section string, into *Secret, file *string) error {
	if *file == "" {
		return nil
	}
	if *into != "" {
		return fmt.Errorf("%s.password_file and %s.password are both given; leave one out", section, section)
	}
	b, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("%s.password_file: %w", section, err)
	}
	*into, *file = Secret(strings.TrimRight(string(b), "\r\n")), ""
	return nil
}

// Validate completes c and reports the first thing that is wrong with it.
func (c *Config) Validate() error {
	if c.Source.Addr != "" && len(c.Source.Addrs) > 0 {
		return errors.New("source.addr and source.addrs are both given; leave one out")
	}
	if err := c.complete(); err != nil {
		return err
	}
	if c.Listen == "" {
		return errors.New("listen is empty; give the host:port where clients connect")
	}
	if err := c.validateTLS(); err != nil {
		return err
	}
	if err := c.replicator().Validate(); err != nil {
		return err
	}
	if err := c.cache().Validate(); err != nil {
		return err
	}
	if err := c.validateRedis(); err != nil {
		return err
	}
	if err := c.validateStream(); err != nil {
		return err
	}
	if err := c.DDL.validate(); err != nil {
		return err
	}
	if err := c.validateAdmin(); err != nil {
		return err
	}
	return c.proxy().Validate()
}

// validateAdmin: the port shows everything and asks for no password.
func (c *Config) validateAdmin() error {
	host, _, err := net.SplitHostPort(c.Admin)
	if err != nil {
		return fmt.Errorf("admin %q is not host:port", c.Admin)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("admin %q is not a loopback address; the admin port has no password, so it must not be reachable from other machines", c.Admin)
	}
	return nil
}

func (c *Config) replicator() replicator.Config {
	return replicator.Config{
		Addr: c.Source.Addr, Addrs: c.Source.Addrs, User: c.Source.User, Password: string(c.Source.Password),
		ServerID: uint32(c.Source.ServerID), MaxStaleness: time.Duration(c.MaxStaleness),
	}
}

func (c *Config) cache() cache.Config {
	return cache.Config{Size: int64(c.Cache.Size), Limit: int64(c.Cache.Limit), MaxAge: time.Duration(c.Cache.MaxAge), History: int(c.Cache.History)}
}

func (c *Config) proxy() proxy.Config {
	p := proxy.DefaultConfig()
	p.Listen, p.Source, p.Sources = c.Listen, c.Source.Addr, c.Source.Addrs
	p.Writes, p.CacheType = proxy.Writes(c.Writes), proxy.CacheType(strings.ToUpper(c.Cache.Type))
	p.ShowLiterals = c.ShowLiterals
	p.RequireTLS = c.TLS.Mode == tlsRequired
	p.Precision = proxy.Precision(strings.ToLower(c.Cache.Precision))
	p.Transactions = proxy.Transactions(strings.ToLower(c.Cache.Transactions))
	p.Routing, p.MaxLag = proxy.Routing(c.Routing), time.Duration(c.MaxLag)
	p.MaxStaleness, p.MaxConnections = time.Duration(c.MaxStaleness), int(c.MaxConnections)
	p.WaitTimeout, p.MaxPacket = time.Duration(c.WaitTimeout), int(c.MaxPacket)
	for _, b := range c.Backends {
		p.Backends = append(p.Backends, b.Addr)
	}
	for _, u := range c.Users {
		p.Users = append(p.Users, proxy.User{Name: u.Name, Password: string(u.Password)})
	}
	return p
}
