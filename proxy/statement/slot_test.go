package statement

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	driver "github.com/pingcap/tidb/pkg/parser/test_driver"

	"weir/cache/dep"
)

// describeSlots says in one line what stands in the slots.
func describeSlots(slots []Slot) string {
	var words []string
	for _, s := range slots {
		words = append(words, describeSlot(s))
	}
	return strings.Join(words, " ")
}

func describeSlot(s Slot) string {
	l := s.Literal
	switch {
	case s.Parameter > 0:
		return fmt.Sprintf("?%d", s.Parameter)
	case l.Kind == dep.NullLiteral:
		return "null"
	case l.Kind == dep.WholeLiteral && l.Negative:
		return fmt.Sprintf("-%d", l.Magnitude)
	case l.Kind == dep.WholeLiteral:
		return fmt.Sprintf("%d", l.Magnitude)
	case l.Kind == dep.DecimalLiteral:
		return l.Text + "d"
	case l.Kind == dep.TextLiteral && l.UTF8:
		return fmt.Sprintf("%q", l.Text)
	case l.Kind == dep.TextLiteral:
		return fmt.Sprintf("other%q", l.Text)
	case l.Kind == dep.BytesLiteral:
		return fmt.Sprintf("%x", l.Text)
	}
	return "unknown"
}

func TestSlots(t *testing.T) {
	utf8 := onWorld()
	utf8.UTF8 = true
	noEscapes, ansi := utf8, utf8
	noEscapes.SQLMode, ansi.SQLMode = "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"
	tests := []struct {
		name, where, want string
		env               Env
	}{
		{"numbers", "a = 5 AND b IN (0, 18446744073709551615) AND c BETWEEN 1.50 AND 20", "5 0 18446744073709551615 1.50d 20", utf8},
		{"signs", "a = -5 AND b <> -0.5 AND c > - 7 AND d IN (-1,-0)", "-5 -0.5d -7 -1 0", utf8},
		{"no signs", "a = b -5 AND c = - -6 AND d = +7", "5 6 7", utf8},
		{"texts", `a = 'x' AND b = "y" AND c IN ('it''s', "a""b", 'a"b', '')`, `"x" "y" "it's" "a\"b" "a\"b" ""`, utf8},
		{"escapes", `a = '\0\'\"\b\n\r\t\Z\\\%\_\q'`, `"\x00'\"\b\n\r\t\x1a\\\\%\\_q"`, utf8},
		{"no escapes", `a = '\' AND b = 'x\n'`, `"\\" "x\\n"`, noEscapes},
		{"names in double quotes", `a = "b" AND "c" = 'd'`, `"d"`, ansi},
		{"beyond ASCII", "a = 'é'", `"é"`, utf8},
		{"beyond ASCII, elsewhere", "a = 'é' AND b = 'e'", `other"é" other"e"`, onWorld()},
		{"beyond utf8mb3", "a = '🜁'", `other"🜁"`, utf8},
		{"bytes", "a = 0x1f AND b = x'1F20' AND c = X'00' AND d = 0xabc", "1f 1f20 00 0abc", utf8},
		{"words", "a <=> NULL AND b = TRUE AND c = false", "null 1 0", utf8},
		{"parameters", "a = ? AND b = 5 AND c IN (?, 'x', ?) LIMIT ?", `?1 5 ?2 "x" ?3 ?4`, utf8},
		{"rows", "(a, b) = (1, 'x') AND (a, b) IN ((2, 'y'), (3, 'z'))", `1 "x" 2 "y" 3 "z"`, utf8},
		{"calls", "a = LOWER('X') OR MOD(b, 2)", `"X" 2`, utf8},
		{"other literals", "a = 1e5 AND b = _latin1'x' AND c = N'x' AND d = 'a' 'b' AND e = 0b1 AND f = b'1'", "", utf8},
		{"odd numbers", "a = 007 AND b = 5. AND c = .5 AND d = 18446744073709551616 AND e = 0X1f AND f = x'123'", "", utf8},
		{"parts of literals", "a = DATE '2024-01-01' AND b > c + INTERVAL 1 DAY AND d LIKE 'x' ESCAPE '!'", `"x"`, utf8},
		{"a path", "a -> '$.b' = 1 AND a->>'$.b' = 2", "1 2", utf8},
		{"limits", "a = 1 LIMIT 5, 10", "1 5 10", utf8},
		{"limit and offset", "a = 1 LIMIT 5 OFFSET 10", "1 5 10", utf8},
		{"comments", "a = /* 1 */ 2 -- 3\n AND b = 4", "2 4", utf8},
	}
	a := NewAnalyzer()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := a.Analyze("SELECT * FROM t WHERE "+tt.where, tt.env)
			if got := describeSlots(st.Slots); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestConstants(t *testing.T) {
	st := NewAnalyzer().Analyze("SELECT * FROM t WHERE a = 5 AND b = ? AND c = ?", onWorld())
	five, six := dep.Literal{Kind: dep.WholeLiteral, Magnitude: 5}, dep.Literal{Kind: dep.WholeLiteral, Magnitude: 6}
	got := st.Constants([]dep.Literal{six})
	if len(got) != 3 || got[0] != five || got[1] != six || got[2] != (dep.Literal{}) {
		t.Errorf("got %v, want 5, 6 and one that is unknown", got)
	}
}

// constantNodes collects the nodes that the walker may ask about.
type constantNodes struct{ nodes []ast.ExprNode }

func (c *constantNodes) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case ast.ValueExpr:
		c.nodes = append(c.nodes, n)
	case *ast.UnaryOperationExpr:
		if _, ok := n.V.(ast.ValueExpr); ok && n.Op == opcode.Minus {
			c.nodes = append(c.nodes, n)
		}
	}
	return n, false
}

