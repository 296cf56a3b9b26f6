package catalog

import (
	"strings"
	"testing"

	"weir/cache/dep"
)

// keysOf reads foreign keys as in "s.parent>s.child".
func keysOf(text string) []foreignKey {
	var keys []foreignKey
	for _, k := range strings.Fields(text) {
		parent, child, _ := strings.Cut(k, ">")
		keys = append(keys, foreignKey{parent: nameOf(parent), child: nameOf(child)})
	}
	return keys
}

func nameOf(text string) dep.Name {
	schema, table, _ := strings.Cut(text, ".")
	return dep.Fold(schema, table)
}

func namesText(names []dep.Name) string {
	var text []string
	for _, n := range names {
		text = append(text, n.String())
	}
	return strings.Join(text, " ")
}

func TestPitfall4Cascades(t *testing.T) {
	for _, tt := range []struct {
		name, keys, parent, want string
	}{
		{"none", "", "s.a", ""},
		{"a child has none", "s.a>s.b", "s.b", ""},
		{"one level", "s.a>s.b", "s.a", "s.b"},
		{"three levels", "s.a>s.b s.b>s.c s.c>s.d", "s.a", "s.b s.c s.d"},
		{"from the middle", "s.a>s.b s.b>s.c s.c>s.d", "s.b", "s.c s.d"},
		{"another schema", "s.a>r.b r.b>s.c", "s.a", "r.b s.c"},
		{"two ways to one child", "s.a>s.b s.a>s.c s.b>s.d s.c>s.d", "s.a", "s.b s.c s.d"},
		{"to itself", "s.a>s.a", "s.a", "s.a"},
		{"a cycle", "s.a>s.b s.b>s.c s.c>s.a", "s.a", "s.a s.b s.c"},
		{"into a cycle", "s.x>s.a s.a>s.b s.b>s.a", "s.x", "s.a s.b"},
		{"the same key twice", "s.a>s.b s.a>s.b", "s.a", "s.b"},
		{"names in any case", "S.A>S.B", "s.a", "s.b"},
		{"a parent that does not exist", "s.missing>s.a", "s.missing", "s.a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (&facts{foreignKeys: keysOf(tt.keys)}).assemble()
			if got := namesText(s.Cascades(nameOf(tt.parent))); got != tt.want {
				t.Errorf("changes of %s reach %q, want %q", tt.parent, got, tt.want)
			}
		})
	}
}
