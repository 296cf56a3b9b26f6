package login

import (
	"crypto/subtle"

	"weir/proxy/wire"
)

// switchPlugin asks for a proof with the plugin that the client prefers if Accept can verify it, otherwise with the
// one that is offered first.
//
// A client that answers a handshake with another plugin than the handshake's may have had no use for the scramble and
// sent nothing yet, so whatever it sent is not looked at.
func (s *Session) switchPlugin(preferred string) error {
	if s.opts.Remembered != nil {
		preferred = s.reveals(preferred)
	} else if !accepted(preferred) {
		preferred = s.opts.Plugin
	}
	s.scramble = newScramble()
	auth, err := s.peer.exchange(wire.AuthSwitchRequest{Plugin: preferred, Data: withZero(s.scramble)})
	if err != nil && s.opts.Remembered != nil {
		return s.cannotReveal(err)
	}
	if err != nil {
		return s.explain(err)
	}
	return s.verify(preferred, auth)
}

// withZero returns a copy with a zero byte at its end.
func withZero[S ~string | ~[]byte](s S) []byte {
	return append(append(make([]byte, 0, len(s)+1), s...), 0)
}

// verify lets the user in or sends error 1045. All users that are not let in take the same steps.
func (s *Session) verify(plugin string, auth []byte) error {
	if s.opts.Remembered != nil {
		return s.learn(plugin, auth)
	}
	auth = withoutZero(auth)
	if !s.proved(plugin, auth) {
		return s.deny(accessDenied(s.User, s.Host, len(auth) > 0))
	}
	_, inClear := s.clearAtOnce(plugin, auth)
	s.fast = plugin == CachingSHA2Password && len(auth) > 0 && !inClear
	return nil
}

// withoutZero makes the zero byte that some clients send for an empty password nothing.
func withoutZero(auth []byte) []byte {
	if len(auth) == 1 && auth[0] == 0 {
		return nil
	}
	return auth
}

// proved compares the proof with the one that the user's password would give. For an unknown user it compares with
// that of a password that nobody has.
func (s *Session) proved(plugin string, auth []byte) bool {
	password, known := s.opts.Password(s.User)
	if !known {
		password = "no such user"
	}
	want := proof(plugin, s.scramble, password)
	if _, inClear := s.clearAtOnce(plugin, auth); inClear {
		want = withZero(password)
	}
	equal := subtle.ConstantTimeCompare(auth, want)
	s.Password = password
	return equal == 1 && known
}

// accessDenied is error 1045 in the servers' words.
func accessDenied(user, host string, withPassword bool) *wire.Error {
	using := "NO"
	if withPassword {
		using = "YES"
	}
	return wire.Errorf(wire.CodeAccessDenied, "Access denied for user '%.48s'@'%s' (using password: %s)", user, host, using)
}
