package dep

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func whole(magnitude uint64) Literal { return Literal{Kind: WholeLiteral, Magnitude: magnitude} }
func negative(magnitude uint64) Literal {
	return Literal{Kind: WholeLiteral, Magnitude: magnitude, Negative: true}
}
func point(text string) Literal  { return Literal{Kind: DecimalLiteral, Text: text} }
func text(text string) Literal   { return Literal{Kind: TextLiteral, Text: text, UTF8: true} }
func legacy(text string) Literal { return Literal{Kind: TextLiteral, Text: text} }
func raw(text string) Literal    { return Literal{Kind: BytesLiteral, Text: text} }

// verdict says whether a literal and a stored value have one encoding.
type verdict string

const (
	same    verdict = "same"
	differs verdict = "differs"
	unknown verdict = "unknown" // the literal has no encoding
)

// meeting is a literal, and a value as a row event has it.
type meeting struct {
	literal Literal
	image   string
	want    verdict
}

func meet(t *testing.T, typ Type, f Field, meetings []meeting) {
	t.Helper()
	for _, m := range meetings {
		image, ok := typ.AppendImage([]byte("x"), []byte(m.image), f)
		if !ok || image[0] != 'x' {
			t.Errorf("%s: no encoding for %x: %x", typ.Name, m.image, image)
			continue
		}
		got := unknown
		if code, ok := typ.AppendLiteral([]byte("x"), m.literal); ok {
			got = differs
			if bytes.Equal(code, image) {
				got = same
			}
		}
		if got != m.want {
			t.Errorf("%s %s: %+v and %x: %s, expected %s", typ.Name, typ.Collation, m.literal, m.image, got, m.want)
		}
	}
}

func TestPitfall18Collation(t *testing.T) {
	meet(t, textOf("utf8mb4_general_ci"), Field{}, []meeting{
		{text("a"), "A", same}, {text("e"), "é", same}, {text("e"), "É", same}, {text("a"), "a ", same}, {text("a  "), "a", same},
		{text("a"), "b", differs}, {text("a"), " a", differs}, {text("ß"), "s", same}, {text("ß"), "ss", differs}, {text(""), "  ", same},
		{text("a"), "a\x00", differs}, {text("😀"), "🎉", same},
	})
	meet(t, textOf("utf8mb4_unicode_ci"), Field{}, []meeting{
		{text("ß"), "ss", same}, {text("a"), "a\x00", same}, {text("a "), "a\x00", same}, {text("a"), "a\x00 ", same}, {text("a"), "a\u00a0", same},
		{text("a"), "a b", differs}, {text("e\u0301"), "é", same}, {text("a"), "ａ", same},
	})
	meet(t, textOf("utf8mb4_bin"), Field{}, []meeting{
		{text("a"), "a ", same}, {text("a"), "A", differs}, {text("é"), "é", same}, {text("e"), "é", differs}, {text("a"), "a\u00a0", differs},
	})
	meet(t, textOf("utf8mb4_0900_ai_ci"), Field{}, []meeting{
		{text("a"), "Á", same}, {text("ß"), "ss", same}, {text("😀"), "🎉", differs},
		{text("a"), "a ", same}, // not equal, for it is NO PAD, but a CHAR may be without its spaces
	})
	meet(t, textOf("utf8mb4_0900_as_cs"), Field{}, []meeting{
		{text("a"), "a", same}, {text("a"), "A", differs}, {text("a"), "á", differs}, {text("aé"), "ae\u0301", same},
		{text("aB"), "aB  ", same}, {text("ab"), "aB  ", differs},
	})
	uca1400 := Described{DataType: "text", ColumnType: "text", Charset: "utf8mb4", Collation: "utf8mb4_uca1400_ai_ci", MariaDB: true}
	meet(t, TypeOf(uca1400), Field{}, []meeting{
		{text("Abc"), "aBC ", same}, {text("a"), "a\x00", same}, {text("a-"), "a", differs}, {text("é"), "e", unknown},
	})
}