func (c *constantNodes) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// treeOf parses one query, with a parser of its own.
func treeOf(in input) (ast.ResultSetNode, error) { return parseWith(parser.New(), in) }

// checkSlots compares the slots with the values in the tree of the test driver, which has them. It returns how many
// were compared.
func checkSlots(t *testing.T, a *Analyzer, sql string, env Env) (compared int) {
	t.Helper()
	in := newInput(sql, &env)
	n, err := treeOf(in)
	if err != nil {
		return 0
	}
	w := walker{constants: in.constants()}
	slots := in.slots(w.constants)
	var tree constantNodes
	n.Accept(&tree)
	taken := map[int]bool{}
	for _, n := range tree.nodes {
		i, ok := w.slot(n)
		if !ok {
			continue
		}
		compared++
		if taken[i] {
			t.Errorf("%q: slot %d is two nodes", sql, i)
		}
		taken[i] = true
		if marker, ok := n.(*driver.ParamMarkerExpr); ok {
			if slots[i].Parameter == 0 || marker.Offset != w.constants[i].start {
				t.Errorf("%q: slot %d is %s, in the tree it is a parameter at %d", sql, i, describeSlot(slots[i]), marker.Offset)
			}
			continue
		}
		if got, want := strings.TrimPrefix(describeSlot(slots[i]), "other"), nodeValue(n); got != want {
			t.Errorf("%q: slot %d is %s, in the tree it is %s", sql, i, got, want)
		}
	}
	return compared
}

// nodeValue says what a node is, as describeSlot does.
func nodeValue(n ast.ExprNode) string {
	minus := ""
	if u, ok := n.(*ast.UnaryOperationExpr); ok {
		n, minus = u.V, "-"
	}
	switch v := n.(*driver.ValueExpr).GetValue().(type) {
	case nil:
		return "null"
	case int64, uint64:
		return strings.Replace(fmt.Sprintf("%s%d", minus, v), "-0", "0", 1)
	case *driver.MyDecimal:
		return minus + v.String() + "d"
	case string:
		return fmt.Sprintf("%q", v)
	case driver.BinaryLiteral:
		return fmt.Sprintf("%x", string(bytes.Clone(v)))
	default:
		return fmt.Sprintf("%T", v)
	}
}

// TestSlotsAreTheTreesValues: a slot and the node that it belongs to are one constant.
func TestSlotsAreTheTreesValues(t *testing.T) {
	a, compared := NewAnalyzer(), 0
	for _, ex := range allExamples() {
		compared += checkSlots(t, a, ex.sql, onWorld())
	}
	if compared < 100 {
		t.Errorf("only %d slots were compared", compared)
	}
}

func allExamples() []example {
	var all []example
	for _, list := range [][]example{reads, functionCalls, sessionState, locking, systemSchemas, comments, various, timesOfDay, kinds} {
		all = append(all, list...)
	}
	return all
}
