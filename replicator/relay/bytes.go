package relay

import (
	"encoding/binary"
	"errors"
)

// errUnreadable: bytes that this version of Weir did not write.
var errUnreadable = errors.New("an entry of the relay's stream cannot be read; do all Weirs have the same version?")

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// reader takes apart what was appended. After the first thing that cannot be read it gives zeros, and failed is true: the
// caller looks at it once, at the end.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) fail() {
	r.b, r.failed = nil, true
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// number is an uvarint of at most 32 bits.
func (r *reader) number() uint32 {
	v := r.uvarint()
	if v > 1<<32-1 {
		r.fail()
		return 0
	}
	return uint32(v)
}

// count is the number of things that follow, each of at least so many bytes: what is made for them is never larger, by
// more than a factor, than what was read.
func (r *reader) count(least int) int {
	v := r.uvarint()
	if v > uint64(len(r.b)/least) {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) fixed64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) string() string { return string(r.bytes(r.count(1))) }
