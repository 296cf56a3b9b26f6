package login

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"
)

// socket is what lies under a TLS connection.
type socket struct {
	net.Conn
	// rest arrived before the TLS handshake began, and is a part of it: what a peer has sent in plain text ahead of time
	// is no TLS record, and ends the handshake.
	rest []byte
	// patient is false while reads return at once when nothing is there.
	patient bool
}

// Read implements [net.Conn].
func (s *socket) Read(b []byte) (int, error) {
	if len(s.rest) > 0 {
		n := copy(b, s.rest)
		s.rest = s.rest[n:]
		return n, nil
	}
	if !s.patient {
		return readNow(s.Conn, b)
	}
	return s.Conn.Read(b)
}

// SyscallConn implements [syscall.Conn], for those who look at the socket itself.
func (s *socket) SyscallConn() (syscall.RawConn, error) {
	if c, ok := s.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, syscall.ENOTSUP
}

// secured is a connection to a server over TLS.
type secured struct {
	*tls.Conn
	socket *socket
}

// Silent reports whether nothing has come on a connection on which nothing is expected, without waiting. It reads
// through TLS, since what arrives at the socket may be for TLS alone: servers send session tickets after the handshake,
// and new keys whenever they like. The answer false is final: what has come is lost. It is for the goroutine that reads.
func (c *secured) Silent() bool {
	c.socket.patient = false
	defer func() { c.socket.patient = true }()
	var b [1]byte
	n, err := c.Conn.Read(b[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}
