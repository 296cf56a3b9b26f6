package wire

import "encoding/binary"

// OK says that a command succeeded. Protocol page "OK_Packet".
type OK struct {
	AffectedRows uint64
	LastInsertID uint64
	Status       Status
	Warnings     uint16
	// Info is a text for people such as "Rows matched: 1  Changed: 1  Warnings: 0". The documentation says that it
	// takes the rest of the packet; servers put a length before it and client libraries expect one. Decoding
	// takes either.
	Info string
	// State is what has changed of the session's state, in the form that the page gives it: a type, and a value with
	// its length, for each change. It is there with [StatusSessionStateChanged], and only for a client that has
	// [ClientSessionTrack].
	State []byte
}

// TrackSchema is the State of an OK after a change of the default database.
func TrackSchema(schema string) []byte {
	const trackSchema = 1 // SESSION_TRACK_SCHEMA
	return AppendLenencString([]byte{trackSchema}, string(AppendLenencString(nil, schema)))
}

// Append implements [Message].
func (m OK) Append(dst []byte) []byte { return m.body(append(dst, HeaderOK)) }

// AppendAsEOF adds the form that ends a result set under [ClientDeprecateEOF], with the header of an EOF packet.
func (m OK) AppendAsEOF(dst []byte) []byte { return m.body(append(dst, HeaderEOF)) }

func (m OK) body(dst []byte) []byte {
	dst = AppendLenencInt(dst, m.AffectedRows)
	dst = AppendLenencInt(dst, m.LastInsertID)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
	dst = binary.LittleEndian.AppendUint16(dst, m.Warnings)
	if m.Info == "" && !m.Status.Has(StatusSessionStateChanged) {
		return dst
	}
	dst = AppendLenencString(dst, m.Info)
	if m.Status.Has(StatusSessionStateChanged) {
		dst = AppendLenencString(dst, string(m.State))
	}
	return dst
}

// DecodeOK decodes an OK packet with either header.
func DecodeOK(payload []byte) (OK, error) {
	f := fields{message: "OK packet", rest: payload}
	if h := f.uint8("header"); h != HeaderOK && h != HeaderEOF {
		return OK{}, malformed("decode OK packet: its first byte is 0x%02x", h)
	}
	m := OK{
		AffectedRows: f.lenencInt("number of affected rows"),
		LastInsertID: f.lenencInt("last insert id"),
		Status:       Status(f.uint16("status flags")),
		Warnings:     f.uint16("number of warnings"),
	}
	if m.Status.Has(StatusSessionStateChanged) && len(f.rest) > 0 {
		m.Info = f.lenencString("info")
		m.State = append([]byte(nil), f.lenencBytes("changes of the session's state")...)
		return m, f.err()
	}
	m.Info = info(f.remaining())
	return m, f.err()
}

// info takes the length away from a text that has one.
func info(rest []byte) string {
	if s, n := LenencString(rest); n == len(rest) {
		return string(s)
	}
	return string(rest)
}
