package wire

import (
	"bytes"
	"encoding/binary"
)

// HandshakeResponse is a client's login. Protocol page "Protocol::HandshakeResponse41".
type HandshakeResponse struct {
	// Capabilities decide which of the other fields are sent.
	Capabilities Capability
	// MaxPacket is the largest packet that the client wants, in bytes.
	MaxPacket uint32
	// Collation is the low byte of a collation id; the protocol has no room for more.
	Collation uint8
	User      string
	// Auth is the answer to the handshake's scramble. Without [ClientPluginAuthLenenc] at most 255 bytes.
	Auth []byte
	// Database is sent with [ClientConnectWithDB].
	Database string
	// Plugin is what Auth was made with; sent with [ClientPluginAuth].
	Plugin string
	// Attributes are sent with [ClientConnectAttrs].
	Attributes Attributes
}

// Append implements [Message]. User, Database and Plugin must not contain a zero byte.
func (m HandshakeResponse) Append(dst []byte) []byte {
	dst = SSLRequest{m.Capabilities, m.MaxPacket, m.Collation}.Append(dst)
	dst = append(append(dst, m.User...), 0)
	dst = m.appendAuth(dst)
	if m.Capabilities.Has(ClientConnectWithDB) {
		dst = append(append(dst, m.Database...), 0)
	}
	if m.Capabilities.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	if m.Capabilities.Has(ClientConnectAttrs) {
		dst = m.Attributes.append(dst)
	}
	return dst
}

func (m HandshakeResponse) appendAuth(dst []byte) []byte {
	switch {
	case m.Capabilities.Has(ClientPluginAuthLenenc):
		return AppendLenencString(dst, m.Auth)
	case m.Capabilities.Has(ClientSecureConnection):
		return append(append(dst, byte(len(m.Auth))), m.Auth...)
	}
	return append(append(dst, m.Auth...), 0)
}

// DecodeHandshakeResponse decodes a client's login, unless it is an SSLRequest; see [IsSSLRequest]. A client from
// before MySQL 4.1 gives [ErrOldProtocol]. What is missing at the end is taken as empty, as servers do: some clients
// announce a database, a plugin or attributes and then send none.
func DecodeHandshakeResponse(payload []byte) (HandshakeResponse, error) {
	f := fields{message: "handshake response", rest: payload}
	fixed, err := decodeFixed(&f)
	if err != nil {
		return HandshakeResponse{}, err
	}
	m := HandshakeResponse{Capabilities: fixed.Capabilities, MaxPacket: fixed.MaxPacket, Collation: fixed.Collation}
	m.User = f.nulString("user name")
	m.Auth = bytes.Clone(m.decodeAuth(&f))
	if m.Capabilities.Has(ClientConnectWithDB) {
		m.Database = f.lastString()
	}
	if m.Capabilities.Has(ClientPluginAuth) {
		m.Plugin = f.lastString()
	}
	if m.Capabilities.Has(ClientConnectAttrs) {
		m.Attributes = decodeAttributes(&f)
	}
	return m, f.err()
}

func (m *HandshakeResponse) decodeAuth(f *fields) []byte {
	const field = "authentication data"
	switch {
	case m.Capabilities.Has(ClientPluginAuthLenenc):
		return f.lenencBytes(field)
	case m.Capabilities.Has(ClientSecureConnection):
		return f.bytes(int(f.uint8(field)), field)
	}
	return f.nulBytes(field)
}

// decodeFixed decodes what an SSLRequest and a handshake response have in common.
func decodeFixed(f *fields) (SSLRequest, error) {
	low := f.uint16("capability flags")
	if f.failed == "" && !Capability(low).Has(ClientProtocol41) {
		return SSLRequest{}, ErrOldProtocol
	}
	m := SSLRequest{
		Capabilities: Capability(low) | Capability(f.uint16("capability flags"))<<16,
		MaxPacket:    f.uint32("packet limit"),
		Collation:    f.uint8("collation"),
	}
	reserved := f.bytes(reservedResponse, "reserved bytes")
	if err := f.err(); err != nil {
		return SSLRequest{}, err
	}
	m.Capabilities = m.Capabilities.withExtended(extended(reserved))
	return m, nil
}

// SSLRequest is sent by a client before its HandshakeResponse to start TLS; it is the first part of that. Protocol
// page "Protocol::SSLRequest".
type SSLRequest struct {
	Capabilities Capability
	MaxPacket    uint32
	Collation    uint8
}

// sslRequestSize is the length of its payload.
const sslRequestSize = 4 + 4 + 1 + reservedResponse

// Append implements [Message].
func (m SSLRequest) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Capabilities))
	dst = binary.LittleEndian.AppendUint32(dst, m.MaxPacket)
	dst = append(dst, m.Collation)
	dst = append(dst, make([]byte, reservedResponse-extendedSize)...)
	return binary.LittleEndian.AppendUint32(dst, m.Capabilities.extended())
}

// IsSSLRequest tells an SSLRequest from a handshake response.
func IsSSLRequest(payload []byte) bool {
	return len(payload) == sslRequestSize && Capability(littleEndian(payload[:4])).Has(ClientProtocol41|ClientSSL)
}

// DecodeSSLRequest decodes a request for which [IsSSLRequest] is true.
func DecodeSSLRequest(payload []byte) (SSLRequest, error) {
	f := fields{message: "SSL request", rest: payload}
	return decodeFixed(&f)
}
