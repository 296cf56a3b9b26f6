package dep

import (
	"slices"
	"strings"
	"testing"

	"weir/cache"
)

func TestFold(t *testing.T) {
	tests := []struct {
		schema, table string
		want          string
	}{
		{"shop", "orders", "shop.orders"},
		{"Shop", "ORDERS", "shop.orders"},
		{"", "T", ".t"},
		{"D", "", "d."},
		{"Bücher", "ÄRGER", "bücher.ärger"},
		{"ΠΩΛΗΣΗ", "ЗАКАЗ", "πωληση.заказ"},
		{"a b", "c.d`e", "a b.c.d`e"},
		{"注文", "T1$_", "注文.t1$_"},
	}
	for _, tt := range tests {
		n := Fold(tt.schema, tt.table)
		if got := n.String(); got != tt.want {
			t.Errorf("Fold(%q, %q) is %q, want %q", tt.schema, tt.table, got, tt.want)
		}
		if again := Fold(n.Schema, n.Table); again != n {
			t.Errorf("folded twice, %q becomes %q", n, again)
		}
	}
}

// TestSpellingsMeet: what the statement names and what the binlog names are one tag, however they are spelled.
func TestSpellingsMeet(t *testing.T) {
	want := Fold("shop", "orders").Tag()
	for _, spelling := range [][2]string{{"SHOP", "ORDERS"}, {"Shop", "orders"}, {"sHOP", "Orders"}} {
		if got := Fold(spelling[0], spelling[1]).Tag(); got != want {
			t.Errorf("%v has another tag than shop.orders", spelling)
		}
		if got := Schema(spelling[0]); got != Schema("shop") {
			t.Errorf("the schema %s has another tag than shop", spelling[0])
		}
	}
}

// TestTagsAreDistinct: no two of these are the same thing.
func TestTagsAreDistinct(t *testing.T) {
	tags := map[string]cache.Tag{
		"everything":       Everything(),
		"schema ''":        Schema(""),
		"schema a":         Schema("a"),
		"schema ab":        Schema("ab"),
		"schema abc":       Schema("abc"),
		"schema *":         Schema("*"),
		"table ''.''":      Fold("", "").Tag(),
		"table ''.a":       Fold("", "a").Tag(),
		"table a.''":       Fold("a", "").Tag(),
		"table a.b":        Fold("a", "b").Tag(),
		"table b.a":        Fold("b", "a").Tag(),
		"table a.bc":       Fold("a", "bc").Tag(),
		"table ab.c":       Fold("ab", "c").Tag(),
		"table ''.abc":     Fold("", "abc").Tag(),
		"table abc.''":     Fold("abc", "").Tag(),
		"table a.b.c with": Fold("a.b", "c").Tag(),
		"table a.b_c with": Fold("a", "b.c").Tag(),
		"table of 64+64":   Fold(strings.Repeat("a", 64), strings.Repeat("b", 64)).Tag(),
		"table of 65+63":   Fold(strings.Repeat("a", 64)+"b", strings.Repeat("b", 63)).Tag(),
	}
	seen := map[cache.Tag]string{}
	for name, tag := range tags {
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s have the same tag", name, other)
		}
		seen[tag] = name
	}
}

// TestTagsAreForEver pins values. Weirs of different versions may share a second tier, where a tag that has changed its
// value would be one that no change touches.
func TestTagsAreForEver(t *testing.T) {
	for tag, want := range map[cache.Tag]uint64{
		Everything():                 0x79d03016b7aeed0d,
		Schema("shop"):               0x53c85b0589ec1e5d,
		Fold("shop", "orders").Tag(): 0xdb40bd968600ca69,
		Fold("", "").Tag():           0xed073778b0b057bd,
	} {
		if uint64(tag) != want {
			t.Errorf("tag %#x, want %#x", uint64(tag), want)
		}
	}
}

func TestTags(t *testing.T) {
	a1, a2, b1 := Fold("a", "t1"), Fold("a", "t2"), Fold("b", "t1")
	tests := []struct {
		name  string
		names []Name
		want  []cache.Tag
	}{
		{"nothing", nil, []cache.Tag{Everything()}},
		{"one table", []Name{a1}, []cache.Tag{Everything(), Schema("a"), a1.Tag()}},
		{"one table twice", []Name{a1, a1}, []cache.Tag{Everything(), Schema("a"), a1.Tag()}},
		{"two of a schema", []Name{a1, a2}, []cache.Tag{Everything(), Schema("a"), a1.Tag(), a2.Tag()}},
		{"two schemas", []Name{a1, b1}, []cache.Tag{Everything(), Schema("a"), a1.Tag(), Schema("b"), b1.Tag()}},
		{"to and fro", []Name{a1, b1, a2, b1, a1}, []cache.Tag{Everything(), Schema("a"), a1.Tag(), Schema("b"), b1.Tag(), a2.Tag()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Tags(tt.names); !slices.Equal(got, tt.want) {
				t.Errorf("got %x, want %x", got, tt.want)
			}
		})
	}
}

// TestChangesReachTheirReaders joins both sides: what a change touches, and what a result over two tables depends on.
func TestChangesReachTheirReaders(t *testing.T) {
	reader := Tags([]Name{Fold("shop", "orders"), Fold("stock", "items")})
	tests := []struct {
		name    string
		touched cache.Tag
		want    bool
	}{
		{"a row of a table", Fold("shop", "orders").Tag(), true},
		{"in another spelling", Fold("Stock", "ITEMS").Tag(), true},
		{"its schema is dropped", Schema("STOCK"), true},
		{"nobody knows what", Everything(), true},
		{"another table of the schema", Fold("shop", "items").Tag(), false},
		{"another schema", Schema("orders"), false},
	}
	for _, tt := range tests {
		if got := slices.Contains(reader, tt.touched); got != tt.want {
			t.Errorf("%s: the result depends on it = %v, want %v", tt.name, got, tt.want)
		}
	}
}
