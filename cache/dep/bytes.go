package dep

import "bytes"

// appendBytesLiteral: a text is compared with a column of bytes by the bytes that it has in the character set of the
// connection, which in UTF-16 even an a is not the byte 61.
func (t *Type) appendBytesLiteral(dst []byte, l Literal) ([]byte, bool) {
	if l.Kind == BytesLiteral || l.Kind == TextLiteral && l.UTF8 {
		return t.appendBytes(dst, []byte(l.Text)), true
	}
	return dst, false
}

// appendBytes: a BINARY(n) is filled up with zero bytes in the table, and without them in the binlog. To leave them off
// everywhere makes more values equal than are.
func (t *Type) appendBytes(dst, raw []byte) []byte {
	if t.Name == "binary" {
		raw = bytes.TrimRight(raw, "\x00")
	}
	return append(dst, raw...)
}
