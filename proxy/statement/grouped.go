package statement

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// grouping is what a SELECT may use of its groups of rows without a key that would tell it.
type grouping struct {
	by      []*ast.ColumnName
	aliases []string // of fields that are told
}

// keyed reports whether a SELECT with groups may owe it to a secondary key that it is allowed: under ONLY_FULL_GROUP_BY,
// MySQL lets a column be used that is in no aggregate and not grouped by, if a unique key over columns without NULL says
// that a group has one value of it. If the key goes, the statement is an error (1055, 1140). MariaDB asks no keys.
//
// It is enough to look at what is used by itself or in simple expressions. Everything else may need a key.
func keyed(n *ast.SelectStmt) bool {
	g := &grouping{}
	if n.GroupBy != nil {
		for _, item := range n.GroupBy.Items {
			if c, ok := item.Expr.(*ast.ColumnNameExpr); ok {
				g.by = append(g.by, c.Name)
			}
		}
	}
	return !g.fields(n.Fields) || n.Having != nil && !g.told(n.Having.Expr) || n.OrderBy != nil && !g.items(n.OrderBy.Items)
}

func (g *grouping) fields(list *ast.FieldList) bool {
	if list == nil {
		return false
	}
	var aliases []string
	for _, f := range list.Fields {
		if f.WildCard != nil || !g.told(f.Expr) {
			return false
		}
		aliases = append(aliases, f.AsName.L)
	}
	g.aliases = aliases
	return true
}

func (g *grouping) items(list []*ast.ByItem) bool {
	return !slices.ContainsFunc(list, func(item *ast.ByItem) bool { return !g.told(item.Expr) })
}

// told reports whether an expression is certainly made of what the groups tell by themselves.
func (g *grouping) told(n ast.ExprNode) bool {
	switch n := n.(type) {
	case ast.ValueExpr, *ast.AggregateFuncExpr, *ast.PositionExpr:
		return true
	case *ast.ColumnNameExpr:
		return g.column(n.Name)
	case *ast.ParenthesesExpr:
		return g.told(n.Expr)
	case *ast.UnaryOperationExpr:
		return g.told(n.V)
	case *ast.BinaryOperationExpr:
		return g.told(n.L) && g.told(n.R)
	case *ast.FuncCallExpr:
		return !slices.ContainsFunc(n.Args, func(arg ast.ExprNode) bool { return !g.told(arg) })
	}
	return false
}

// column: two spellings of one column, with its table and without, count as two.
func (g *grouping) column(c *ast.ColumnName) bool {
	same := func(by *ast.ColumnName) bool {
		return by.Name.L == c.Name.L && by.Table.L == c.Table.L && by.Schema.L == c.Schema.L
	}
	return slices.ContainsFunc(g.by, same) || c.Table.L == "" && c.Name.L != "" && slices.Contains(g.aliases, c.Name.L)
}