// TestPitfall18Unreadable: what an image has no encoding for touches the whole table.
func TestPitfall18Unreadable(t *testing.T) {
	uca1400 := TypeOf(Described{DataType: "text", ColumnType: "text", Charset: "utf8mb4", Collation: "utf8mb4_uca1400_ai_ci", MariaDB: true})
	utf8mb3 := TypeOf(Described{DataType: "text", ColumnType: "text", Charset: "utf8mb3", Collation: "utf8mb3_bin"})
	ascii := TypeOf(Described{DataType: "text", ColumnType: "text", Charset: "ascii", Collation: "ascii_bin"})
	general := textOf("utf8mb4_general_ci")
	for _, tt := range []struct {
		typ   *Type
		image string
	}{
		{&uca1400, "é"}, {&uca1400, "abc\u00a0"}, {&utf8mb3, "😀"}, {&utf8mb3, "\xff"}, {&ascii, "é"}, {&general, "a\xc3"}, {&general, "\xed\xa0\x80"},
		{&Type{}, "a"}, {&Type{Class: Text}, "a"}, {&Type{Class: Enum}, "\x01"},
	} {
		if code, ok := tt.typ.AppendImage([]byte("x"), []byte(tt.image), Field{}); ok || string(code) != "x" {
			t.Errorf("%s: %q is encoded as %x", tt.typ.Collation, tt.image, code)
		}
	}
}

func TestPitfall19Conversion(t *testing.T) {
	meet(t, describe("int", "int(11)"), Field{}, []meeting{
		{whole(5), "\x05\x00\x00\x00", same}, {negative(5), "\xfb\xff\xff\xff", same}, {negative(0), "\x00\x00\x00\x00", same},
		{text("5"), "\x05\x00\x00\x00", same}, {text("-5"), "\xfb\xff\xff\xff", same}, {text("005"), "\x05\x00\x00\x00", same},
		{text("-0"), "\x00\x00\x00\x00", same}, {text("6"), "\x05\x00\x00\x00", differs}, {text("999999999999999"), "\x05\x00\x00\x00", differs},
		{text("1000000000000000"), "\x05\x00\x00\x00", unknown}, {text("5.0"), "\x05\x00\x00\x00", unknown}, {text(" 5"), "\x05\x00\x00\x00", unknown},
		{text("5 "), "\x05\x00\x00\x00", unknown}, {text("+5"), "\x05\x00\x00\x00", unknown}, {text("5abc"), "\x05\x00\x00\x00", unknown},
		{text("5e0"), "\x05\x00\x00\x00", unknown}, {text(""), "\x00\x00\x00\x00", unknown}, {text("-"), "\x00\x00\x00\x00", unknown},
		{point("5.0"), "\x05\x00\x00\x00", same}, {point("-5."), "\xfb\xff\xff\xff", same}, {point("5.5"), "\x05\x00\x00\x00", unknown},
		{point("18446744073709551615.000"), "\x05\x00\x00\x00", differs}, {point("18446744073709551616.0"), "\x00\x00\x00\x00", unknown},
		{raw("\x05"), "\x05\x00\x00\x00", unknown}, {Literal{}, "\x00\x00\x00\x00", unknown},
	})
	meet(t, textOf("utf8mb4_general_ci"), Field{}, []meeting{{whole(1), "1", unknown}, {point("1.0"), "1", unknown}, {raw("1"), "1", unknown}})
	meet(t, describe("decimal", "decimal(3,1)"), Field{codeDecimal, 3<<8 | 1}, []meeting{
		{whole(5), "\x85\x00", same}, {point("5.00"), "\x85\x00", same}, {point("-5.5"), "\x7a\xfa", same}, {point("5.5"), "\x7a\xfa", differs},
		{negative(0), "\x80\x00", same}, {point("-0.0"), "\x80\x00", same}, {point("5.55"), "\x85\x05", unknown},
		{text("5"), "\x85\x00", unknown}, {whole(512), "\x85\x00", differs},
	})
	meet(t, describe("date", "date"), Field{}, []meeting{
		{text("2026-01-02"), date3(2026, 1, 2), same}, {text("2026-01-03"), date3(2026, 1, 2), differs},
		{text("2026-00-00"), date3(2026, 0, 0), same}, {text("0000-00-00"), date3(0, 0, 0), same}, {text("2024-02-29"), date3(2024, 2, 29), same},
		{text("2026-02-29"), date3(2026, 2, 28), unknown}, {text("2026-13-01"), date3(2026, 2, 28), unknown},
		{text("2026-1-2"), date3(2026, 1, 2), unknown}, {text("26-01-02"), date3(2026, 1, 2), unknown}, {text("20260102"), date3(2026, 1, 2), unknown},
		{whole(20260102), date3(2026, 1, 2), unknown}, {text("2026-01-02 00:00:00"), date3(2026, 1, 2), unknown},
		{text("2026/01/02"), date3(2026, 1, 2), unknown}, {text("2026-01-02 "), date3(2026, 1, 2), unknown}, {text(""), date3(0, 0, 0), unknown},
	})
}

