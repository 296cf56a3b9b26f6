package proxy

import (
	"bytes"
	"context"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// refused tells the client that a statement is refused. Of a text that Weir cannot read it is not known whether the server
// could: a server is asked to prepare it, which runs nothing, and what it has against the text itself is what the client
// is to hear.
func (s *session) refused(ctx context.Context, text []byte, st statement.Statement, refusal *wire.Error) error {
	s.counters.refused.Add(1)
	if st.Kind != statement.Unknown {
		return s.writeError(refusal)
	}
	c, err := s.server.borrow(ctx, s, false)
	if err != nil {
		return s.writeError(refusal)
	}
	h := &handle{text: bytes.Clone(text), schema: s.state.schema}
	r := response{hold: maxOwn}
	if err := s.run1(ctx, c, request{run: func(c *conn, r *response) error { return c.prepare(h, r) }}, &r); err != nil {
		c.close()
		return s.writeError(refusal)
	}
	c.pool.put(c)
	said, _ := r.err().(*wire.Error) //nolint:errorlint // it is one or nothing
	if said == nil || said.Code == wire.CodeUnsupportedPS {
		return s.writeError(refusal)
	}
	return s.writeError(said)
}
