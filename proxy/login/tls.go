package login

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"weir/proxy/wire"
)

// ServerTLS says how [Dial] uses TLS.
type ServerTLS struct {
	// Config has what to check, and what to show; nil for no TLS. It is not changed.
	Config *tls.Config
	// Optional goes on in plain text with a server that does not offer TLS.
	Optional bool
}

// errTLSRequired is what servers with require_secure_transport say.
var errTLSRequired = wire.Errorf(wire.CodeSecureTransport,
	"Connections using insecure transport are prohibited while --require_secure_transport=ON.")

// local reports whether a connection cannot be listened to, without TLS.
func local(conn net.Conn) bool {
	_, ok := conn.RemoteAddr().(*net.UnixAddr)
	return ok
}

// startTLS does what a client's SSLRequest asks for. What the client sends next is its handshake response, once more.
func (s *Session) startTLS() error {
	if s.opts.TLS == nil {
		return s.deny(wire.Errorf(wire.CodeBadHandshake,
			"Bad handshake: TLS was not offered; connect without TLS (ssl-mode=DISABLED)"))
	}
	under := &socket{Conn: s.peer.conn, rest: s.peer.reader.Detach(), patient: true}
	conn := tls.Server(under, s.opts.TLS)
	if err := conn.Handshake(); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	s.peer = s.peer.over(conn)
	s.Reader, s.secure = s.peer.reader, true
	return nil
}

// over goes on with another connection that lies over the first one, where the first one stopped.
func (p peer) over(conn net.Conn) peer {
	next := newPeer(conn)
	next.reader.Expect(p.reader.Sequence())
	return next
}

// startTLS asks the server for TLS if it should, and can, be used. Over a Unix socket it is not: nobody can listen
// there.
func (c *client) startTLS() error {
	want := c.opts.TLS
	switch {
	case want.Config == nil, c.secure:
		return nil
	case c.server.Capabilities.Has(wire.ClientSSL):
		return c.upgrade(want.Config)
	case want.Optional:
		return nil
	}
	return errNoTLS
}

var errNoTLS = errors.New("the server does not offer TLS: set it up there (ssl_cert, ssl_key), or do not require it")

func (c *client) upgrade(config *tls.Config) error {
	if len(c.reader.Detach()) > 0 {
		return fmt.Errorf("%w: server sent something before TLS began", wire.ErrMalformed)
	}
	c.tls = true
	request := wire.SSLRequest{Capabilities: c.capabilities(), MaxPacket: maxPacket, Collation: c.opts.Collation}
	if err := c.send(request); err != nil {
		return err
	}
	under := &socket{Conn: c.conn, patient: true}
	conn := tls.Client(under, config)
	if err := conn.Handshake(); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	c.peer = c.over(&secured{Conn: conn, socket: under})
	c.secure = true
	return nil
}
