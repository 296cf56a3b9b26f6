package virtual

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"weir/proxy/wire"
)

const timeFormat = "2006-01-02 15:04:05.000000"

// asText is a value as servers print it; false for NULL, and for what is no value of a table.
func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return clean(v), true
	case bool:
		if v {
			return "YES", true
		}
		return "NO", true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		return formatDouble(v), !math.IsNaN(v) && !math.IsInf(v, 0)
	case time.Time:
		return v.UTC().Format(timeFormat), !v.IsZero()
	}
	return "", false
}

// clean makes of text from anywhere text that a JSON document and a client can take.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // each wrong byte is U+FFFD
}

func isNumber(v any) bool {
	switch v := v.(type) {
	case int64, uint64:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return false
}

// formatDouble is how servers print a DOUBLE: the shortest digits that give the same number, with an exponent where
// that is much shorter.
func formatDouble(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e15) {
		mantissa := strconv.FormatFloat(v, 'e', -1, 64)
		return shortExponent(mantissa)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// shortExponent writes 1e-07 as 1e-7 and 1e+20 as 1e20.
func shortExponent(s string) string {
	for i := range len(s) {
		if s[i] != 'e' {
			continue
		}
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return s
		}
		return s[:i+1] + strconv.Itoa(n)
	}
	return s
}

// binary appends a value as the binary protocol has it in a column of that kind.
func (k Kind) binary(dst []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(v))
	case uint64:
		return binary.LittleEndian.AppendUint64(dst, v)
	case float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	case time.Time:
		return appendTime(dst, v.UTC())
	}
	text, _ := asText(v)
	return wire.AppendLenencString(dst, text)
}

func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, 11)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(t.Year()))
	dst = append(dst, byte(t.Month()), byte(t.Day()), byte(t.Hour()), byte(t.Minute()), byte(t.Second()))
	return binary.LittleEndian.AppendUint32(dst, uint32(t.Nanosecond()/1000))
}
