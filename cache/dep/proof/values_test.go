package proof

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir/cache/dep"
	"weir/deployments/sandbox"
)

// declaredColumn is a column to be made, and the values to be stored in it, as SQL.
type declaredColumn struct {
	table, declared string
	values          []string
}

var (
	wholes = strings.Fields(`NULL 0 1 -1 5 -5 42 127 128 -128 255 256 -32768 32767 65535 8388607 -8388608 16777215 16777216
		2147483647 -2147483648 4294967295 999999999999999 -999999999999999 9007199254740993 9223372036854775807
		-9223372036854775808 9223372036854775808 18446744073709551615`)
	decimals = append(strings.Fields(`-0.0 0.1 -0.1 0.10 5.0 5.5 -5.5 0.05 123.45 -123.45 99999999.99 0.123456789 -0.123456789
		1.000000001 18446744073709551616 123456789012345678901234567890.5 0.000000000000000000000000000001`), wholes...)
	texts = []string{
		"", " ", "  ", "a", "A", "a ", "a  ", " a", "ab", "á", "Á", "e", "é", "E", "É", "ß", "ss", "SS", "ss ", "æ", "ae", "Straße", "STRASSE",
		"i", "I", "ı", "İ", "5", "05", "5.0", "5abc", "a\x00", "a\x00 ", "\x00", "a\t", "€", "Š", "š", "ÿ", "Ÿ", "\u0081", "ñ", "n", "漢", "\ufffd", "😀", "🎉",
		"a         ", "ab        ", "b         ", "A         ", "          ", "5         ", "é         ", "a\u00a0", "\u00a0", "B", "b", "it's", `a\b`, "abcd", "abcdef", "abcdefghij", "abcdefghijk", "abcdefghijklmnopqrst", "abcdefghijklmnopqrstuvwxyz", "1", "2", "?", "e\u0301", "2026-01-02",
	}
	dates = []string{
		"0000-00-00", "0000-01-01", "1000-01-01", "1999-12-31", "2000-01-01", "2000-02-29", "2024-02-29", "2026-00-00", "2026-01-00",
		"2026-01-01", "2026-01-02", "2026-01-31", "2026-02-00", "2026-02-01", "2026-12-31", "9999-12-31",
	}
	times = []string{
		"00:00:00", "00:00:01", "03:04:05", "03:04:05.5", "03:04:05.500", "03:04:05.123", "03:04:05.123456", "03:04:05.999999", "12:00:00.0",
		"23:59:59", "23:59:59.999999",
	}
)

func columnsOf(flavor sandbox.Flavor) (all []declaredColumn) {
	add := func(values []string, declared ...string) {
		for _, d := range declared {
			all = append(all, declaredColumn{fmt.Sprintf("t%02d_%.50s", len(all), strings.Map(letter, d)), d, values})
		}
	}
	for _, name := range []string{"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT"} {
		add(wholes, name, name+" UNSIGNED")
	}
	add(wholes, "INT(5) ZEROFILL", "BOOLEAN")
	add(decimals, "DECIMAL(10,2)", "DECIMAL(65,30)", "DECIMAL(5,0)", "DECIMAL(20,0)", "DECIMAL(9,9)", "DECIMAL(18,9)",
		"DECIMAL(10,2) UNSIGNED", "NUMERIC(1,1)", "DECIMAL(19,1)")
	add(quote(texts), textsOf(flavor)...)
	add(append(quote(texts), "x'00'", "x'ff00'", "x'610000'", "x'6100'", "x'61000000'", "x'620000000000'", "x'ff'"), "BINARY(4)", "BINARY(6)", "VARBINARY(20)", "VARBINARY(300)",
		"TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB")
	const names = "('a','B','it''s','5','1','2','é','ss','n ')"
	add(append(quote(texts), "1", "2", "7"), "ENUM"+names+" CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		"ENUM"+names+" CHARACTER SET latin1", "ENUM"+names+" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"ENUM('a','','b') CHARACTER SET utf8mb4", "ENUM('\ufffd','a','5') CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "ENUM("+members(300)+",'a','b') CHARACTER SET utf8mb3")
	add(quote(dates), "DATE")
	add(quote(append(datetimes(), dates...)), "DATETIME", "DATETIME(1)", "DATETIME(2)", "DATETIME(3)", "DATETIME(5)", "DATETIME(6)")
	return all
}

// textsOf gives columns of text: every length of a length, and collations of every kind.
func textsOf(flavor sandbox.Flavor) []string {
	all := []string{
		"CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "CHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
		"CHAR(100) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		"VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"VARCHAR(20) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci", "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci",
		"VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin", "CHAR(20) CHARACTER SET latin1 COLLATE latin1_general_cs",
		"VARCHAR(20) CHARACTER SET ascii COLLATE ascii_general_ci", "TINYTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		"TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_german2_ci", "MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_turkish_ci",
		"LONGTEXT CHARACTER SET latin1 COLLATE latin1_german1_ci",
	}
	if flavor == sandbox.MySQL {
		return append(all, "CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", "VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
			"CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs", "VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin",
			"CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin")
	}
	return append(all, "CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_nopad_ci",
		"VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci", "CHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_nopad_as_cs",
		"VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_swedish_nopad_ci")
}

func members(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("'m%d'", i)
	}
	return strings.Join(names, ",")
}

