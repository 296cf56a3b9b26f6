package login

import (
	"errors"
	"fmt"

	"github.com/go-mysql-org/go-mysql/mysql"

	"weir/proxy/wire"
)

// firstPlugin is what to answer the handshake with: the server's plugin, unless that takes more than the handshake
// has, or may not be used before the account is known to need it. The server asks for the account's own then.
func (c *client) firstPlugin() string {
	switch p := c.server.Plugin; p {
	case CachingSHA2Password, sha256Password:
		return p
	}
	return NativePassword
}

// switchPlugin answers the server's request for another plugin.
func (c *client) switchPlugin(payload []byte) ([]byte, error) {
	if len(payload) == 1 {
		return nil, errors.New("account has a password from before MySQL 4.1: set it again on the server")
	}
	m, err := wire.DecodeAuthSwitchRequest(payload)
	if err != nil {
		return nil, err
	}
	c.plugin, c.scramble = m.Plugin, m.Data
	auth, err := c.proof()
	if err != nil {
		return nil, err
	}
	return c.exchange(wire.Payload(auth))
}

// proof is the answer to a scramble, or what a plugin starts with.
func (c *client) proof() ([]byte, error) {
	switch c.plugin {
	case NativePassword, CachingSHA2Password:
		scramble, err := c.random(scrambleSize)
		return proof(c.plugin, scramble, c.opts.Password), err
	case sha256Password:
		return c.sha256Start(), nil
	case ed25519Password:
		return c.ed25519()
	case clearPassword:
		return c.clear()
	}
	return nil, fmt.Errorf("account uses plugin %s, which Weir does not have: give it a password with %s",
		c.plugin, CachingSHA2Password)
}

// random returns the first n bytes of the scramble, which servers end with a zero of its own.
func (c *client) random(n int) ([]byte, error) {
	if len(c.scramble) < n {
		return nil, fmt.Errorf("%w: %d bytes are too few for a scramble of %s", wire.ErrMalformed, len(c.scramble), c.plugin)
	}
	return c.scramble[:n], nil
}

// ed25519 signs the scramble. An empty password signs, too.
func (c *client) ed25519() ([]byte, error) {
	scramble, err := c.random(ed25519Size)
	if err != nil {
		return nil, err
	}
	return mysql.CalcEd25519Password(scramble, c.opts.Password)
}

func (c *client) clear() ([]byte, error) {
	if !c.opts.AllowCleartext && !c.tls {
		return nil, errors.New("account needs its password in clear: use TLS towards the server")
	}
	return withZero(c.opts.Password), nil
}

// sha256Start sends an empty password, or asks for the key to encrypt the password with. This plugin's server side
// takes a Unix socket for a line that somebody may listen on: MySQL 9.7 refuses a password in clear there. Over TLS it
// wants the password in clear.
func (c *client) sha256Start() []byte {
	if c.tls {
		return withZero(c.opts.Password)
	}
	if c.opts.Password == "" {
		return []byte{0}
	}
	return []byte{sha256KeyRequest}
}

// moreData goes on with the plugin's own protocol.
func (c *client) moreData(payload []byte) ([]byte, error) {
	data, err := wire.DecodeAuthMoreData(payload)
	if err != nil {
		return nil, err
	}
	switch {
	case c.plugin == sha256Password:
		return c.sendEncrypted(data)
	case c.plugin == CachingSHA2Password && len(data) == 1 && data[0] == cachingFast:
		return c.receive()
	case c.plugin == CachingSHA2Password && len(data) == 1 && data[0] == cachingFull:
		return c.sendPassword()
	}
	return nil, fmt.Errorf("%w: server sent data that plugin %s does not expect", wire.ErrMalformed, c.plugin)
}

// sendPassword is the full authentication of caching_sha2_password, for an account that the server has not in its
// cache.
func (c *client) sendPassword() ([]byte, error) {
	if c.secure {
		return c.exchange(wire.Payload(withZero(c.opts.Password)))
	}
	payload, err := c.exchange(wire.Payload{cachingKeyRequest})
	if err != nil {
		return nil, err
	}
	if wire.IsError(payload) {
		return nil, serverError(payload)
	}
	key, err := wire.DecodeAuthMoreData(payload)
	if err != nil {
		return nil, err
	}
	return c.sendEncrypted(key)
}

// sendEncrypted sends the password so that only the server with that key can read it. Who can change what is sent can
// put in a key of his own; TLS is the remedy.
func (c *client) sendEncrypted(key []byte) ([]byte, error) {
	public, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	scramble, err := c.random(scrambleSize)
	if err != nil {
		return nil, err
	}
	encrypted, err := mysql.EncryptPassword(c.opts.Password, scramble, public)
	if err != nil {
		return nil, fmt.Errorf("encrypt password: %w", err)
	}
	return c.exchange(wire.Payload(encrypted))
}
