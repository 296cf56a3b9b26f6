package wire

import "encoding/binary"

// Prepared is the first packet of the response to COM_STMT_PREPARE. Protocol page "COM_STMT_PREPARE Response". The
// definitions of the parameters follow, and those of the columns, each with an EOF packet unless there are none.
type Prepared struct {
	StatementID uint32
	Columns     uint16
	Params      uint16
	Warnings    uint16
}

// preparedSize is the length of its payload.
const preparedSize = 12

// Append implements [Message].
func (m Prepared) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(append(dst, HeaderOK), m.StatementID)
	dst = binary.LittleEndian.AppendUint16(dst, m.Columns)
	dst = binary.LittleEndian.AppendUint16(dst, m.Params)
	return binary.LittleEndian.AppendUint16(append(dst, 0), m.Warnings)
}

// DecodePrepared decodes the packet.
func DecodePrepared(payload []byte) (Prepared, error) {
	if len(payload) != preparedSize || payload[0] != HeaderOK {
		return Prepared{}, malformed("decode response to COM_STMT_PREPARE: % x is none",
			payload[:min(len(payload), 2*preparedSize)])
	}
	return Prepared{
		StatementID: binary.LittleEndian.Uint32(payload[1:]),
		Columns:     binary.LittleEndian.Uint16(payload[5:]),
		Params:      binary.LittleEndian.Uint16(payload[7:]),
		Warnings:    binary.LittleEndian.Uint16(payload[10:]),
	}, nil
}
