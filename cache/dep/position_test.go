package dep

import (
	"math"
	"testing"
)

// TestPositionsOfLiterals: each literal has a place behind the one before, or the same where it says so.
func TestPositionsOfLiterals(t *testing.T) {
	tests := []struct {
		typ      Type
		literals []Literal
	}{
		{describe("bigint", "bigint"), []Literal{
			negative(1 << 63), negative(1<<63 - 1), negative(5), text("-4"), point("-1.0"), whole(0), text("1"), point("2."), whole(1<<63 - 1),
		}},
		{describe("bigint", "bigint unsigned"), []Literal{whole(0), text("1"), whole(1<<63 - 1), whole(1 << 63), whole(math.MaxUint64)}},
		{describe("date", "date"), []Literal{
			text("0000-00-00"), text("0000-00-01"), text("0000-01-00"), text("0000-01-01"), text("0000-12-31"), text("0001-00-00"), text("1999-12-31"),
			text("2000-01-01"), text("2026-00-31"), text("2026-01-00"), text("2026-01-31"), text("2026-02-00"), text("2026-02-01"), text("9999-12-31"),
		}},
		{describe("datetime", "datetime(6)"), []Literal{
			text("0000-00-00"), text("0000-00-00 00:00:01"), text("2025-12-31 23:59:59.999999"), text("2026-01-01"), text("2026-01-01 00:00:01.5"),
			text("2026-01-01 00:00:02"), text("2026-01-01 00:01:00"), text("2026-01-01 01:00:00"), text("2026-01-02"), text("9999-12-31 23:59:59"),
		}},
	}
	for _, tt := range tests {
		var before uint64
		for i, l := range tt.literals {
			at, ok := tt.typ.LiteralPosition(l)
			if !ok || i > 0 && at <= before {
				t.Errorf("%s: %+v is at %d, %v, and the one before at %d", tt.typ.Name, l, at, ok, before)
			}
			before = at
		}
	}
}

// TestPositionsOfImages: a stored value is where a literal for it is.
func TestPositionsOfImages(t *testing.T) {
	tests := []struct {
		typ     Type
		field   Field
		image   string
		literal Literal
	}{
		{describe("int", "int"), Field{}, "\x00\x00\x00\x80", negative(1 << 31)},
		{describe("int", "int"), Field{}, "\xff\xff\xff\xff", negative(1)},
		{describe("int", "int unsigned"), Field{}, "\xff\xff\xff\xff", whole(math.MaxUint32)},
		{describe("date", "date"), Field{}, date3(2026, 1, 2), text("2026-01-02")},
		{describe("date", "date"), Field{}, date3(0, 0, 0), text("0000-00-00")},
		{describe("datetime", "datetime"), Field{Meta: 0}, unhex(t, "99b8c43105"), text("2026-01-02 03:04:05")},
		{describe("datetime", "datetime(6)"), Field{Meta: 6}, unhex(t, "99b8c431050f423f"), text("2026-01-02 03:04:05.000000")},
	}
	for _, tt := range tests {
		want, ok1 := tt.typ.LiteralPosition(tt.literal)
		got, ok2 := tt.typ.ImagePosition([]byte(tt.image), tt.field)
		if !ok1 || !ok2 || got != want {
			t.Errorf("%s: %x is at %d, %v, and %+v at %d, %v", tt.typ.Name, tt.image, got, ok2, tt.literal, want, ok1)
		}
	}
}

// TestPositionsBeyond: what no value can be stands at the end.
func TestPositionsBeyond(t *testing.T) {
	signed, unsigned := describe("bigint", "bigint"), describe("bigint", "bigint unsigned")
	for _, tt := range []struct {
		typ     Type
		literal Literal
		want    uint64
	}{
		{signed, whole(math.MaxUint64), math.MaxUint64},
		{signed, whole(1 << 63), math.MaxUint64},
		{signed, negative(math.MaxUint64), 0},
		{unsigned, negative(1), 0},
	} {
		if got, ok := tt.typ.LiteralPosition(tt.literal); !ok || got != tt.want {
			t.Errorf("%+v is at %d, %v, expected %d", tt.literal, got, ok, tt.want)
		}
	}
}

func TestPositionsUnknown(t *testing.T) {
	day, second := describe("date", "date"), describe("datetime", "datetime")
	number, name := describe("int", "int"), textOf("utf8mb4_bin")
	for _, tt := range []struct {
		typ     *Type
		literal Literal
	}{
		{&number, point("5.5")}, {&number, text("5x")}, {&number, text("")}, {&number, raw("5")}, {&day, whole(20260102)},
		{&day, text("2026-01-02 00:00:00")}, {&second, text("2026-01-02 03:04:05.5")}, {&second, whole(20260102030405)}, {&name, text("a")},
	} {
		if at, ok := tt.typ.LiteralPosition(tt.literal); ok {
			t.Errorf("%s: %+v is at %d", tt.typ.Name, tt.literal, at)
		}
	}
	for _, image := range []string{"", "\x00", "\x00\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00"} {
		if at, ok := second.ImagePosition([]byte(image), Field{codeDateTime2, 0}); ok {
			t.Errorf("the image %x is at %d", image, at)
		}
	}
}
