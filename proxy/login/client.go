package login

import (
	"errors"
	"fmt"

	"weir/proxy/wire"
)

// maxTurns is more answers than any login takes: a switch, a request for the password, a key, and the result.
const maxTurns = 8

// maxPacket is the largest packet that Weir takes, in bytes: the most that either server can be set to.
const maxPacket = 1 << 30

// client is a login on a server, from the handshake to OK.
type client struct {
	peer
	opts   ClientOptions
	secure bool // nobody can listen
	tls    bool // the server is asked for TLS

	server   wire.Handshake
	sent     wire.Capability
	plugin   string // the one that the last answer was made with
	scramble []byte // what it was made for
	status   wire.Status
}

func (c *client) logIn() error {
	if err := c.readHandshake(); err != nil {
		return err
	}
	if err := c.startTLS(); err != nil {
		return err
	}
	payload, err := c.respond()
	for range maxTurns {
		if err != nil {
			return err
		}
		if len(payload) > 0 && payload[0] == wire.HeaderOK {
			return c.finish(payload)
		}
		payload, err = c.turn(payload)
	}
	return errors.Join(err, fmt.Errorf("server is not satisfied after %d answers", maxTurns))
}

// readHandshake reads the server's first packet, which may be a refusal.
func (c *client) readHandshake() error {
	payload, err := c.receive()
	if err != nil {
		return fmt.Errorf("read handshake: %w", err)
	}
	if wire.IsError(payload) {
		return serverError(payload)
	}
	if c.server, err = wire.DecodeHandshake(payload); err != nil {
		return err
	}
	if !c.server.Capabilities.Has(required) {
		return fmt.Errorf("server %s does not speak the protocol since MySQL 4.1", c.server.Version)
	}
	if missing := c.opts.Capabilities & wire.ClientExtendedMetadata &^ c.server.Capabilities; missing != 0 {
		return fmt.Errorf("server %s has no extended metadata, which the client was promised: MariaDB has it since 10.5", c.server.Version)
	}
	return nil
}

// respond sends the handshake response and returns the answer.
func (c *client) respond() ([]byte, error) {
	c.sent = c.capabilities()
	c.plugin, c.scramble = c.firstPlugin(), c.server.Scramble
	auth, err := c.proof()
	if err != nil {
		return nil, err
	}
	return c.exchange(wire.HandshakeResponse{
		Capabilities: c.sent,
		MaxPacket:    maxPacket,
		Collation:    c.opts.Collation,
		User:         c.opts.User,
		Auth:         auth,
		Database:     c.opts.Database,
		Plugin:       c.plugin,
		Attributes:   c.opts.Attributes,
	})
}

// capabilities are those to ask for: never one that the server does not have, as some close the connection then.
func (c *client) capabilities() wire.Capability {
	want := basic | c.opts.Capabilities&^(wire.ClientConnectWithDB|wire.ClientConnectAttrs)
	if c.opts.Database != "" {
		want |= wire.ClientConnectWithDB
	}
	if len(c.opts.Attributes) > 0 {
		want |= wire.ClientConnectAttrs
	}
	if c.tls {
		want |= wire.ClientSSL
	}
	// MariaDB leaves bit 0 out of its handshake to show its extended capabilities. That Weir sets it says that it
	// does not use them.
	if want.Has(wire.ClientExtendedMetadata) {
		want &^= wire.ClientMySQL
	}
	return want & (c.server.Capabilities | wire.ClientMySQL)
}

// turn answers one message of the server that is not OK, and returns the next.
func (c *client) turn(payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		return nil, fmt.Errorf("%w: server sent an empty packet during the login", wire.ErrMalformed)
	}
	switch payload[0] {
	case wire.HeaderErr:
		return nil, serverError(payload)
	case wire.HeaderAuthSwitch:
		return c.switchPlugin(payload)
	case wire.HeaderAuthMore:
		return c.moreData(payload)
	case wire.HeaderAuthNextFactor:
		return nil, errors.New("account needs a second factor: use one that logs in with a password alone")
	}
	return nil, fmt.Errorf("%w: server sent 0x%02x during the login", wire.ErrMalformed, payload[0])
}

// finish takes the OK packet.
func (c *client) finish(payload []byte) error {
	ok, err := wire.DecodeOK(payload)
	c.status = ok.Status
	return err
}

func (c *client) backend() *Backend {
	return &Backend{
		Conn:         c.conn,
		Reader:       c.reader,
		Version:      versionOf(c.server.Version),
		Flavor:       flavorOf(c.server.Version),
		ConnectionID: c.server.ConnectionID,
		Capabilities: c.sent &^ wire.ClientSSL,
		Status:       c.status,
	}
}

// serverError makes an error of an ERR packet.
func serverError(payload []byte) error {
	e, err := wire.DecodeError(payload)
	if err != nil {
		return err
	}
	return e
}
