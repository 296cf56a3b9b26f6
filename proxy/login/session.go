package login

import (
	"context"
	"fmt"
	"net"

	"weir/proxy/wire"
)

// Session is a client that has logged in, and what it said when it did.
type Session struct {
	// User has been authenticated. Database is what it wants to use, possibly nothing, and not checked.
	User, Database string
	// Password is what the client has proved to know. Revealed says that it has sent it: none was remembered that fits.
	Password string
	Revealed bool
	// Host is where the client is: an IP address, or localhost over a Unix socket.
	Host string
	// Collation is the id of the collation that the client asks for; not checked. The handshake has room for the
	// low byte only.
	Collation uint16
	// Capabilities are those that both sides have.
	Capabilities wire.Capability
	Attributes   wire.Attributes
	// MaxPacket is the largest packet that the client says it can take, in bytes; 0 if it does not say.
	MaxPacket uint32

	// Reader reads the client's commands. After Welcome it expects the first one.
	Reader *wire.Reader

	peer     peer
	opts     ServerOptions
	scramble []byte // of the proof that comes next
	secure   bool   // nobody can listen
	fast     bool   // the client waits to hear that its proof is right, before OK
}

func newSession(conn net.Conn, opts ServerOptions) *Session {
	p := newPeer(conn)
	return &Session{Host: hostOf(conn), Reader: p.reader, peer: p, opts: opts, secure: local(conn)}
}

// Conn is the connection for everything that is not read: the one that was accepted, or TLS over it.
func (s *Session) Conn() net.Conn { return s.peer.conn }

// Denied is what a client is told whose user, or whose password, the server does not accept: error 1045 in the servers'
// words, with the place where the client is.
func (s *Session) Denied() *wire.Error { return accessDenied(s.User, s.Host, s.Password != "") }

// hostOf gives the name that servers would, without looking anything up.
func hostOf(conn net.Conn) string {
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return a.IP.String()
	}
	return "localhost"
}

// Welcome ends the login, or the change of user, with success. The status flags are those that the session starts
// with.
func (s *Session) Welcome(status wire.Status) error {
	err := s.answer(wire.OK{Status: status})
	s.Reader.Expect(0)
	if err != nil {
		return fmt.Errorf("welcome %s: %w", s.User, err)
	}
	return nil
}

func (s *Session) answer(ok wire.OK) error {
	if s.fast {
		return s.peer.send(wire.AuthMoreData{cachingFast}, ok)
	}
	return s.peer.send(ok)
}

// Refuse ends the login, or the change of user, with an error. The caller closes the connection after it.
func (s *Session) Refuse(e *wire.Error) error {
	if err := s.peer.send(e); err != nil {
		return fmt.Errorf("refuse %s: %w", s.User, err)
	}
	return nil
}

// ChangeUser does the login that COM_CHANGE_USER asks for, whose payload the Reader has just returned. On success User,
// Database, Collation and Attributes are the new ones, and the caller has to answer as after [Accept]. After an error
// the caller closes the connection, as servers do.
//
// A client with plugins is always sent a new scramble: its first proof is for the old one, so that somebody who has
// listened to an earlier one could repeat it.
func (s *Session) ChangeUser(ctx context.Context, payload []byte) error {
	err := guarded(ctx, s.peer.conn, s.opts.Timeout, func() error { return s.changeUser(payload) })
	if err != nil {
		return fmt.Errorf("change user from %s: %w", s.Host, err)
	}
	return nil
}

func (s *Session) changeUser(payload []byte) error {
	m, err := wire.DecodeChangeUser(payload, s.Capabilities)
	if err != nil {
		return s.explain(err)
	}
	s.User, s.Database, s.Attributes, s.Collation = m.User, m.Database, m.Attributes, m.Collation
	if s.Collation == 0 {
		s.Collation = uint16(s.opts.Collation)
	}
	if !s.Capabilities.Has(wire.ClientPluginAuth) {
		return s.verify(NativePassword, m.Auth)
	}
	return s.switchPlugin(m.Plugin)
}
