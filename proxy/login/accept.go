package login

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"weir/proxy/wire"
)

// ServerOptions say what [Accept] tells a client and whom it lets in.
type ServerOptions struct {
	// Version is the server version that clients see. Drivers and ORMs choose SQL by it, so it should be that of
	// the backends; MariaDB's contains "MariaDB".
	Version      string
	ConnectionID uint32
	// Collation is the low byte of the id of the default collation, which should be that of the backends: some
	// drivers choose their own by it. Default 45, utf8mb4_general_ci, which both servers know.
	Collation uint8
	// Plugin is the authentication plugin that is offered first: NativePassword or CachingSHA2Password, the
	// default. A client that answers with the other one is switched to that.
	Plugin string
	// Password returns a user's password in clear; not ok if there is no such user. It is called once a login, and
	// must take the same time whether there is one or not. Required, unless Remembered is there.
	Password func(user string) (password string, ok bool)
	// Remembered, in place of Password, is for accounts that somebody else knows. It returns passwords with which a
	// user may have logged in before. A client that knows one of them is let in by its proof, every other one is asked
	// for its password, over TLS, over a Unix socket or by Key. [Session.Password] is what it knows: the caller has to
	// find out whether that is the account's. CachingSHA2Password is what is offered then.
	Remembered func(user string) []string
	// Key is for clients without TLS; without it they cannot be asked for their passwords.
	Key *KeyPair
	// TLS is what clients may use; nil for no TLS.
	TLS *tls.Config
	// RequireTLS turns away whoever uses neither TLS nor a Unix socket, with error 3159.
	RequireTLS bool
	// Timeout is how long the whole login may take. Default 10 s, that of the servers' connect_timeout.
	Timeout time.Duration
}

func (o ServerOptions) withDefaults() ServerOptions {
	if o.Collation == 0 {
		o.Collation = 45
	}
	if o.Plugin == "" || o.Remembered != nil {
		o.Plugin = CachingSHA2Password
	}
	return o
}

// Accept logs a client in. The caller has to answer it with [Session.Welcome] or [Session.Refuse] next.
//
// On an error the client has been told, where there was something to tell, and the caller closes the connection,
// which Accept never does. The error is a [wire.Error] with code 1045 for a user that is unknown or has another
// password, and io.EOF for a client that only looked whether the port is open; others are those of the connection, of
// [wire.Reader] and the decoders, and [ErrTimeout].
func Accept(ctx context.Context, conn net.Conn, opts ServerOptions) (*Session, error) {
	s := newSession(conn, opts.withDefaults())
	if !accepted(s.opts.Plugin) {
		return nil, fmt.Errorf("accept login: plugin %q cannot be offered: choose %s or %s",
			opts.Plugin, CachingSHA2Password, NativePassword)
	}
	if err := guarded(ctx, conn, opts.Timeout, s.accept); err != nil {
		return nil, fmt.Errorf("accept login from %s: %w", s.Host, err)
	}
	return s, nil
}

// accept is the login up to the answer.
func (s *Session) accept() error {
	payload, err := s.peer.exchange(s.handshake())
	if err != nil {
		return s.explain(err)
	}
	if wire.IsSSLRequest(payload) {
		if err := s.startTLS(); err != nil {
			return err
		}
		if payload, err = s.peer.receive(); err != nil {
			return s.explain(err)
		}
	}
	response, err := wire.DecodeHandshakeResponse(payload)
	switch {
	case err != nil:
		return s.explain(err)
	case s.opts.RequireTLS && !s.secure:
		return s.deny(errTLSRequired)
	}
	return s.take(response)
}

func (s *Session) handshake() wire.Handshake {
	s.scramble = newScramble()
	capabilities := offered(s.opts.Version)
	if s.opts.TLS != nil {
		capabilities |= wire.ClientSSL
	}
	return wire.Handshake{
		Version:      s.opts.Version,
		ConnectionID: s.opts.ConnectionID,
		Scramble:     s.scramble,
		Capabilities: capabilities,
		Collation:    s.opts.Collation,
		Status:       wire.StatusAutocommit,
		Plugin:       s.opts.Plugin,
	}
}

// take notes the facts of the response and checks its proof.
func (s *Session) take(r wire.HandshakeResponse) error {
	if !r.Capabilities.Has(required) {
		return s.explain(wire.ErrOldProtocol)
	}
	s.User, s.Database, s.Attributes = r.User, r.Database, r.Attributes
	s.Collation, s.MaxPacket = uint16(r.Collation), r.MaxPacket
	s.Capabilities = r.Capabilities & (offered(s.opts.Version) | wire.ClientMySQL)
	if !s.Capabilities.Has(wire.ClientPluginAuth) {
		return s.verify(NativePassword, r.Auth)
	}
	if r.Plugin == s.opts.Plugin {
		return s.verify(r.Plugin, r.Auth)
	}
	return s.switchPlugin(r.Plugin)
}

// explain tells the client what is wrong with what it sent, if the error is about that, and returns the error.
func (s *Session) explain(err error) error {
	var told *wire.Error
	var sequence *wire.SequenceError
	switch {
	case errors.Is(err, wire.ErrOldProtocol):
		// Such a client does not look for an SQLSTATE.
		return errors.Join(err, s.peer.send(wire.Payload(wire.Errorf(wire.CodeBadHandshake,
			"Bad handshake: this client speaks the protocol from before MySQL 4.1; use a newer one").AppendBare(nil))))
	case errors.Is(err, wire.ErrPacketTooLarge):
		told = wire.Errorf(wire.CodePacketTooLarge, "Got a packet bigger than %d bytes before the login", packetLimit)
	case errors.As(err, &sequence):
		told = wire.Errorf(wire.CodePacketsOutOfOrder, "Got packets out of order: this is a MySQL port")
	case errors.Is(err, wire.ErrMalformed):
		told = wire.Errorf(wire.CodeBadHandshake, "Bad handshake: %v", err)
	default:
		return err
	}
	return errors.Join(err, s.peer.send(told))
}

// deny sends an error and returns it.
func (s *Session) deny(e *wire.Error) error { return errors.Join(e, s.peer.send(e)) }
