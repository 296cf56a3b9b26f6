package replicator

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"

	"github.com/go-mysql-org/go-mysql/client"
)

// TLS says how connections to a server use it. Over a Unix socket they do not.
type TLS struct {
	// Config has what to check, and what to show; nil for no TLS.
	Config *tls.Config
	// Optional goes on in plain text with a server that does not offer TLS.
	Optional bool
}

// dial connects and logs in, with TLS as it is wanted.
func (s *Session) dial(ctx context.Context, at *endpoint) (*client.Conn, error) {
	want := at.tls.Config
	if at.addr != "" && at.addr[0] == '/' {
		want = nil
	}
	conn, err := s.dialWith(ctx, at, want)
	if want != nil && at.tls.Optional && offersNoTLS(err) {
		want = nil
		s.drop()
		conn, err = s.dialWith(ctx, at, nil)
	}
	if err == nil {
		s.used.Store(want)
	}
	return conn, err
}

func (s *Session) dialWith(ctx context.Context, at *endpoint, config *tls.Config) (*client.Conn, error) {
	return client.ConnectWithDialer(ctx, "", at.addr, s.user, s.password, "", s.dialTo(at), func(c *client.Conn) error {
		c.SetTLSConfig(config)
		return nil
	})
}

// offersNoTLS recognises what the client library says of a server without TLS, which has no error of its own for it.
func offersNoTLS(err error) bool {
	return err != nil && strings.Contains(err.Error(), "does not support TLS required by the client")
}

// usedTLS is what the last connection used, for connections that others make to the same server.
func (s *Session) usedTLS() *tls.Config { return s.used.Load() }

// tlsTrouble returns what is wrong with TLS; nil if err is about something else.
func tlsTrouble(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var remote *net.OpError
	switch {
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &remote) && remote.Op == "remote error": // an alert
		return remote
	case errors.As(err, &record):
		return record
	case offersNoTLS(err):
		return errors.New("it does not offer TLS")
	}
	return nil
}
