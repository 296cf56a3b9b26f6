package dep

import "strings"

// integer gives a literal that a server compares with integers exactly.
//
// A text is compared as a floating-point number, if it is not turned into an integer beforehand. Up to fifteen digits
// that makes no difference. What has anything but digits in it ('5.0', ' 5', '5abc') is left out.
func (l Literal) integer() (magnitude uint64, negative, ok bool) {
	switch l.Kind {
	case WholeLiteral:
		return l.Magnitude, l.Negative, true
	case DecimalLiteral:
		n, ok := parseNumber(l.Text)
		magnitude, isInteger := n.integer()
		return magnitude, n.negative, ok && isInteger
	case TextLiteral:
		digits := strings.TrimPrefix(l.Text, "-")
		if len(digits) == 0 || len(digits) > 15 || !areDigits(digits) {
			return 0, false, false
		}
		n, _ := parseNumber(l.Text)
		magnitude, ok := n.integer()
		return magnitude, n.negative, ok
	}
	return 0, false, false
}
