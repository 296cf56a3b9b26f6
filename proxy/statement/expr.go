package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// expr visits an expression and returns what is known of its type.
func (w *walker) expr(n ast.ExprNode) value {
	switch n := n.(type) {
	case nil:
		return value{}
	case ast.ParamMarkerExpr:
		return value{other: true}
	case ast.ValueExpr:
		return value{}
	case *ast.ColumnNameExpr:
		w.reads.column(n.Name.Name.L)
		return value{columns: []string{n.Name.Name.L}}
	case *ast.ParenthesesExpr:
		return w.expr(n.Expr)
	case *ast.SetCollationExpr:
		return w.expr(n.Expr)
	case *ast.PositionExpr:
		return w.expr(n.P)
	case *ast.RowExpr:
		return join(w.exprs(n.Values)...)
	case *ast.CaseExpr:
		return w.caseExpr(n)
	case *ast.SubqueryExpr:
		return w.subquery(n)
	}
	if w.comparison(n) || w.leaf(n) {
		return value{other: true}
	}
	return w.called(n)
}

func (w *walker) exprs(list []ast.ExprNode) []value {
	out := make([]value, len(list))
	for i, n := range list {
		out[i] = w.expr(n)
	}
	return out
}

// subquery visits a subquery in an expression. One with a * has a column of a table that is not known.
func (w *walker) subquery(n *ast.SubqueryExpr) value {
	columns, ok := w.resultSet(n)
	if w.block != nil {
		w.block.groups = w.block.groups || w.outward
	}
	v := join(columns...)
	v.other = v.other || !ok
	return v
}

func (w *walker) caseExpr(n *ast.CaseExpr) value {
	compared := []value{w.expr(n.Value)}
	results := []value{w.expr(n.ElseClause)}
	for _, when := range n.WhenClauses {
		compared = append(compared, w.expr(when.Expr))
		results = append(results, w.expr(when.Result))
	}
	if n.Value != nil {
		w.clock.mix("CASE", compared...)
	}
	return w.clock.mix("CASE", results...)
}

// comparison visits the operators that yield a number, and notes which of them compare.
func (w *walker) comparison(n ast.ExprNode) bool {
	switch n := n.(type) {
	case *ast.BinaryOperationExpr:
		l, r := w.expr(n.L), w.expr(n.R)
		if compares(n.Op) {
			w.clock.mix(strings.ToUpper(n.Op.String()), l, r)
		}
	case *ast.BetweenExpr:
		w.clock.mix("BETWEEN", w.expr(n.Expr), w.expr(n.Left), w.expr(n.Right))
	case *ast.PatternInExpr:
		w.clock.mix("IN", append(w.exprs(n.List), w.expr(n.Expr), w.expr(n.Sel))...)
	case *ast.CompareSubqueryExpr:
		w.clock.mix("ANY or ALL", w.expr(n.L), w.expr(n.R))
	case *ast.UnaryOperationExpr:
		w.expr(n.V)
	case *ast.PatternLikeOrIlikeExpr:
		w.exprs([]ast.ExprNode{n.Expr, n.Pattern})
	case *ast.PatternRegexpExpr:
		w.exprs([]ast.ExprNode{n.Expr, n.Pattern})
	case *ast.IsNullExpr:
		w.expr(n.Expr)
	case *ast.IsTruthExpr:
		w.expr(n.Expr)
	case *ast.ExistsSubqueryExpr:
		w.expr(n.Sel)
	case *ast.MatchAgainst:
		w.reads.scores = true
		w.expr(n.Against)
	default:
		return false
	}
	return true
}

func compares(op opcode.Op) bool {
	switch op {
	case opcode.EQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE, opcode.NullEQ:
		return true
	}
	return false
}

// leaf visits nodes without children: words that are arguments of some functions, and what is always refused.
// DEFAULT(c) may be an expression such as the current time.
func (w *walker) leaf(n ast.ExprNode) bool {
	switch n := n.(type) {
	case *ast.TimeUnitExpr, *ast.TrimDirectionExpr, *ast.GetFormatSelectorExpr:
	case *ast.VariableExpr:
		if n.IsSystem {
			w.refuse(SystemVariable, "@@"+n.Name)
		} else {
			w.refuse(UserVariable, "@"+n.Name)
		}
	case *ast.TableNameExpr:
		w.refuse(Sequence, n.Name.Name.O)
	case *ast.DefaultExpr, *ast.ValuesExpr:
		w.unsupported(n)
	default:
		return false
	}
	return true
}
