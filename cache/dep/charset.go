package dep

import (
	"slices"
	"unicode/utf8"
)

// charset is how a column stores text.
type charset struct {
	name string
	// width is how many bytes a character may take; a column's length in bytes is declared by it.
	width int
	// valid reports whether bytes are text in the character set, as far as Weir can tell.
	valid func(text []byte) bool
}

// charsetOf knows character sets by the names of information_schema.
func charsetOf(name string) (charset, bool) {
	switch name {
	case "utf8mb4":
		return charset{"utf8mb4", 4, utf8.Valid}, true
	case "utf8mb3", "utf8":
		return charset{"utf8mb3", 3, validBMP}, true
	case "latin1":
		return charset{"latin1", 1, func([]byte) bool { return true }}, true
	case "ascii":
		return charset{"ascii", 1, isASCII[[]byte]}, true
	}
	return charset{}, false
}

// validBMP: utf8mb3 has no characters beyond the basic multilingual plane, which in UTF-8 begin with f0 and up.
func validBMP(text []byte) bool {
	return utf8.Valid(text) && !slices.ContainsFunc(text, func(b byte) bool { return b >= 0xf0 })
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// encode turns UTF-8 into text of the character set; false if it has not all the characters. Such a literal is compared
// in another character set, or is an error.
func (c charset) encode(text string) ([]byte, bool) {
	if c.name == "latin1" {
		return encodeLatin1(text)
	}
	b := []byte(text)
	return b, c.valid(b)
}

// encodeLatin1: what the servers call latin1 is the code page 1252, with the five places that are free there taken by the
// control characters of the same number.
func encodeLatin1(text string) ([]byte, bool) {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		c, ok := latin1(r)
		if !ok {
			return nil, false
		}
		b = append(b, c)
	}
	return b, true
}

func latin1(r rune) (byte, bool) {
	if r < 0x80 || r >= 0xa0 && r <= 0xff {
		return byte(r), true
	}
	// The characters from 80 to 9f; those that are free in the code page stand for themselves.
	const high = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
	if i := slices.Index([]rune(high), r); i >= 0 {
		return byte(0x80 + i), true
	}
	return 0, false
}
