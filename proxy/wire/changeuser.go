package wire

import (
	"bytes"
	"encoding/binary"
)

// ChangeUser is the command COM_CHANGE_USER: a login on a connection that has one. Protocol page "COM_CHANGE_USER".
type ChangeUser struct {
	User string
	// Auth is the answer to the scramble of the last login, at most 255 bytes.
	Auth     []byte
	Database string
	// Collation is the id of a collation, this time with both bytes; 0 if the client did not send one.
	Collation uint16
	// Plugin and Attributes depend on the connection's capabilities as in the handshake response.
	Plugin     string
	Attributes Attributes
}

// AppendFor returns the command as the message of a connection with the given capabilities, which have to include
// [ClientSecureConnection].
func (m ChangeUser) AppendFor(dst []byte, c Capability) []byte {
	dst = append(append(append(dst, byte(ComChangeUser)), m.User...), 0)
	dst = append(append(dst, byte(len(m.Auth))), m.Auth...)
	dst = append(append(dst, m.Database...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, m.Collation)
	if c.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	if c.Has(ClientConnectAttrs) {
		dst = m.Attributes.append(dst)
	}
	return dst
}

// DecodeChangeUser decodes the command, with its first byte, on a connection with the given capabilities, which have
// to include [ClientSecureConnection]. Clients may leave out everything after the database.
func DecodeChangeUser(payload []byte, c Capability) (ChangeUser, error) {
	f := fields{message: "COM_CHANGE_USER", rest: payload}
	if h := f.uint8("header"); f.failed == "" && h != byte(ComChangeUser) {
		return ChangeUser{}, malformed("decode COM_CHANGE_USER: its first byte is 0x%02x", h)
	}
	m := ChangeUser{User: f.nulString("user name")}
	m.Auth = bytes.Clone(f.bytes(int(f.uint8("authentication data")), "authentication data"))
	m.Database = f.lastString()
	if len(f.rest) > 0 {
		m.Collation = f.uint16("collation")
	}
	if c.Has(ClientPluginAuth) {
		m.Plugin = f.lastString()
	}
	if c.Has(ClientConnectAttrs) {
		m.Attributes = decodeAttributes(&f)
	}
	return m, f.err()
}
