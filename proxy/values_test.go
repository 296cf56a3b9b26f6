package proxy

import (
	"reflect"
	"testing"

	"weir/cache/dep"
	"weir/proxy/wire"
)

func TestLiteralsOfParameters(t *testing.T) {
	for _, c := range []struct {
		name  string
		param wire.Param
		want  dep.Literal
	}{
		{"NULL", wire.Param{Type: wire.TypeLong, Null: true}, dep.Literal{Kind: dep.NullLiteral}},
		{"sent ahead", wire.Param{Type: wire.TypeString, Ahead: true}, dep.Literal{}},
		{"-1 of one byte", wire.Param{Type: wire.TypeTiny, Value: []byte{0xff}}, dep.Literal{Kind: dep.WholeLiteral, Magnitude: 1, Negative: true}},
		{"255 of one byte", wire.Param{Type: wire.TypeTiny, Unsigned: true, Value: []byte{0xff}}, dep.Literal{Kind: dep.WholeLiteral, Magnitude: 255}},
		{"the smallest", wire.Param{Type: wire.TypeLongLong, Value: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}, dep.Literal{Kind: dep.WholeLiteral, Magnitude: 1 << 63, Negative: true}},
		{"the largest", wire.Param{Type: wire.TypeLongLong, Unsigned: true, Value: []byte{255, 255, 255, 255, 255, 255, 255, 255}}, dep.Literal{Kind: dep.WholeLiteral, Magnitude: 1<<64 - 1}},
		{"a text", wire.Param{Type: wire.TypeVarString, Value: []byte("é")}, dep.Literal{Kind: dep.TextLiteral, Text: "é", UTF8: true}},
		{"bytes", wire.Param{Type: wire.TypeBlob, Value: []byte{0xe9}}, dep.Literal{Kind: dep.BytesLiteral, Text: "\xe9"}},
		{"a decimal number", wire.Param{Type: wire.TypeNewDecimal, Value: []byte("1.50")}, dep.Literal{Kind: dep.DecimalLiteral, Text: "1.50"}},
		{"a double", wire.Param{Type: wire.TypeDouble, Value: make([]byte, 8)}, dep.Literal{}},
		{"a date", wire.Param{Type: wire.TypeDate, Value: []byte{0xea, 7, 1, 2}}, dep.Literal{}},
		{"a year, which is not compared as a number", wire.Param{Type: wire.TypeYear, Value: []byte{0xea, 7}}, dep.Literal{}},
	} {
		if got := literalOf(c.param, true); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestLiteralsThatDoNotFit: values that cannot be taken apart are no constants, but there are as many as parameters.
func TestLiteralsThatDoNotFit(t *testing.T) {
	x := execution{handle: &handle{params: 2}, Execute: wire.Execute{Nulls: []byte{0}, Types: []byte{8, 0, 8, 0}, Values: []byte{1}}}
	if got, want := x.literals(true), make([]dep.Literal, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestIsSwe7(t *testing.T) {
	for name, want := range map[string]bool{"'swe7_swedish_ci'": true, "SWE7": true, "latin1_swedish_ci": false, "": false} {
		if got := isSwe7(name); got != want {
			t.Errorf("isSwe7(%q) = %v", name, got)
		}
	}
}

func TestIsUTF8(t *testing.T) {
	for name, want := range map[string]bool{
		"utf8mb4": true, "'utf8mb4_general_ci'": true, "UTF8": true, "utf8mb3_bin": true, "utf8mb4_uca1400_ai_ci": true,
		"latin1": false, "latin1_swedish_ci": false, "": false, "utf16": false, "binary": false,
	} {
		if got := isUTF8(name); got != want {
			t.Errorf("isUTF8(%q) = %v", name, got)
		}
	}
}
