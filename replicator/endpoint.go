package replicator

import "context"

// endpoint is where a session connects to, for as long as that is where it has to.
type endpoint struct {
	addr string
	tls  TLS
	// left ends when the session is to talk to somebody else: what is under way with a server that may never answer ends
	// then, too.
	left context.Context
}

// fixed returns where a session connects to that always talks to the same address.
func fixed(addr string, tls TLS) func() *endpoint {
	e := &endpoint{addr: addr, tls: tls, left: context.Background()}
	return func() *endpoint { return e }
}

// endpoint returns where the source is found: at the one address, or at the candidate that is followed.
func (c Config) endpoint() func() *endpoint {
	if c.Candidates != nil {
		return c.Candidates.endpoint
	}
	return fixed(c.Addr, c.TLS)
}