func date3(year, month, day int) string {
	v := year<<9 | month<<5 | day
	return string([]byte{byte(v), byte(v >> 8), byte(v >> 16)})
}

func unhex(t *testing.T, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPitfall19DateTime: 2026-01-02 03:04:05 is 99b8c43105 in the binlog.
func TestPitfall19DateTime(t *testing.T) {
	at := unhex(t, "99b8c43105")
	meet(t, describe("datetime", "datetime"), Field{codeDateTime2, 0}, []meeting{
		{text("2026-01-02 03:04:05"), at, same}, {text("2026-01-02 03:04:05.000"), at, same}, {text("2026-01-02 03:04:06"), at, differs},
		{text("2026-01-02"), unhex(t, "99b8c40000"), same}, {text("2026-01-02"), at, differs},
		{text("2026-01-02 03:04:05.5"), at, unknown}, {text("2026-01-02T03:04:05"), at, unknown}, {text("2026-01-02 3:04:05"), at, unknown},
		{text("2026-01-02  03:04:05"), at, unknown}, {text("2026-01-02 03:04"), at, unknown}, {text("2026-01-02 24:00:00"), at, unknown},
		{text("2026-01-02 03:04:05."), at, unknown}, {text("2026-01-02 03:04:05+00:00"), at, unknown}, {text("2026-01-02 03:04:05.0000000"), at, unknown},
		{text("2026-01-02 03:60:05"), at, unknown}, {text("2026-01-02 03:04:60"), at, unknown}, {text("2026-01-02 "), at, unknown},
		{whole(20260102030405), at, unknown}, {text("0000-00-00 00:00:00"), unhex(t, "8000000000"), same},
	})
	meet(t, describe("datetime", "datetime(3)"), Field{codeDateTime2, 3}, []meeting{
		{text("2026-01-02 03:04:05.5"), at + unhex(t, "1388"), same}, {text("2026-01-02 03:04:05.500000"), at + unhex(t, "1388"), same},
		{text("2026-01-02 03:04:05.0005"), at + unhex(t, "0000"), unknown}, {text("2026-01-02 03:04:05"), at + unhex(t, "1388"), differs},
	})
	meet(t, describe("datetime", "datetime(6)"), Field{codeDateTime2, 6}, []meeting{
		{text("2026-01-02 03:04:05.000001"), at + unhex(t, "000001"), same}, {text("2026-01-02 03:04:05.999999"), at + unhex(t, "0f423f"), same},
	})
}

func TestPitfall20Sign(t *testing.T) {
	meet(t, describe("bigint", "bigint unsigned"), Field{}, []meeting{
		{whole(18446744073709551615), "\xff\xff\xff\xff\xff\xff\xff\xff", same}, {negative(1), "\xff\xff\xff\xff\xff\xff\xff\xff", differs},
	})
	meet(t, describe("bigint", "bigint"), Field{}, []meeting{
		{negative(1), "\xff\xff\xff\xff\xff\xff\xff\xff", same}, {whole(18446744073709551615), "\xff\xff\xff\xff\xff\xff\xff\xff", differs},
		{negative(1 << 63), "\x00\x00\x00\x00\x00\x00\x00\x80", same},
	})
	meet(t, describe("mediumint", "mediumint(8) unsigned"), Field{}, []meeting{{whole(16777215), "\xff\xff\xff", same}, {negative(1), "\xff\xff\xff", differs}})
	meet(t, describe("mediumint", "mediumint(8)"), Field{}, []meeting{{negative(1), "\xff\xff\xff", same}, {negative(8388608), "\x00\x00\x80", same}})
	meet(t, describe("tinyint", "tinyint(3) unsigned"), Field{}, []meeting{{whole(255), "\xff", same}, {whole(128), "\x80", same}})
	meet(t, describe("tinyint", "tinyint(4)"), Field{}, []meeting{{negative(128), "\x80", same}, {whole(128), "\x80", differs}})
}

func TestPitfall21ApproximateTypes(t *testing.T) {
	for _, name := range []string{"float", "double", "time", "timestamp", "year", "json", "bit", "set"} {
		typ := describe(name, name)
		for _, l := range []Literal{whole(1), point("0.1"), text("0.1"), text("2026"), raw("1")} {
			if code, ok := typ.AppendLiteral(nil, l); ok {
				t.Errorf("%s = %+v is encoded as %x", name, l, code)
			}
			if at, ok := typ.LiteralPosition(l); ok {
				t.Errorf("%s %+v is at %d", name, l, at)
			}
		}
	}
}

func TestPitfall22Enum(t *testing.T) {
	d := Described{DataType: "enum", ColumnType: "enum('small','LARGE','2','é','')", Charset: "utf8mb4", Collation: "utf8mb4_general_ci"}
	meet(t, TypeOf(d), Field{codeString, codeEnum<<8 | 1}, []meeting{
		{text("small"), "\x01", same}, {text("SMALL "), "\x01", same}, {text("large"), "\x02", same}, {text("small"), "\x02", differs},
		{text("2"), "\x03", same}, {text("2"), "\x02", differs}, {text("1"), "\x01", unknown}, {whole(1), "\x01", unknown},
		{text("e"), "\x04", same}, {text(""), "\x00", same}, {text(""), "\x05", same}, {text("medium"), "\x01", unknown}, {text("medium "), "\x01", unknown},
		{legacy("é"), "\x04", unknown}, {raw("small"), "\x01", unknown},
	})
	typ := TypeOf(d)
	for _, image := range []string{"\x06", "\xff", "", "\x01\x00\x00"} {
		if code, ok := typ.AppendImage(nil, []byte(image), Field{}); ok {
			t.Errorf("a number out of range, %x, is encoded as %x", image, code)
		}
	}
	d.ColumnType = "enum('LARGE','small','2','é','')" // in another order
	meet(t, TypeOf(d), Field{codeString, codeEnum<<8 | 1}, []meeting{{text("small"), "\x02\x00", same}, {text("small"), "\x01", differs}})
}

func TestPitfall23CharacterSets(t *testing.T) {
	latin1 := Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "latin1", Collation: "latin1_swedish_ci"}
	meet(t, TypeOf(latin1), Field{}, []meeting{
		{text("a"), "A", same}, {text("é"), "\xe9", same}, {text("É"), "e", same}, {text("€"), "\x80", same}, {text("Ÿ"), "\x9f", same}, {text("\u0081"), "\x81", same},
		{legacy("a"), "A", same}, {legacy("é"), "\xe9", unknown}, {text("漢"), "?", unknown}, {text("ÿ"), "\xff", same},
	})
	utf8mb3 := Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "utf8", Collation: "utf8_general_ci"}
	meet(t, TypeOf(utf8mb3), Field{}, []meeting{
		{text("é"), "E", same}, {text("😀"), "?", unknown}, {text("\xff"), "?", unknown}, {legacy("é"), "é", unknown}, {legacy("e"), "é", same},
	})
	ascii := Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "ascii", Collation: "ascii_bin"}
	meet(t, TypeOf(ascii), Field{}, []meeting{{text("a"), "a", same}, {text("a"), "A", differs}, {text("é"), "?", unknown}})
	meet(t, describe("varbinary", "varbinary(20)"), Field{}, []meeting{
		{text("é"), "é", same}, {legacy("é"), "é", unknown}, {legacy("a"), "a", unknown}, {raw("\xe9"), "\xe9", same}, {text("a"), "a\x00", differs}, {text("a"), "a ", differs},
	})
	meet(t, describe("binary", "binary(3)"), Field{}, []meeting{{raw("a\x00\x00"), "a", same}, {raw("a"), "a", same}, {raw("a\x00b"), "a", differs}})
}

func TestPitfall24Null(t *testing.T) {
	all := []Type{
		describe("int", "int"), describe("decimal", "decimal(3,1)"), describe("date", "date"), describe("datetime", "datetime"), describe("blob", "blob"),
		textOf("utf8mb4_bin"), describe("float", "float"),
		TypeOf(Described{DataType: "enum", ColumnType: "enum('a')", Charset: "utf8mb4", Collation: "utf8mb4_bin"}),
	}
	for _, typ := range all {
		for _, l := range []Literal{{Kind: NullLiteral}, {Kind: OtherLiteral, Text: "1", Magnitude: 1}} {
			code, ok := typ.AppendLiteral([]byte("x"), l)
			if ok || string(code) != "x" {
				t.Errorf("%s: %+v is encoded as %x", typ.Name, l, code)
			}
			if at, ok := typ.LiteralPosition(l); ok {
				t.Errorf("%s: %+v is at %d", typ.Name, l, at)
			}
		}
	}
}
