package dep

import (
	"bytes"
	"strconv"
	"testing"
)

// everyType has one type of each kind.
func everyType() []Type {
	all := []Type{
		describe("tinyint", "tinyint"), describe("bigint", "bigint unsigned"), describe("decimal", "decimal(10,2)"), describe("binary", "binary(3)"),
		describe("blob", "blob"), describe("date", "date"), describe("datetime", "datetime(6)"), describe("float", "float"),
	}
	for _, collation := range []string{"general_ci", "unicode_ci", "0900_as_cs", "0900_ai_ci", "zh_0900_as_cs", "ja_0900_as_cs_ks", "czech_ci", "bin"} {
		all = append(all, textOf("utf8mb4_"+collation))
	}
	return append(all,
		TypeOf(Described{DataType: "enum", ColumnType: "enum('a','b')", Charset: "latin1", Collation: "latin1_swedish_ci"}),
		TypeOf(Described{DataType: "char", ColumnType: "char(9)", Charset: "utf8mb4", Collation: "utf8mb4_uca1400_ai_ci", MariaDB: true}))
}

// FuzzValues: whatever a row event has, it is read or not, and a text is encoded the same way as a literal. Spaces at the end
// make no difference.
func FuzzValues(f *testing.F) {
	f.Add([]byte("Straße "), byte(codeVarchar), uint16(80))
	f.Add([]byte("\x81\x0d\xfb\x38\xd2\x04\xd2"), byte(codeDecimal), uint16(14<<8|4))
	f.Add([]byte("\x99\xb8\xc4\x31\x05\x0f\x42\x3f"), byte(codeDateTime2), uint16(6))
	f.Add([]byte("\x01"), byte(codeString), uint16(codeEnum<<8|1))
	types := everyType()
	f.Fuzz(func(t *testing.T, raw []byte, code byte, meta uint16) {
		field := Field{code, meta}
		for _, typ := range types {
			typ.Agrees(field)
			typ.ImagePosition(raw, field)
			image, ok := typ.AppendImage([]byte("x"), raw, field)
			if !bytes.HasPrefix(image, []byte("x")) || !ok && len(image) != 1 {
				t.Fatalf("%s: %x is appended as %x", typ.Name, raw, image)
			}
			for _, l := range []Literal{text(string(raw)), point(string(raw))} {
				typ.LiteralPosition(l)
				typ.AppendLiteral(nil, l)
			}
			if typ.Class != Text {
				continue
			}
			for _, end := range []string{"", " ", "   "} {
				if literal, known := typ.AppendLiteral([]byte("x"), text(string(raw)+end)); known != ok || !bytes.Equal(literal, image) {
					t.Fatalf("%s: %q is %x in an image, and with %d spaces %x as a literal", typ.Collation, raw, image, len(end), literal)
				}
			}
		}
	})
}

// FuzzWhole: an integer as a literal of any kind, and as a stored value, has one encoding and one place.
func FuzzWhole(f *testing.F) {
	for _, v := range []int64{0, 1, -1, 127, -128, 1<<63 - 1, -1 << 63} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v int64) {
		typ := describe("bigint", "bigint")
		raw := make([]byte, 8)
		for i := range raw {
			raw[i] = byte(uint64(v) >> (8 * i))
		}
		image, _ := typ.AppendImage(nil, raw, Field{})
		at, _ := typ.ImagePosition(raw, Field{})
		digits := strconv.FormatInt(v, 10)
		for _, l := range []Literal{{Kind: WholeLiteral, Magnitude: magnitude(v), Negative: v < 0}, point(digits + ".0"), text(digits)} {
			literal, ok := typ.AppendLiteral(nil, l)
			place, _ := typ.LiteralPosition(l)
			if ok && (!bytes.Equal(image, literal) || at != place) {
				t.Errorf("%d is %x at %d, and as %+v %x at %d", v, image, at, l, literal, place)
			}
			if !ok && (l.Kind != TextLiteral || len(digits) < 16) {
				t.Errorf("%+v has no encoding", l)
			}
		}
	})
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// TestImagesAllocateNothing: rows come by the hundred thousand. Only the iterators of the larger collations are allocated.
func TestImagesAllocateNothing(t *testing.T) {
	enum := TypeOf(Described{DataType: "enum", ColumnType: "enum('a','b')", Charset: "latin1", Collation: "latin1_swedish_ci"})
	for _, tt := range []struct {
		typ   Type
		field Field
		image string
	}{
		{describe("bigint", "bigint"), Field{}, "\x01\x02\x03\x04\x05\x06\x07\x08"},
		{describe("decimal", "decimal(14,4)"), Field{codeDecimal, 14<<8 | 4}, "\x81\x0d\xfb\x38\xd2\x04\xd2"},
		{describe("datetime", "datetime"), Field{}, "\x99\xb8\xc4\x31\x05"},
		{describe("varbinary", "varbinary(20)"), Field{}, "abc"},
		{enum, Field{}, "\x01"},
		{textOf("utf8mb4_general_ci"), Field{}, "Straße 7"},
		{textOf("utf8mb4_bin"), Field{}, "Straße 7"},
	} {
		dst, image := make([]byte, 0, 256), []byte(tt.image)
		if n := testing.AllocsPerRun(100, func() { tt.typ.AppendImage(dst, image, tt.field) }); n > 0 {
			t.Errorf("%s %s: %v allocations", tt.typ.Name, tt.typ.Collation, n)
		}
	}
}

func BenchmarkTextImage(b *testing.B) {
	for _, typ := range everyType() {
		if typ.Class != Text {
			continue
		}
		b.Run(typ.Collation, func(b *testing.B) {
			dst, image := make([]byte, 0, 256), []byte("Straße 7")
			for b.Loop() {
				typ.AppendImage(dst, image, Field{})
			}
		})
	}
}
