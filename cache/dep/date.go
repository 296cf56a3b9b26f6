package dep

import "encoding/binary"

// date is a date as servers have it, where a month or a day may be zero.
type date struct{ year, month, day int }

// position orders dates, with places for months and days that are zero: twelve months have 416 places.
func (d date) position() uint64 { return uint64((d.year*13+d.month)*32 + d.day) }

// valid reports whether every server that takes the date at all takes it as this one. Under ALLOW_INVALID_DATES
// there are more, such as 2026-02-31.
func (d date) valid() bool {
	return d.month <= 12 && d.day <= 31 && (d.month == 0 || d.day <= d.daysInMonth())
}

func (d date) daysInMonth() int {
	switch d.month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if d.year%4 == 0 && d.year%100 != 0 || d.year%400 == 0 {
			return 29
		}
		return 28
	}
	return 31
}

// parseDate reads 2026-01-31 and no other form: servers know many, and differ.
func parseDate(text string) (date, bool) {
	if len(text) != len("2026-01-31") || text[4] != '-' || text[7] != '-' {
		return date{}, false
	}
	year, ok1 := parseDigits(text[:4])
	month, ok2 := parseDigits(text[5:7])
	day, ok3 := parseDigits(text[8:])
	d := date{year, month, day}
	return d, ok1 && ok2 && ok3 && d.valid()
}

// parseDigits reads a few digits.
func parseDigits(text string) (int, bool) {
	n := 0
	for i := range len(text) {
		n = 10*n + int(text[i]) - '0'
	}
	return n, areDigits(text)
}

// dateImage reads three bytes, the low one first: five bits for the day, four for the month, the rest for the year.
func dateImage(raw []byte) (date, bool) {
	if len(raw) != 3 {
		return date{}, false
	}
	v := int(raw[0]) | int(raw[1])<<8 | int(raw[2])<<16
	d := date{year: v >> 9, month: v >> 5 & 15, day: v & 31}
	return d, d.month <= 12
}

func (l Literal) date() (date, bool) {
	if l.Kind != TextLiteral {
		return date{}, false
	}
	return parseDate(l.Text)
}

func appendPosition(dst []byte, position uint64) []byte {
	return binary.LittleEndian.AppendUint64(dst, position)
}
