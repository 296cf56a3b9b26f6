package catalog

import (
	"strings"
	"testing"

	"weir/cache/dep"
)

// shapeOf makes a shape from lines of columns, "position name type [extra]", and of keys, "index part column [PREFIX]",
// in which an index in capitals is unique.
func shapeOf(columnLines, keyLines string) *dep.Shape {
	l := newLoader(nil)
	l.shapes, l.times = map[rawName]*dep.Shape{}, map[rawName][]string{}
	var columns []column
	for line := range strings.Lines(columnLines) {
		f := append(strings.Fields(line), "", "", "", "")
		columns = append(columns, l.column([]string{"s", "t", f[0], f[1], f[2], f[2], "", "", f[3], ""}))
	}
	var parts []keyPart
	for line := range strings.Lines(keyLines) {
		f := append(strings.Fields(line), "", "", "", "")
		notUnique := "1"
		if f[0] == strings.ToUpper(f[0]) {
			notUnique = "0"
		}
		parts = append(parts, readKeyPart([]string{"s", "t", f[0], notUnique, f[1], strings.TrimPrefix(f[2], "-"), f[3]}))
	}
	l.notice(newShapes(), columns, parts)
	return l.shapes[rawName{"s", "t"}]
}

func TestShapeOf(t *testing.T) {
	for _, tt := range []struct {
		name, columns, keys, want string
	}{
		{"nothing", "", "PRIMARY 1 a", "unknown"},
		{"one column", "1 A int", "", "a:int"},
		{"in any order", "3 c int\n1 a int\n2 b int", "k 2 b\nk 1 a", "a:int b:int c:int key(a,b)"},
		{"one is missing", "1 a int\n3 c int", "", "unknown"},
		{"the first is missing", "2 a int\n3 c int", "", "unknown"},
		{"one is there twice", "1 a int\n2 b int\n2 b int", "", "unknown"},
		{"two have one name", "1 a int\n2 A int", "", "unknown"},
		{"no number", "1 a int\nx b int", "", "unknown"},
		{"virtual", "1 a int VIRTUAL\n2 b int virtual\n3 c int STORED", "", "a:int:virtual b:int:virtual c:int"},
		{"primary first, unique next", "1 a int\n2 b int", "a 1 a\nB 1 b\nPRIMARY 1 b\nPRIMARY 2 a", "a:int b:int primary(b,a) unique(b) key(a)"},
		{"a primary key over a prefix", "1 a text\n2 b int", "PRIMARY 1 a 5\nPRIMARY 2 b", "a:text b:int"},
		{"an expression", "1 a int\n2 b int", "K 1 a\nK 2 -\nL 1 b", "a:int b:int unique(b)"},
		{"a part is missing", "1 a int\n2 b int", "K 2 b\nL 1 a\nL 3 b", "a:int b:int"},
		{"a part without a number", "1 a int", "K x a", "a:int"},
		{"a column that is not there", "1 a int", "K 1 b\nl 1 a", "a:int key(a)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shapeText(shapeOf(tt.columns, tt.keys)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestShapesAreShared: tables that are alike have one shape, and all others have their own.
func TestShapesAreShared(t *testing.T) {
	made := newShapes()
	alike := func() ([]column, []keyPart) {
		return []column{{position: 1, name: "a", described: dep.Described{DataType: "int", ColumnType: "int"}}, {position: 2, name: "b"}},
			[]keyPart{{index: "k", unique: true, position: 1, column: "a"}}
	}
	first := made.shape(alike())
	if again := made.shape(alike()); again != first {
		t.Error("two tables that are alike do not share their shape")
	}
	for name, change := range map[string]func(columns []column, parts []keyPart){
		"a name":        func(columns []column, _ []keyPart) { columns[0].name = "c" },
		"a type":        func(columns []column, _ []keyPart) { columns[0].described.ColumnType = "int unsigned" },
		"a collation":   func(columns []column, _ []keyPart) { columns[0].described.Collation = "utf8mb4_bin" },
		"virtual":       func(columns []column, _ []keyPart) { columns[1].extra = "VIRTUAL GENERATED" },
		"not unique":    func(_ []column, parts []keyPart) { parts[0].unique = false },
		"another key":   func(_ []column, parts []keyPart) { parts[0].column = "b" },
		"a primary key": func(_ []column, parts []keyPart) { parts[0].index = "PRIMARY" },
		"whose server":  func(columns []column, _ []keyPart) { columns[0].described.MariaDB = true },
	} {
		columns, parts := alike()
		change(columns, parts)
		if made.shape(columns, parts) == first {
			t.Errorf("%s: a table that is not alike shares the shape", name)
		}
	}
}

// TestNamesThatDifferByCaseHaveNoShape: a change to one of them counts as one to the other, whose columns it may not
// have, or not in that order when it comes.
func TestNamesThatDifferByCaseHaveNoShape(t *testing.T) {
	shape := shapeOf("1 a int", "PRIMARY 1 a")
	f := &facts{
		tables: []table{{rawName{"s", "t"}, "BASE TABLE", "InnoDB"}, {rawName{"s", "T"}, "BASE TABLE", "InnoDB"}, {rawName{"s", "u"}, "BASE TABLE", "InnoDB"}},
		shapes: map[rawName]*dep.Shape{{"s", "t"}: shape, {"s", "T"}: shape, {"s", "u"}: shape},
	}
	s := f.assemble()
	if got := s.Relation(tableT); got.Kind != dep.BaseTable || got.Shape != nil {
		t.Errorf("s.t is %+v", got)
	}
	if got := s.Relation(nameOf("s.u")).Shape; got != shape {
		t.Errorf("the shape of s.u is %s", shapeText(got))
	}
}
