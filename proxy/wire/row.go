package wire

// Row is a row of a result set in the text protocol; nil is NULL. Protocol page "Text Resultset Row".
type Row [][]byte

// Append implements [Message].
func (m Row) Append(dst []byte) []byte {
	for _, v := range m {
		if v == nil {
			dst = append(dst, lenencNull)
			continue
		}
		dst = AppendLenencString(dst, v)
	}
	return dst
}

// DecodeRow decodes a row of the given number of columns into dst, which it extends. The values are parts of payload.
func DecodeRow(dst Row, payload []byte, columns int) (Row, error) {
	f := fields{message: "text row", rest: payload}
	for range columns {
		dst = append(dst, f.value())
	}
	if f.failed == "" && len(f.rest) > 0 {
		return dst, malformed("decode text row: %d bytes are left after %d columns", len(f.rest), columns)
	}
	return dst, f.err()
}

// value takes a string or NULL. Only NULL is nil.
func (f *fields) value() []byte {
	if len(f.rest) > 0 && f.rest[0] == lenencNull {
		f.rest = f.rest[1:]
		return nil
	}
	return f.lenencBytes("value")
}
