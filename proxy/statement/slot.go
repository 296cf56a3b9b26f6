package statement

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"weir/cache/dep"
)

// A Slot is a place in a statement where a constant stands that is known by its value: a literal, or a parameter.
type Slot struct {
	// Parameter is the number of the parameter, counted from 1; 0 for a literal.
	Parameter int
	// Literal is the value of a literal, with the sign in front of it.
	Literal dep.Literal
}

// Constants returns the values in the slots, in order, given those of the parameters. A parameter that is not among them
// is of the kind that gives no tags.
func (st *Statement) Constants(parameters []dep.Literal) []dep.Literal {
	if len(st.Slots) == 0 {
		return nil
	}
	values := make([]dep.Literal, len(st.Slots))
	for i, s := range st.Slots {
		switch {
		case s.Parameter == 0:
			values[i] = s.Literal
		case s.Parameter <= len(parameters):
			values[i] = parameters[s.Parameter-1]
		}
	}
	return values
}

// slot returns the index in [Statement.Slots] of the constant that the node is: a value, a parameter marker, or a number
// with a minus in front of it. It is false for every other node, for constants whose value is not known, such as
// _latin1'x', 1e5 and 'a' 'b', and within the definition of a view.
//
// The values in the tree may be empty, so a constant is known by where it stands in the text. The parser tells each
// expression where its first token is; a value whose place is that of no slot, or that of one of another form, is none.
func (w *walker) slot(n ast.ExprNode) (int, bool) {
	signed := false
	if minus, ok := n.(*ast.UnaryOperationExpr); ok && minus.Op == opcode.Minus {
		n, signed = minus.V, true
	}
	if _, ok := n.(ast.ValueExpr); !ok {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(w.constants, n.OriginTextPosition(), func(c constant, at int) int { return c.start - at })
	_, marker := n.(ast.ParamMarkerExpr)
	if !ok || w.constants[i].signed != signed || (w.constants[i].form == markerForm) != marker {
		return 0, false
	}
	return i, true
}
