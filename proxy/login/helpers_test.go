package login

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"

	"weir/proxy/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// users is the lookup of the tests' servers.
func users(user string) (string, bool) {
	password, ok := map[string]string{"app": "secret", "open": "", "long": longPassword}[user]
	return password, ok
}

const longPassword = "a password that is longer than any scramble, by quite some bytes, to be sure of it"

// server are the options that most tests start from.
func server() ServerOptions {
	return ServerOptions{Version: "8.4.0-test", ConnectionID: 7, Password: users}
}

// pipe returns the two ends of a connection that are closed with the test.
func pipe(t testing.TB) (a, b net.Conn) {
	t.Helper()
	a, b = net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// loopback returns the two ends of a TCP connection. Over TLS the two sides write at the same time, for which a pipe has
// no room.
func loopback(t testing.TB) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if a, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// accepting runs Accept, and answer on its session, until the returned function has waited for it.
func accepting(ctx context.Context, conn net.Conn, o ServerOptions, answer func(*Session) error) (wait func() (*Session, error)) {
	var s *Session
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		if s, err = Accept(ctx, conn, o); err == nil {
			err = answer(s)
		}
	}()
	return func() (*Session, error) { <-done; return s, err }
}

func welcome(s *Session) error { return s.Welcome(wire.StatusAutocommit) }

// script plays the other side of a login, packet by packet.
type script struct {
	t *testing.T
	peer
}

func newScript(t *testing.T, conn net.Conn) *script { return &script{t: t, peer: newPeer(conn)} }

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// write sends a message.
func (s *script) write(m wire.Message) {
	s.t.Helper()
	s.must(s.send(m))
}

// read returns a message of the other side, which stays valid.
func (s *script) read() wire.Payload {
	s.t.Helper()
	p, err := s.receive()
	s.must(err)
	return append(wire.Payload{}, p...)
}

// readHandshake reads what a client reads first.
func (s *script) readHandshake() wire.Handshake {
	s.t.Helper()
	h, err := wire.DecodeHandshake(s.read())
	s.must(err)
	return h
}

// readError reads an ERR packet.
func (s *script) readError() *wire.Error {
	s.t.Helper()
	e, err := wire.DecodeError(s.read())
	s.must(err)
	return e
}

// readOK reads an OK packet.
func (s *script) readOK() wire.OK {
	s.t.Helper()
	ok, err := wire.DecodeOK(s.read())
	s.must(err)
	return ok
}

// readSwitch reads a request for another plugin.
func (s *script) readSwitch() wire.AuthSwitchRequest {
	s.t.Helper()
	m, err := wire.DecodeAuthSwitchRequest(s.read())
	s.must(err)
	return m
}

// hangUp waits for the other side to close, unless this one has.
func (s *script) hangUp() {
	s.t.Helper()
	if _, err := s.receive(); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		s.t.Errorf("error %v, want the end of the connection", err)
	}
}

// code returns the number of the server error in err, 0 if there is none.
func code(err error) wire.Code {
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
