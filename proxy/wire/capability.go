package wire

// Capability is the set of capability flags that a side of a connection announces. The low 32 bits are the flags of
// the MySQL protocol. The high 32 are MariaDB's extended capabilities, which travel in bytes that MySQL reserves, and
// only while [ClientMySQL] is not set (MariaDB 10.2 and later).
type Capability uint64

// Capability flags, as in the protocol page "Capabilities Flags" of MySQL and the page "Connection" of MariaDB.
const (
	// ClientMySQL is bit 0. MySQL calls it CLIENT_LONG_PASSWORD and always sets it; a side that leaves it out is
	// MariaDB and fills the extended capabilities.
	ClientMySQL Capability = 1 << iota
	// ClientFoundRows: the affected rows of an UPDATE are those found, not those changed.
	ClientFoundRows
	ClientLongFlag
	// ClientConnectWithDB: the handshake response has a database name.
	ClientConnectWithDB
	// ClientNoSchema forbids database.table.column.
	ClientNoSchema
	// ClientCompress: packets are compressed with zlib after the login.
	ClientCompress
	ClientODBC
	// ClientLocalFiles: the client answers LOAD DATA LOCAL INFILE.
	ClientLocalFiles
	// ClientIgnoreSpace: spaces before the ( of a function call are ignored; part of what a statement means.
	ClientIgnoreSpace
	// ClientProtocol41: the protocol since MySQL 4.1, the only one that this package speaks.
	ClientProtocol41
	// ClientInteractive: the session starts with interactive_timeout in place of wait_timeout.
	ClientInteractive
	// ClientSSL: an SSLRequest and a TLS handshake come before the handshake response.
	ClientSSL
	ClientIgnoreSigpipe
	// ClientTransactions: status flags tell about transactions.
	ClientTransactions
	// ClientReserved is the old CLIENT_PROTOCOL_41.
	ClientReserved
	// ClientSecureConnection: passwords are scrambled as since MySQL 4.1. MySQL 8 calls it CLIENT_RESERVED2.
	ClientSecureConnection
	// ClientMultiStatements: one COM_QUERY may hold several statements.
	ClientMultiStatements
	// ClientMultiResults: a response to COM_QUERY may have several results.
	ClientMultiResults
	// ClientPSMultiResults: the same for COM_STMT_EXECUTE.
	ClientPSMultiResults
	// ClientPluginAuth: authentication plugins are named, and may be switched.
	ClientPluginAuth
	// ClientConnectAttrs: the handshake response has connection attributes.
	ClientConnectAttrs
	// ClientPluginAuthLenenc: the authentication data of the handshake response has a length-encoded length. The
	// official name is CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA.
	ClientPluginAuthLenenc
	// ClientHandleExpiredPasswords: the client can live with a session that may only change its password.
	ClientHandleExpiredPasswords
	// ClientSessionTrack: OK packets carry changes of the session's state.
	ClientSessionTrack
	// ClientDeprecateEOF: OK packets with header 0xFE in place of EOF packets, and none after column definitions.
	ClientDeprecateEOF
	// ClientOptionalMetadata: result sets may come without column definitions.
	ClientOptionalMetadata
	// ClientZstd: packets are compressed with zstd after the login.
	ClientZstd
	// ClientQueryAttributes: COM_QUERY and COM_STMT_EXECUTE start with query attributes.
	ClientQueryAttributes
	// ClientMultiFactor: up to three authentication methods one after the other.
	ClientMultiFactor
)

// ClientExtendedMetadata is one of MariaDB's, 10.5 and later: column definitions have one more field, with the names of
// types that the protocol has no number for: JSON, UUID, INET6, kinds of geometry.
const ClientExtendedMetadata Capability = 1 << 35

// Has says that all of the given flags are set.
func (c Capability) Has(flags Capability) bool { return c&flags == flags }

// extended returns MariaDB's part, which is there only without ClientMySQL.
func (c Capability) extended() uint32 {
	if c.Has(ClientMySQL) {
		return 0
	}
	return uint32(c >> 32)
}

// withExtended adds MariaDB's part, as read from the wire.
func (c Capability) withExtended(high uint32) Capability {
	if c.Has(ClientMySQL) {
		return c
	}
	return c | Capability(high)<<32
}
