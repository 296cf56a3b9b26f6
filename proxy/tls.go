package proxy

import (
	"crypto/tls"

	"weir/proxy/login"
)

func (p Parts) tls(addr string) login.ServerTLS {
	if p.TLS == nil {
		return login.ServerTLS{}
	}
	return p.TLS(addr)
}

// SetTLS says with what clients that log in from now on may use TLS; nil for no TLS. Clients that are there keep what
// they have.
func (s *Server) SetTLS(config *tls.Config) { s.tls.Store(config) }
