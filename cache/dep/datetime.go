package dep

import (
	"encoding/binary"
	"strings"
)

// datetime is a date and a time of day.
type datetime struct {
	date
	second, micro int // of the day, of the second
}

const secondsPerDay = 86400

// position orders datetimes by their seconds.
func (d datetime) position() uint64 {
	return d.date.position()*secondsPerDay + uint64(d.second)
}

func (d datetime) append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint32(appendPosition(dst, d.position()), uint32(d.micro))
}

// datetime reads a literal as a column with so many fractional digits has it. A date alone is midnight. A literal with more
// digits, not all of them zero, is equal to none of the values, unless the server rounds it for a look into an index;
// it is left out.
func (l Literal) datetime(scale int) (datetime, bool) {
	if l.Kind != TextLiteral {
		return datetime{}, false
	}
	day, time, hasTime := strings.Cut(l.Text, " ")
	d, ok := parseDate(day)
	if !ok || !hasTime {
		return datetime{date: d}, ok
	}
	second, micro, ok := parseTime(time, scale)
	return datetime{d, second, micro}, ok
}

// parseTime reads 23:59:59, with a point and one to six digits or without.
func parseTime(text string, scale int) (second, micro int, ok bool) {
	clock, fraction, hasFraction := strings.Cut(text, ".")
	if len(clock) != len("23:59:59") || clock[2] != ':' || clock[5] != ':' {
		return 0, 0, false
	}
	h, ok1 := parseDigits(clock[:2])
	m, ok2 := parseDigits(clock[3:5])
	s, ok3 := parseDigits(clock[6:])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 59 {
		return 0, 0, false
	}
	if hasFraction {
		micro, ok = parseFraction(fraction, scale)
		return h*3600 + m*60 + s, micro, ok
	}
	return h*3600 + m*60 + s, 0, true
}

func parseFraction(text string, scale int) (micro int, ok bool) {
	if len(text) < 1 || len(text) > 6 || len(strings.TrimRight(text, "0")) > scale {
		return 0, false
	}
	return parseDigits((text + "000000")[:6])
}

// datetimeImage reads the format of MySQL 5.6 and MariaDB 10.1 and later, the high byte first: 17 bits for 13 times the year
// and the month, five for the day, five, six and six for the time, in 40 bits of which the first is turned over; then a byte
// for every two fractional digits.
func datetimeImage(raw []byte, scale int) (datetime, bool) {
	n := (scale + 1) / 2
	if scale > 6 || len(raw) != 5+n || raw[0]&0x80 == 0 {
		return datetime{}, false
	}
	var b [8]byte
	copy(b[3:], raw[:5])
	v := int(binary.BigEndian.Uint64(b[:]) &^ (1 << 39))
	months := v >> 22
	d := datetime{
		date:   date{months / 13, months % 13, v >> 17 & 31},
		second: (v>>12&31)*3600 + (v>>6&63)*60 + v&63,
		micro:  fractionImage(raw[5:]),
	}
	return d, d.second < secondsPerDay && d.micro < 1e6
}

// fractionImage: one byte has hundredths, two have ten-thousandths, three have millionths.
func fractionImage(raw []byte) int {
	v := 0
	for _, b := range raw {
		v = v<<8 | int(b)
	}
	for range 3 - len(raw) {
		v *= 100
	}
	return v
}