func datetimes() (all []string) {
	for _, d := range dates {
		all = append(all, d+" 00:00:00", d+" 23:59:59.5")
	}
	for _, t := range times {
		all = append(all, "2026-01-02 "+t)
	}
	return all
}

func letter(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// quote writes texts as literals of SQL.
func quote(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\x00", `\0`).Replace(text) + "'"
	}
	return all
}

// literal is a constant as the server and as dep get it; parameter is it for a prepared statement, nil for those of which a
// driver has no type.
type literal struct {
	sql       string
	literal   dep.Literal
	parameter any
}

func literals() (all []literal) {
	for _, w := range wholes[1:] {
		magnitude, _ := strconv.ParseUint(strings.TrimPrefix(w, "-"), 10, 64)
		var parameter any = magnitude
		if signed, err := strconv.ParseInt(w, 10, 64); err == nil {
			parameter = signed
		}
		l := dep.Literal{Kind: dep.WholeLiteral, Magnitude: magnitude, Negative: w[0] == '-'}
		all = append(all, literal{w, l, parameter})
	}
	for _, d := range append(slices.Clip(decimals[:len(decimals)-len(wholes)]), "5.00", "255.0", "-0", "-128.000", "0.1000", "5.501", "18446744073709551615.0", "99999999.990") {
		all = append(all, literal{d, dep.Literal{Kind: dep.DecimalLiteral, Text: d}, nil})
	}
	words := append(append(append([]string{}, texts...), wholes[1:]...), datetimes()...)
	words = append(append(words, dates...), "-0", "005", "-5", "5 ", " 5", "+5", "5e0", "2026-1-2", "20260102", "2026-01-02T03:04:05", "m7", "M299", "n", "It's",
		"2026-01-02 03:04:05.1234567", "2026-02-30", "2026-13-01", "26-01-02", "2026-01-02 24:00:00", "2026-01-02 03:04:05.", "2026-01-02 03:04:05+00:00")
	for i, sql := range quote(words) {
		all = append(all, literal{sql, dep.Literal{Kind: dep.TextLiteral, Text: words[i], UTF8: true}, words[i]})
	}
	for _, raw := range []string{"", "a", "a\x00", "\x00", "\xff", "\xff\x00", "a\x00\x00\x00", "a\x00\x00\x00\x00\x00", "ab\x00\x00\x00\x00", "b\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00", "5\x00\x00\x00\x00\x00"} {
		all = append(all, literal{fmt.Sprintf("x'%x'", raw), dep.Literal{Kind: dep.BytesLiteral, Text: raw}, nil})
	}
	return all
}
