package wire

// Detach takes what has arrived and is not handed out yet out of the reader. It is for a connection whose protocol
// changes: after its SSLRequest a client goes straight on with TLS, often in the same segment. What is taken belongs to
// whoever reads the connection next, and the Reader is of no further use.
func (r *Reader) Detach() []byte {
	rest := append([]byte(nil), r.buf[r.r:r.w]...)
	r.r, r.w = 0, 0
	return rest
}
