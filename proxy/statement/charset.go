package statement

import (
	"strings"
	"unicode/utf8"
)

// isUTF8 tells whether texts in the character set are UTF-8. An unset one is taken for utf8mb4.
func isUTF8(charset string) bool {
	switch strings.ToLower(charset) {
	case "", "utf8", "utf8mb3", "utf8mb4":
		return true
	}
	return false
}

// readable tells whether a text in the character set has one meaning for the server and for Weir. Other than in
// UTF-8, a name with letters beyond ASCII would be looked up as another name, so nothing but ASCII will do.
func readable(sql, charset string) bool {
	if isUTF8(charset) {
		return utf8.ValidString(sql)
	}
	return asciiSuperset(charset) && isASCII(sql)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// asciiSuperset tells whether the first 128 characters of the character set are those of ASCII. Of those that
// servers accept from a client, swe7 has letters in place of brackets and backquotes.
func asciiSuperset(charset string) bool { return !strings.EqualFold(charset, "swe7") }

// wideFirst returns a function that tells the first bytes of characters whose second byte may be that of an ASCII
// character, such as a backslash. It is nil if the character set has none.
func wideFirst(charset string) func(byte) bool {
	switch strings.ToLower(charset) {
	case "big5":
		return func(c byte) bool { return c >= 0xa1 && c <= 0xf9 }
	case "gbk", "gb18030":
		return func(c byte) bool { return c >= 0x81 && c <= 0xfe }
	case "sjis", "cp932":
		return func(c byte) bool { return c >= 0x81 && c <= 0x9f || c >= 0xe0 && c <= 0xfc }
	}
	return nil
}

// isTrail tells whether c can be the second byte of a character of two bytes.
func isTrail(c byte) bool { return c >= 0x40 && c != 0x7f }
