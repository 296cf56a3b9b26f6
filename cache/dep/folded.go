package dep

// appendFolded appends what distinguishes texts of ASCII under the root collations of UCA 14.0.0, MariaDB's uca1400: letters
// without case, digits, punctuation and white space. Control characters weigh nothing. Where the collation distinguishes
// case, this makes more texts equal than are. It is false for a text that is not all ASCII: é may be equal to e.
func appendFolded(dst, text []byte) ([]byte, bool) {
	for _, b := range text {
		switch {
		case b >= 0x80:
			return dst, false
		case b < '\t', b > '\r' && b < ' ', b == 0x7f:
		case b >= 'A' && b <= 'Z':
			dst = append(dst, b|0x20)
		default:
			dst = append(dst, b)
		}
	}
	return dst, true
}
