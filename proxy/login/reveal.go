package login

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"weir/proxy/wire"
)

// ErrCannotReveal says that the client left when it was asked for its password, as clients do that have not the plugin.
var ErrCannotReveal = errors.New("the client left when it was asked for its password; it needs the plugin " +
	CachingSHA2Password + ", or TLS and " + clearPassword + ", or an account that is listed under users")

// errOnlyNative is for a client that cannot be asked for its password.
var errOnlyNative = wire.Errorf(wire.CodeNotSupportedAuth, "Client does not support authentication protocol requested by "+
	"server; consider upgrading MySQL client. Weir has to learn the password: use a client with %s, or list the account "+
	"under users in Weir's configuration", CachingSHA2Password)

// learn finds out which password the client knows: one that is remembered, if the proof is made with it, otherwise the
// one that the client reveals when it is asked. Whether that is the account's, the caller has to find out.
func (s *Session) learn(plugin string, auth []byte) error {
	if plugin == clearPassword {
		return s.revealed(passwordInClear(auth))
	}
	auth = withoutZero(auth)
	if len(auth) == 0 {
		return s.revealed("", true)
	}
	for _, password := range s.opts.Remembered(s.User) {
		if subtle.ConstantTimeCompare(auth, proof(plugin, s.scramble, password)) == 1 {
			s.Password, s.Revealed, s.fast = password, false, plugin == CachingSHA2Password
			return nil
		}
	}
	if plugin != CachingSHA2Password {
		return s.deny(errOnlyNative)
	}
	if password, ok := s.clearAtOnce(plugin, auth); ok {
		return s.revealed(password, true)
	}
	return s.ask()
}

// clearAtOnce recognises a password where a proof is expected: over TLS, some versions of MariaDB's client library do not
// wait until they are asked for it.
func (s *Session) clearAtOnce(plugin string, auth []byte) (string, bool) {
	if plugin != CachingSHA2Password || !s.secure || len(auth) == proofSize {
		return "", false
	}
	return passwordInClear(auth)
}

// ask is the full authentication of caching_sha2_password.
func (s *Session) ask() error {
	payload, err := s.peer.exchange(wire.AuthMoreData{cachingFull})
	if err != nil {
		return s.cannotReveal(err)
	}
	if len(payload) == 1 && payload[0] == cachingKeyRequest && s.opts.Key != nil {
		if payload, err = s.peer.exchange(wire.AuthMoreData(s.opts.Key.public)); err != nil {
			return s.cannotReveal(err)
		}
		return s.revealed(s.opts.Key.password(payload, s.scramble))
	}
	if s.secure {
		return s.revealed(passwordInClear(payload))
	}
	return s.revealed(s.opts.Key.password(payload, s.scramble)) // it has the key from an earlier login
}

// revealed notes the password, or denies the login if what was sent is none.
func (s *Session) revealed(password string, ok bool) error {
	if !ok {
		return s.deny(accessDenied(s.User, s.Host, true))
	}
	s.Password, s.Revealed, s.fast = password, true, false
	return nil
}

func (s *Session) cannotReveal(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", ErrCannotReveal, err)
	}
	return s.explain(err)
}

// reveals says with which plugin a client should go on that prefers the given one, so that its password can be learnt.
//
// A client that has mysql_native_password alone can be asked for mysql_clear_password, over TLS. It says the same as
// MariaDB's library, which begins with mysql_native_password always, and as MySQL's when it is told to; these have
// caching_sha2_password, and MySQL's sends no password in clear unless it is told to.
func (s *Session) reveals(preferred string) string {
	switch name := s.Attributes.Get("_client_name"); {
	case !s.secure:
		return CachingSHA2Password
	case preferred == clearPassword:
		return clearPassword
	case preferred == NativePassword && name != "libmariadb" && name != "libmysql":
		return clearPassword
	}
	return CachingSHA2Password
}
