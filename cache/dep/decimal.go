package dep

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
)

// Limits of both servers: a DECIMAL has no more digits than this, of which MariaDB allows 38 behind the point.
const (
	maxDigits = 65
	maxScale  = 38
)

// number is a decimal number by its digits, as ASCII: those before the point without zeros in front, those behind it without
// zeros at the end. So equal numbers have equal digits.
type number struct {
	negative    bool
	whole, frac []byte
}

func newNumber(negative bool, whole, frac []byte) number {
	n := number{negative, bytes.TrimLeft(whole, "0"), bytes.TrimRight(frac, "0")}
	if len(n.whole)+len(n.frac) == 0 {
		n.negative = false
	}
	return n
}

// parseNumber reads digits with a point, perhaps, and a sign, perhaps. It is false for what has more digits than a DECIMAL
// can have: servers round that.
func parseNumber(text string) (number, bool) {
	unsigned, negative := strings.CutPrefix(text, "-")
	if !negative {
		unsigned = strings.TrimPrefix(text, "+")
	}
	whole, frac, _ := strings.Cut(unsigned, ".")
	if len(whole)+len(frac) == 0 || !areDigits(whole) || !areDigits(frac) {
		return number{}, false
	}
	n := newNumber(negative, []byte(whole), []byte(frac))
	return n, len(n.whole)+len(frac) <= maxDigits && len(frac) <= maxScale
}

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// integer is the number as one of 64 bits; false if it is none.
func (n number) integer() (magnitude uint64, ok bool) {
	if len(n.frac) > 0 || len(n.whole) > 20 {
		return 0, false
	}
	for _, d := range n.whole {
		high, low := bits.Mul64(magnitude, 10)
		sum, carry := bits.Add64(low, uint64(d-'0'), 0)
		if high+carry > 0 {
			return 0, false
		}
		magnitude = sum
	}
	return magnitude, true
}

func (n number) append(dst []byte) []byte {
	sign := byte('+')
	if n.negative {
		sign = '-'
	}
	dst = append(append(dst, sign), n.whole...)
	return append(append(dst, '.'), n.frac...)
}

func (t *Type) describeDecimal(d Described) {
	digits, scale := declared(d.ColumnType, 0), declared(d.ColumnType, 1)
	if digits < 0 || scale < 0 {
		return
	}
	t.Class, t.Unsigned, t.size, t.Scale = Decimal, isUnsigned(d.ColumnType), digits, scale
}

// appendDecimalLiteral: texts are compared with a DECIMAL as floating-point numbers, so they are not among the literals. A
// literal with more digits behind the point than the column has is equal to none of its values, unless it is rounded on the
// way to an index; it is left out.
func (t *Type) appendDecimalLiteral(dst []byte, l Literal) ([]byte, bool) {
	switch l.Kind {
	case WholeLiteral:
		var digits [20]byte
		return newNumber(l.Negative, strconv.AppendUint(digits[:0], l.Magnitude, 10), nil).append(dst), true
	case DecimalLiteral:
		if n, ok := parseNumber(l.Text); ok && len(n.frac) <= t.Scale {
			return n.append(dst), true
		}
	}
	return dst, false
}

func (t *Type) appendDecimalImage(dst, raw []byte, f Field) ([]byte, bool) {
	var buffer [maxDigits + maxScale]byte
	whole, frac, negative, ok := decodeDecimal(buffer[:0], raw, int(f.Meta>>8), int(f.Meta&0xff))
	if !ok {
		return dst, false
	}
	return newNumber(negative, whole, frac).append(dst), true
}

// decodeDecimal reads the servers' binary format (decimal2bin of strings/decimal.c): nine digits in four bytes, the high
// byte first, the rest of the digits before and behind the point in as many bytes as they need. The first bit is
// turned over, and for a negative number every bit is. The digits are appended to dst.
func decodeDecimal(dst, raw []byte, digits, scale int) (whole, frac []byte, negative, ok bool) {
	if digits < 1 || digits > maxDigits || scale > min(digits, maxScale) || len(raw) != packedSize(digits-scale)+packedSize(scale) {
		return nil, nil, false, false
	}
	r := decimalReader{rest: raw, first: 0x80, digits: dst}
	if raw[0]&0x80 == 0 {
		r.mask = 0xff
	}
	before, behind := digits-scale, scale
	r.group(before % 9)
	for range before/9 + behind/9 {
		r.group(9)
	}
	r.group(behind % 9)
	return r.digits[:before], r.digits[before:], r.mask != 0, !r.broken
}

func packedSize(digits int) int { return digits/9*4 + groupSize(digits%9) }

// groupSize is how many bytes a group of digits takes.
func groupSize(digits int) int { return (digits + 1) / 2 }

type decimalReader struct {
	rest        []byte
	first, mask byte // what turns bits over: in the first byte, in every byte
	digits      []byte
	broken      bool
}

// group reads some digits of a number, nine at most.
func (r *decimalReader) group(digits int) {
	n := min(groupSize(digits), 4)
	var b [4]byte
	for i, c := range r.rest[:n] {
		b[4-n+i] = c ^ r.mask ^ r.first
		r.first = 0
	}
	r.rest = r.rest[n:]
	value, start := binary.BigEndian.Uint32(b[:]), len(r.digits)
	r.digits = r.digits[:start+digits]
	for i := start + digits - 1; i >= start; i-- {
		r.digits[i] = '0' + byte(value%10)
		value /= 10
	}
	r.broken = r.broken || value > 0
}
