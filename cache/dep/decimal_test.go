package dep

import (
	"strings"
	"testing"
)

// TestDecodeDecimal: 1234567890.1234 is the example of strings/decimal.c.
func TestDecodeDecimal(t *testing.T) {
	tests := []struct {
		raw           string
		digits, scale int
		want          string // empty: it cannot be read
	}{
		{"81 0dfb38d2 04d2", 14, 4, "+1234567890.1234"},
		{"7e f204c72d fb2d", 14, 4, "-1234567890.1234"},
		{"80 00", 3, 1, "+."},
		{"85 05", 3, 1, "+5.5"},
		{"80 00000000", 10, 0, "+."},
		{"8a", 2, 0, "+10."},
		{"bb9ac9ff", 9, 0, "+999999999."},
		{"bb9ac9ff", 9, 9, "+.999999999"},
		{"80000001", 9, 9, "+.000000001"},
		{"83e8", 4, 0, "+1000."},
		{"e4", 2, 0, ""},       // 100 in two digits
		{"bb9aca00", 9, 0, ""}, // 1000000000 in nine
		{"80", 3, 1, ""},
		{"800000", 3, 1, ""},
		{"", 0, 0, ""},
		{"80", 1, 2, ""},
		{"80", 66, 0, ""},
		{"80", 255, 255, ""},
	}
	for _, tt := range tests {
		typ := Type{Class: Decimal}
		code, ok := typ.AppendImage(nil, []byte(unhex(t, tt.raw)), Field{codeDecimal, uint16(tt.digits<<8 | tt.scale)})
		if ok != (tt.want != "") || ok && string(code) != tt.want {
			t.Errorf("%s of %d digits, %d behind the point: %s, %v, expected %s", tt.raw, tt.digits, tt.scale, code, ok, tt.want)
		}
	}
}

func TestParseNumber(t *testing.T) {
	tests := []struct{ text, want string }{
		{"0.0", "+."}, {"-0.00", "+."}, {"5.50", "+5.5"}, {"-005.5", "-5.5"}, {"+1.", "+1."}, {".5", "+.5"}, {"-.5", "-.5"},
		{strings.Repeat("9", 65), "+" + strings.Repeat("9", 65) + "."},
		{strings.Repeat("9", 66), ""}, {"0." + strings.Repeat("1", 39), ""}, {"", ""}, {".", ""}, {"-", ""}, {"1e5", ""}, {"1.2.3", ""}, {"--1", ""}, {"+-1", ""}, {" 1", ""},
	}
	for _, tt := range tests {
		n, ok := parseNumber(tt.text)
		if ok != (tt.want != "") || ok && string(n.append(nil)) != tt.want {
			t.Errorf("%q: %s, %v, expected %s", tt.text, n.append(nil), ok, tt.want)
		}
	}
}

// encodeDecimal writes the servers' format: digits before and behind the point are filled up with zeros.
func encodeDecimal(negative bool, whole, frac string) []byte {
	var raw []byte
	group := func(digits string) {
		value, n := 0, min(groupSize(len(digits)), 4)
		for _, d := range digits {
			value = 10*value + int(d-'0')
		}
		for i := n - 1; i >= 0; i-- {
			raw = append(raw, byte(value>>(8*i)))
		}
	}
	group(whole[:len(whole)%9])
	for rest := whole[len(whole)%9:]; rest != ""; rest = rest[9:] {
		group(rest[:9])
	}
	for len(frac) >= 9 {
		group(frac[:9])
		frac = frac[9:]
	}
	group(frac)
	for i := range raw {
		if negative {
			raw[i] ^= 0xff
		}
	}
	raw[0] ^= 0x80
	return raw
}

// FuzzDecimal: a number as a literal and as a stored value has one encoding.
func FuzzDecimal(f *testing.F) {
	f.Add(false, uint64(1234567890), uint64(1234), uint8(14), uint8(4))
	f.Add(true, uint64(0), uint64(0), uint8(1), uint8(1))
	f.Add(true, uint64(18446744073709551615), uint64(1), uint8(65), uint8(30))
	f.Fuzz(func(t *testing.T, negative bool, a, b uint64, digits, scale uint8) {
		if digits < 1 || digits > maxDigits || scale > min(digits, maxScale) {
			return
		}
		whole, frac := fill(a, int(digits-scale)), fill(b, int(scale))
		typ := Type{Class: Decimal, size: int(digits), Scale: int(scale)}
		image, ok1 := typ.AppendImage(nil, encodeDecimal(negative, whole, frac), Field{codeDecimal, uint16(digits)<<8 | uint16(scale)})
		sign := map[bool]string{true: "-"}[negative]
		literal, ok2 := typ.AppendLiteral(nil, point(sign+whole+"."+frac))
		if !ok1 || !ok2 || string(image) != string(literal) {
			t.Errorf("%s%s.%s: %s, %v as a stored value and %s, %v as a literal", sign, whole, frac, image, ok1, literal, ok2)
		}
	})
}

// fill writes a number with so many digits, leaving off those in front.
func fill(n uint64, digits int) string {
	b := make([]byte, digits)
	for i := digits - 1; i >= 0; i-- {
		b[i] = '0' + byte(n%10)
		n /= 10
	}
	return string(b)
}
