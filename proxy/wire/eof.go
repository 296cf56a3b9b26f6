package wire

import "encoding/binary"

// eofSize is the length of an EOF packet's payload. A row that starts with the same byte has nine bytes at least.
const eofSize = 5

// EOF ends the column definitions, and the rows, of a result. Protocol page "EOF_Packet".
type EOF struct {
	Warnings uint16
	Status   Status
}

// Append implements [Message].
func (m EOF) Append(dst []byte) []byte {
	dst = append(dst, HeaderEOF, byte(m.Warnings), byte(m.Warnings>>8))
	return binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
}

// DecodeEOF decodes an EOF packet, of exactly five bytes.
func DecodeEOF(payload []byte) (EOF, error) {
	if len(payload) != eofSize || payload[0] != HeaderEOF {
		return EOF{}, malformed("decode EOF packet: % x is none", payload[:min(len(payload), 2*eofSize)])
	}
	return EOF{
		Warnings: binary.LittleEndian.Uint16(payload[1:]),
		Status:   Status(binary.LittleEndian.Uint16(payload[eofStatus:])),
	}, nil
}

// eofStatus is where the status flags are in the payload.
const eofStatus = 3
