package proxy

import "weir/proxy/digest"

// Digests returns what is counted by statement.
func (s *Server) Digests() *digest.Table { return s.digests }
