// Package wire reads and writes the packets of the MySQL client/server protocol, as spoken since MySQL 4.1 by
// every MySQL and MariaDB. It uses the standard library alone and knows nothing of Weir.
//
// It is not a driver: it opens no connection, knows no password, and converts no value to a Go type.
//
// # Framing
//
// A message travels as one logical packet. The wire has physical packets: three bytes of payload length, a sequence
// number, the payload. A payload of exactly [MaxPayload] bytes says that the next physical packet continues the same
// logical one. Framing is in [Reader] and [AppendPacket], and nowhere else.
//
// # The life of one response
//
// A proxy that only passes a response on never decodes it:
//
//	r.Expect(1)               // a response starts with sequence number 1
//	s.Begin(shape)            // what the command leads to, see ResponseTo
//	for {
//		raw, continuation, err := r.ReadRaw()   // physical packet with its header
//		...                                      // pass raw on, keep a copy for the cache
//		done, err := s.Next(raw, continuation)  // end of the response?
//	}
//
// Afterwards the [Scanner] tells what came: how many results, columns, rows and warnings, and where the status flags
// are in the copy.
//
// # Invariants
//
//   - Memory grows with the bytes that arrived, never with a length that a peer only claims.
//   - A slice that a Reader or a decoder hands out says in its comment how long it is valid; strings are copies.
//   - A decoder that cannot make sense of its input returns an error that wraps [ErrMalformed]; it never panics.
//   - Scanner understands the classic format, with EOF packets. [ClientDeprecateEOF], [ClientSessionTrack],
//     [ClientQueryAttributes], [ClientOptionalMetadata], compression and MariaDB's extended capabilities change
//     the bytes of a response and must not be negotiated on a connection whose responses are scanned.
package wire
