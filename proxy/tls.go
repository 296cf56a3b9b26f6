package proxy

import (
	"crypto/tls"
)

func (p Parts) backend(addr string) *backend {
	b := newBackend(addr, p.Sampler(addr))
	if p.TLS != nil {
		b.tls = p.TLS(addr)
	}
	return b
}

// SetTLS says with what clients that log in from now on may use TLS; nil for no TLS. Clients that are there keep what
// they have.
func (s *Server) SetTLS(config *tls.Config) { s.tls.Store(config) }
