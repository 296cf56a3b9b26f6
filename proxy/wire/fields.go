package wire

import (
	"bytes"
	"fmt"
)

// fields reads a message from front to back. After the first field that does not fit it only returns zeros, so that
// a decoder checks once, with err, at its end.
type fields struct {
	message string
	rest    []byte
	failed  string // the field that did not fit
}

// err wraps ErrMalformed and names the message and the field.
func (f *fields) err() error {
	if f.failed == "" {
		return nil
	}
	return fmt.Errorf("decode %s: %w: it ends before its %s does", f.message, ErrMalformed, f.failed)
}

func (f *fields) fail(field string) {
	if f.failed == "" {
		f.failed, f.rest = field, nil
	}
}

// bytes takes n bytes. The result is a part of the message.
func (f *fields) bytes(n int, field string) []byte {
	if f.failed != "" || n > len(f.rest) {
		f.fail(field)
		return nil
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) uint8(field string) uint8   { return uint8(littleEndian(f.bytes(1, field))) }
func (f *fields) uint16(field string) uint16 { return uint16(littleEndian(f.bytes(2, field))) }
func (f *fields) uint32(field string) uint32 { return uint32(littleEndian(f.bytes(4, field))) }

// lenencInt takes a length-encoded integer.
func (f *fields) lenencInt(field string) uint64 {
	v, n := LenencInt(f.rest)
	if n == 0 {
		f.fail(field)
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

// lenencBytes takes a length-encoded string. The result is a part of the message.
func (f *fields) lenencBytes(field string) []byte {
	s, n := LenencString(f.rest)
	if n == 0 {
		f.fail(field)
		return nil
	}
	f.rest = f.rest[n:]
	return s
}

func (f *fields) lenencString(field string) string { return string(f.lenencBytes(field)) }

// nulBytes takes what comes before a zero byte, and the zero byte.
func (f *fields) nulBytes(field string) []byte {
	i := bytes.IndexByte(f.rest, 0)
	if i < 0 {
		f.fail(field)
		return nil
	}
	return f.bytes(i+1, field)[:i]
}

func (f *fields) nulString(field string) string { return string(f.nulBytes(field)) }

// lastString takes a string that ends with a zero byte or with the message: some clients and servers leave out the
// zero after their last field.
func (f *fields) lastString() string {
	s, rest, _ := bytes.Cut(f.rest, []byte{0})
	f.rest = rest
	return string(s)
}

// remaining takes what is left. The result is a part of the message.
func (f *fields) remaining() []byte { return f.bytes(len(f.rest), "end") }
