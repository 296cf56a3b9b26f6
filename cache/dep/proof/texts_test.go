package proof

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a range of characters.
type span struct{ first, last rune }

// languages are the characters that collations for single languages sort in ways of their own, and their neighbours.
var languages = []span{{0, 0x6ff}, {0xd80, 0xdff}, {0x1e00, 0x20ff}, {0x3000, 0x30ff}, {0xfe00, 0xfe0f}, {0x1d400, 0x1d47f}}

// most are those of the basic plane but for most of the Chinese and Korean ones, which all collations sort by their numbers,
// and some from beyond: letters with case, letters of mathematics that are equal to ordinary ones, variants.
var most = append([]span{
	{0, 0x33ff}, {0x3400, 0x3410}, {0x4db0, 0x4e80}, {0x9fa0, 0xac20}, {0xd780, 0xd7ff}, {0xe000, 0xe010}, {0xf8f0, 0xffff},
}, beyond...)

// all are those of the basic plane, and those from beyond.
var all = append([]span{{0, 0xffff}}, beyond...)

var beyond = []span{
	{0x10000, 0x10080}, {0x10400, 0x10450}, {0x104b0, 0x10500}, {0x16e40, 0x16ea0}, {0x1d400, 0x1d7ff}, {0x1e900, 0x1e960},
	{0x1f100, 0x1f270}, {0x1f600, 0x1f650}, {0x20000, 0x20040}, {0x2f800, 0x2fa20}, {0xe0000, 0xe0080}, {0xe0100, 0xe0110},
	{0x10fff0, 0x10ffff},
}

func characters(spans []span) (texts []string) {
	for _, s := range spans {
		for c := s.first; c <= s.last; c++ {
			if utf8.ValidRune(c) {
				texts = append(texts, string(c))
			}
		}
	}
	return texts
}

// combinations are texts in which characters work together: contractions and expansions of many languages, syllables,
// characters that weigh nothing, accents apart, and what may stand at the end of a text.
func combinations() []string {
	bases := strings.Fields("a A aa AA å Å ä ae æ Æ oe œ ö ss ß ẞ sz fi ﬁ dz dž DŽ ǆ Ǆ lj LJ ǉ nj ǌ ch Ch CH ll LL ł l ij ĳ " +
		"cs dzs gy ly ny ty zs ı I i İ u v w q Ð ð d þ th ø o õ ñ n ü y é e É ě č c ř š ž z đ " +
		"가 가 각 각 か が が カ ガ カー カア かー ゝ かゝ かか ー ｶﾞ ﾊﾟ เก กเ ເກ ක්\u200dෂ ක්ෂ " +
		"ي ی ى ک ك ه ة и й й і ї ё е ґ г Ω ω ς σ Σ ῳ 1 ¹ ① １ ½ 1⁄2 漢 漢 \uf900 豈 𝐀 𐐀 𐐨 😀 🎉 \ufffd - _ ' ? # a\u0327\u0301 a\u0301\u0327")
	ends := []string{"", " ", "  ", "\u00a0", " \u00a0", "\u3000", "\u2003", "\x00", " \x00", "\x00 ", "\u200b", "\u200b ", "\u00ad", "\t", "\n",
		"\u0301", " \u0301", "\u0327", "x", " x", "\x00x", "\u0301x", "\ufeff", "\u034f", "\U000e0001", "\u3099"}
	var texts []string
	for _, b := range append(bases, "", " ", "\x00") {
		for _, e := range ends {
			texts = append(texts, b+e)
		}
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			two := string([]rune{a, b})
			texts = append(texts, two, strings.ToUpper(two), string([]rune{a - 32, b}), two+"\u0301")
		}
	}
	for _, pair := range []string{"l·", "ŀ", "l·l", "c\u200dh", "c\u034fh", "a\u0061", "D\u017d", "d\u017e", "d\u007a\u030c"} {
		texts = append(texts, pair, pair+"a")
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// insertTexts fills a table with the texts that its character set has, numbered.
func (s session) insertTexts(table, charset string, texts []string) {
	s.exec(fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, v VARCHAR(40) CHARACTER SET %s COLLATE %[2]s_bin NOT NULL)", table, charset))
	for from := 0; from < len(texts); from += 5000 {
		var rows []string
		for i, text := range texts[from:min(from+5000, len(texts))] {
			if encoded, ok := encode(charset, text); ok {
				rows = append(rows, fmt.Sprintf("(%d,_%s x'%x')", from+i, charset, encoded))
			}
		}
		if len(rows) > 0 {
			s.exec(fmt.Sprintf("INSERT INTO %s VALUES %s", table, strings.Join(rows, ",")))
		}
	}
}

// encode knows latin1 where it is the same as Unicode, and as bytes.
func encode(charset, text string) (string, bool) {
	for _, r := range text {
		if charset == "utf8mb3" && r > 0xffff || charset == "ascii" && r > 0x7f || charset == "latin1" && r > 0xff {
			return "", false
		}
	}
	if charset != "latin1" {
		return text, true
	}
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b), true
}
