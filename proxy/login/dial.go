package login

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"weir/proxy/wire"
)

// ClientOptions say where and as whom [Dial] logs in.
type ClientOptions struct {
	// Addr is host:port, or the path of a Unix socket, which starts with a slash.
	Addr           string
	User, Password string
	// Database is the default database; may be empty.
	Database string
	// Collation is the low byte of the id of the connection's collation. For one above 255, SET NAMES follows the
	// login. A server that does not know the id takes its default, without an error. Default 45,
	// utf8mb4_general_ci.
	Collation uint8
	// Capabilities are those to ask for in addition to the ones that every login needs. They have to be among
	// [Offered]: a client's, as they change what statements mean.
	Capabilities wire.Capability
	// Attributes can be seen in the server's performance_schema.session_connect_attrs.
	Attributes wire.Attributes
	// TLS is not used over a Unix socket.
	TLS ServerTLS
	// AllowCleartext allows mysql_clear_password without TLS, where the server sees the password, and so does everybody
	// on the way: for accounts with PAM or LDAP.
	AllowCleartext bool
	// Timeout is how long connecting and logging in may take together. Default 10 s.
	Timeout time.Duration
}

func (o ClientOptions) withDefaults() ClientOptions {
	if o.Collation == 0 {
		o.Collation = 45
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return o
}

// validate finds what would not survive the way to the server.
func (o ClientOptions) validate() error {
	if extra := o.Capabilities &^ (Offered | offeredAsMariaDB); extra != 0 {
		return fmt.Errorf("capability flags %#x change the format of what is sent: leave them out", uint64(extra))
	}
	if strings.IndexByte(o.User, 0) >= 0 || strings.IndexByte(o.Database, 0) >= 0 {
		return fmt.Errorf("user %q or database %q contains a zero byte: no server has such a name", o.User, o.Database)
	}
	return nil
}

func (o ClientOptions) network() string {
	if strings.HasPrefix(o.Addr, "/") {
		return "unix"
	}
	return "tcp"
}

// Backend is a connection to a server that somebody has logged in on.
type Backend struct {
	// Conn is for writing commands, deadlines and closing. Reading goes through Reader.
	Conn net.Conn
	// Reader reads the server's responses; call its Expect(1) before each.
	Reader *wire.Reader
	// Version is the server's version without the "5.5.5-" that MariaDB up to 10.x puts before it.
	Version string
	Flavor  Flavor
	// ConnectionID is what KILL wants.
	ConnectionID uint32
	// Capabilities are those that both sides have.
	Capabilities wire.Capability
	// Status are the flags that the session starts with.
	Status wire.Status
}

// Dial connects and logs in. A server's refusal is a [wire.Error], such as 1045 for a wrong password, 1040 for too
// many connections or 1049 for an unknown database. The context is for the login only.
func Dial(ctx context.Context, opts ClientOptions) (*Backend, error) {
	opts = opts.withDefaults()
	b, err := dial(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("log in to %s as %s: %w", opts.Addr, opts.User, err)
	}
	return b, nil
}

func dial(ctx context.Context, opts ClientOptions) (*Backend, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, opts.Timeout, ErrTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, opts.network(), opts.Addr)
	if err != nil {
		return nil, because(ctx, err)
	}
	return logIn(ctx, conn, opts)
}

// logIn logs in on a connection, which it closes if that fails.
func logIn(ctx context.Context, conn net.Conn, opts ClientOptions) (*Backend, error) {
	c := &client{peer: newPeer(conn), opts: opts, secure: opts.network() == "unix"}
	if err := guarded(ctx, conn, opts.Timeout, c.logIn); err != nil {
		_ = conn.Close() // the error that matters is the first
		return nil, err
	}
	return c.backend(), nil
}
