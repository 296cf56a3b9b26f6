package wire

import "encoding/binary"

// First bytes that stand for something else than a small length-encoded integer.
const (
	lenencNull = 0xFB // NULL in a text row
	lenenc2    = 0xFC // two bytes follow
	lenenc3    = 0xFD // three bytes follow
	lenenc8    = 0xFE // eight bytes follow; an EOF packet when there are too few
	lenencNone = 0xFF // never an integer: the start of an ERR packet
)

// AppendLenencInt adds a length-encoded integer in its shortest form.
func AppendLenencInt(dst []byte, v uint64) []byte {
	switch {
	case v < lenencNull:
		return append(dst, byte(v))
	case v < 1<<16:
		return append(dst, lenenc2, byte(v), byte(v>>8))
	case v < 1<<24:
		return append(dst, lenenc3, byte(v), byte(v>>8), byte(v>>16))
	}
	return binary.LittleEndian.AppendUint64(append(dst, lenenc8), v)
}

// LenencInt reads a length-encoded integer from the start of b and returns how many bytes it took. It returns n = 0
// when b is too short or starts with a byte that is no integer (NULL, ERR).
func LenencInt(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	n = lenencSize(b[0])
	switch {
	case n == 0 || len(b) < n:
		return 0, 0
	case n == 1:
		return uint64(b[0]), 1
	}
	return littleEndian(b[1:n]), n
}

// lenencSize says how many bytes an integer has that starts with first, 0 if it is none.
func lenencSize(first byte) int {
	switch first {
	case lenencNull, lenencNone:
		return 0
	case lenenc2:
		return 3
	case lenenc3:
		return 4
	case lenenc8:
		return 9
	}
	return 1
}

// littleEndian reads an integer of up to eight bytes.
func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// AppendLenencString adds the length of s and s.
func AppendLenencString[S ~string | ~[]byte](dst []byte, s S) []byte {
	return append(AppendLenencInt(dst, uint64(len(s))), s...)
}

// LenencString reads a length-encoded string from the start of b and returns how many bytes it took, 0 if it does
// not fit into b. The string is a part of b.
func LenencString(b []byte) (s []byte, n int) {
	size, n := LenencInt(b)
	if n == 0 || size > uint64(len(b)-n) {
		return nil, 0
	}
	end := n + int(size)
	return b[n:end:end], end
}
