package statement

import (
	"encoding/hex"
	"strconv"
	"strings"

	"weir/cache/dep"
)

// slots returns what stands in the places of the constants in this text.
func (in input) slots(list []constant) []Slot {
	if len(list) == 0 {
		return nil
	}
	slots, markers := make([]Slot, len(list)), 0
	for i, c := range list {
		if c.form == markerForm {
			markers++
			slots[i].Parameter = markers
		} else {
			slots[i].Literal = in.literal(c)
		}
	}
	return slots
}

// literal returns the value of one, as the server reads it.
func (in input) literal(c constant) dep.Literal {
	text := in.sql[c.start:c.end]
	switch c.form {
	case wholeForm:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return dep.Literal{}
		}
		return dep.Literal{Kind: dep.WholeLiteral, Magnitude: n, Negative: c.signed && n != 0}
	case decimalForm:
		if c.signed && strings.Trim(text, "0.") != "" {
			text = "-" + text
		}
		return dep.Literal{Kind: dep.DecimalLiteral, Text: text}
	case textForm:
		return in.text(unescape(text, in.mode))
	case hexForm, quotedHex:
		return bytesLiteral(text)
	case wordForm:
		return word(text)
	}
	return dep.Literal{}
}

// text is a text without quotes. A character beyond the first 65,536 is one that utf8mb3 does not have.
func (in input) text(s string) dep.Literal {
	beyond := strings.IndexFunc(s, func(r rune) bool { return r > 0xffff }) >= 0
	return dep.Literal{Kind: dep.TextLiteral, Text: s, UTF8: in.env.UTF8 && !beyond}
}

// word is NULL, or one of the words that stand for 1 and 0.
func word(text string) dep.Literal {
	switch strings.ToUpper(text) {
	case "NULL":
		return dep.Literal{Kind: dep.NullLiteral}
	case "TRUE":
		return dep.Literal{Kind: dep.WholeLiteral, Magnitude: 1}
	case "FALSE":
		return dep.Literal{Kind: dep.WholeLiteral}
	}
	return dep.Literal{}
}

// bytesLiteral reads 0x1f and x'1f'. An odd number of digits, which only 0x may have, begins with half a byte.
func bytesLiteral(text string) dep.Literal {
	digits := strings.TrimSuffix(text[2:], "'")
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return dep.Literal{}
	}
	return dep.Literal{Kind: dep.BytesLiteral, Text: string(b)}
}

// unescape returns the characters of a text in quotes. See "String Literals" in the manual of either flavor: \% and \_
// keep their backslash, and one in front of any other character than those listed there stands for nothing.
func unescape(quoted string, mode lexMode) string {
	quote, body := quoted[0], quoted[1:len(quoted)-1]
	if strings.IndexByte(body, quote) < 0 && (mode.noBackslash || strings.IndexByte(body, '\\') < 0) {
		return body
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\' && !mode.noBackslash && i+1 < len(body):
			i++
			out = appendEscaped(out, body[i])
		case c == quote:
			i++ // the second one of two
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// appendEscaped appends what a backslash and c stand for.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '0':
		return append(dst, 0)
	case 'b':
		return append(dst, '\b')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	case 'Z':
		return append(dst, 0x1a)
	case '%', '_':
		return append(dst, '\\', c)
	}
	return append(dst, c)
}
