package wire

import "encoding/binary"

const (
	handshakeVersion = 10
	// scramblePart is how much of the scramble comes before the capability flags.
	scramblePart = 8
	// scrambleRest is the least that comes after them, in which the last byte is a zero.
	scrambleRest = 13
	// reservedHandshake and reservedResponse are how many bytes are reserved; MariaDB has its extended capabilities
	// in the last four.
	reservedHandshake = 10
	reservedResponse  = 23
	extendedSize      = 4
)

// Handshake is what a server sends first. Protocol page "Protocol::HandshakeV10".
type Handshake struct {
	// Version is the server's version as text. MariaDB up to 10.x puts "5.5.5-" in front.
	Version      string
	ConnectionID uint32
	// Scramble is the random data for the authentication plugin, 20 bytes, without the zero that follows them.
	Scramble     []byte
	Capabilities Capability
	// Collation is the low byte of the id of the server's default collation.
	Collation uint8
	Status    Status
	// Plugin is the authentication plugin that Scramble is for. It is sent only with [ClientPluginAuth].
	Plugin string
}

// Append implements [Message]. A scramble of less than 20 bytes is filled with zeros.
func (m Handshake) Append(dst []byte) []byte {
	scramble := m.padded()
	dst = append(append(append(dst, handshakeVersion), m.Version...), 0)
	dst = binary.LittleEndian.AppendUint32(dst, m.ConnectionID)
	dst = append(append(dst, scramble[:scramblePart]...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Capabilities))
	dst = append(dst, m.Collation)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Capabilities>>16))
	dst = append(dst, m.scrambleSize(len(scramble)))
	dst = append(dst, make([]byte, reservedHandshake-extendedSize)...)
	dst = binary.LittleEndian.AppendUint32(dst, m.Capabilities.extended())
	if m.Capabilities.Has(ClientSecureConnection) {
		dst = append(dst, scramble[scramblePart:]...)
	}
	if m.Capabilities.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	return dst
}

// padded returns the scramble as it is sent, with its zero.
func (m Handshake) padded() []byte {
	b := make([]byte, max(scramblePart+scrambleRest, len(m.Scramble)+1))
	copy(b, m.Scramble)
	return b
}

func (m Handshake) scrambleSize(n int) byte {
	if m.Capabilities.Has(ClientPluginAuth) {
		return byte(n)
	}
	return 0
}

// DecodeHandshake decodes a server's first packet, unless it is an ERR packet; see [IsError].
func DecodeHandshake(payload []byte) (Handshake, error) {
	f := fields{message: "handshake", rest: payload}
	if v := f.uint8("protocol version"); f.failed == "" && v != handshakeVersion {
		return Handshake{}, malformed("decode handshake: protocol version %d, only 10 is known", v)
	}
	m := Handshake{Version: f.nulString("server version"), ConnectionID: f.uint32("connection id")}
	m.Scramble = append(m.Scramble, f.bytes(scramblePart, "scramble")...)
	f.bytes(1, "filler")
	m.Capabilities = Capability(f.uint16("capability flags"))
	m.Collation = f.uint8("collation")
	m.Status = Status(f.uint16("status flags"))
	m.Capabilities |= Capability(f.uint16("capability flags")) << 16
	m.decodePlugin(&f)
	return m, f.err()
}

// decodePlugin decodes what depends on the capability flags.
func (m *Handshake) decodePlugin(f *fields) {
	size := int(f.uint8("length of the scramble"))
	if !m.Capabilities.Has(ClientPluginAuth) {
		size = 0 // the byte is reserved then
	}
	if reserved := f.bytes(reservedHandshake, "reserved bytes"); reserved != nil {
		m.Capabilities = m.Capabilities.withExtended(extended(reserved))
	}
	if m.Capabilities.Has(ClientSecureConnection) {
		m.Scramble = append(m.Scramble, f.bytes(max(scrambleRest, size-scramblePart)-1, "scramble")...)
		f.bytes(1, "scramble") // its zero
	}
	if m.Capabilities.Has(ClientPluginAuth) {
		m.Plugin = f.lastString()
	}
}

// extended reads MariaDB's capabilities from the end of reserved bytes.
func extended(reserved []byte) uint32 {
	return binary.LittleEndian.Uint32(reserved[len(reserved)-extendedSize:])
}
