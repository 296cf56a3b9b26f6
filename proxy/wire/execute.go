package wire

import "encoding/binary"

// LastPrepared is the id by which MariaDB's clients mean the statement that was prepared last, so that they can send
// the execution along with the preparation (MariaDB 10.2 and later).
const LastPrepared = 0xFFFFFFFF

// CursorFlag is the set of cursor flags in COM_STMT_EXECUTE.
type CursorFlag uint8

// Cursor flags, as in the protocol page "COM_STMT_EXECUTE". Neither server implements the other two.
const (
	NoCursor       CursorFlag = 0
	CursorReadOnly CursorFlag = 1
)

// Execute is COM_STMT_EXECUTE without its command byte. Protocol page of that name. Its slices are parts of the message.
type Execute struct {
	StatementID uint32
	Flags       CursorFlag
	// Nulls has a bit for each parameter, which is set if it is NULL. The unused bits of its last byte are the
	// client's.
	Nulls []byte
	// Types has two bytes for each parameter: a [Type], and 0x80 if it is unsigned. It is nil if the client means
	// those that it sent the time before.
	Types []byte
	// Values has those that are not NULL and were not sent with COM_STMT_SEND_LONG_DATA, one after the other. They are
	// not looked at.
	Values []byte
}

// DecodeExecute decodes the arguments of COM_STMT_EXECUTE for a statement with the given number of parameters, with
// the classic capabilities, that is, without query attributes.
func DecodeExecute(args []byte, params int) (m Execute, err error) {
	f := fields{message: "COM_STMT_EXECUTE", rest: args}
	m.StatementID, m.Flags = f.uint32("statement id"), CursorFlag(f.uint8("flags"))
	f.bytes(4, "iteration count")
	if params > 0 {
		m.Nulls = f.bytes((params+7)/8, "NULL bitmap")
		if f.uint8("flag for new types") != 0 {
			m.Types = f.bytes(2*params, "types")
		}
		m.Values = f.remaining()
	}
	return m, f.err()
}

// Append implements [Message], with the command byte. Types must be there if there are parameters.
func (m Execute) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(append(dst, byte(ComStmtExecute)), m.StatementID)
	dst = binary.LittleEndian.AppendUint32(append(dst, byte(m.Flags)), 1)
	if len(m.Types) == 0 {
		return dst
	}
	dst = append(append(dst, m.Nulls...), 1)
	return append(append(dst, m.Types...), m.Values...)
}

// HasType reports whether one of the parameters is bound with the type.
func (m Execute) HasType(t Type) bool {
	for i := 0; i < len(m.Types); i += 2 {
		if Type(m.Types[i]) == t {
			return true
		}
	}
	return false
}

// LongData is COM_STMT_SEND_LONG_DATA without its command byte. Protocol page of that name.
type LongData struct {
	StatementID uint32
	Param       uint16
	// Data is a part of the message.
	Data []byte
}

// DecodeLongData decodes the arguments of COM_STMT_SEND_LONG_DATA.
func DecodeLongData(args []byte) (m LongData, err error) {
	f := fields{message: "COM_STMT_SEND_LONG_DATA", rest: args}
	m.StatementID, m.Param, m.Data = f.uint32("statement id"), f.uint16("parameter"), f.remaining()
	return m, f.err()
}

// Append implements [Message], with the command byte.
func (m LongData) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(append(dst, byte(ComStmtSendLongData)), m.StatementID)
	dst = binary.LittleEndian.AppendUint16(dst, m.Param)
	return append(dst, m.Data...)
}
