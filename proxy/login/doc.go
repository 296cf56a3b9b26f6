// Package login does the connection phase of the MySQL protocol, on both sides: [Accept] towards clients, [Dial]
// towards backends. It ends where commands begin, and it neither routes nor pools.
//
// # The life of one login
//
//  1. Accept sends the handshake, starts TLS if the client asks for it, reads the client's response, and lets the client
//     switch to an authentication plugin that both know.
//  2. It compares the client's proof with the password that the caller's lookup has for the user. An unknown user, a
//     wrong password and a missing one take the same steps and get the same answer. Or, if somebody else knows the
//     passwords, it lets the client reveal its own, unless the proof fits one that is remembered; then the caller finds
//     out whether it is right, before it answers.
//  3. The caller looks at the facts in the [Session] and answers: [Session.Welcome], or [Session.Refuse] when there
//     are too many connections already or the database does not exist.
//  4. For its queries the caller needs a backend: Dial logs in there, as the same user.
//
// # One format for all
//
// [Offered] is fixed. It leaves out every capability that changes the bytes of a response: CLIENT_DEPRECATE_EOF,
// CLIENT_OPTIONAL_RESULTSET_METADATA, compression, and MariaDB's extended capabilities but one. So
// all clients and all backends speak one format, a stored response fits every client, and a response goes from a backend
// to a client as it is. The one is [wire.ClientExtendedMetadata]: without it drivers give their programs other values. A
// response goes only to clients that have it, or only to those that do not, as the backend was asked.
// CLIENT_SESSION_TRACK changes OK packets alone, which no stored response has; a client that has it uses connections
// that have it. CLIENT_QUERY_ATTRIBUTES is left out because it changes the bytes of a query, CLIENT_LOCAL_FILES
// because a server must not be able to ask the proxy for files.
//
// Compression is not offered. The library that Weir uses for the servers' formats has it (v1.16.0, zlib and zstd) inside
// its own reading and writing of packets, one at a time, and not as something to put under a connection; with stored
// answers that are written as they are, many packets at once, that cannot be used.
//
// # Invariants
//
//   - A peer that stalls is cut off after a time, a peer that sends too much after 64 KiB; neither costs memory in
//     proportion to what it claims.
//   - Proofs are compared in constant time.
//   - A password leaves in clear only over TLS or a Unix socket, or to an account with mysql_clear_password if the caller
//     allowed it. It is taken in clear only over TLS or a Unix socket.
//   - What came before TLS in plain text is not taken for something that came over TLS.
package login
