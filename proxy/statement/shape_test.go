package statement

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// visited are the kinds of nodes that the walker knows, each with the fields that hold other nodes. The walker must
// visit all of them but those in parentheses: index hints, optimizer hints and partitions hold no expressions, the
// columns of MATCH and USING are names, and a statement with INTO, a lock, a sample or AS OF is refused.
var visited = []struct {
	node   any
	fields string
}{
	{ast.SelectStmt{}, "(TableHints) From Where Fields GroupBy Having WindowSpecs OrderBy Limit (LockInfo) (TableHints) (SelectIntoOpt) Lists With"},
	{ast.SetOprStmt{}, "SelectList OrderBy Limit With"},
	{ast.SetOprSelectList{}, "With Selects Limit OrderBy"},
	{ast.WithClause{}, "CTEs"},
	{ast.CommonTableExpression{}, "Query"},
	{ast.FieldList{}, "Fields"},
	{ast.SelectField{}, "WildCard Expr"},
	{ast.WildCardField{}, ""},
	{ast.TableRefsClause{}, "TableRefs"},
	{ast.Join{}, "Left Right On (Using)"},
	{ast.TableSource{}, "Source"},
	{ast.TableName{}, "(TableSample) (AsOf)"},
	{ast.OnCondition{}, "Expr"},
	{ast.GroupByClause{}, "Items"},
	{ast.HavingClause{}, "Expr"},
	{ast.OrderByClause{}, "Items"},
	{ast.ByItem{}, "Expr"},
	{ast.Limit{}, "Count Offset"},
	{ast.WindowSpec{}, "PartitionBy OrderBy Frame"},
	{ast.PartitionByClause{}, "Items"},
	{ast.FrameClause{}, "Extent"},
	{ast.FrameBound{}, "Expr"},
	{ast.SubqueryExpr{}, "Query"},
	{ast.BinaryOperationExpr{}, "L R"},
	{ast.UnaryOperationExpr{}, "V"},
	{ast.BetweenExpr{}, "Expr Left Right"},
	{ast.CaseExpr{}, "Value WhenClauses ElseClause"},
	{ast.WhenClause{}, "Expr Result"},
	{ast.ColumnNameExpr{}, "(Name)"},
	{ast.CompareSubqueryExpr{}, "L R"},
	{ast.ExistsSubqueryExpr{}, "Sel"},
	{ast.PatternInExpr{}, "Expr List Sel"},
	{ast.IsNullExpr{}, "Expr"},
	{ast.IsTruthExpr{}, "Expr"},
	{ast.PatternLikeOrIlikeExpr{}, "Expr Pattern"},
	{ast.PatternRegexpExpr{}, "Expr Pattern"},
	{ast.ParenthesesExpr{}, "Expr"},
	{ast.PositionExpr{}, "P"},
	{ast.RowExpr{}, "Values"},
	{ast.MatchAgainst{}, "(ColumnNames) Against"},
	{ast.SetCollationExpr{}, "Expr"},
	{ast.FuncCallExpr{}, "Args"},
	{ast.FuncCastExpr{}, "Expr"},
	{ast.AggregateFuncExpr{}, "Args Order"},
	{ast.WindowFuncExpr{}, "Args Spec"},
	{ast.TimeUnitExpr{}, ""},
	{ast.TrimDirectionExpr{}, ""},
	{ast.GetFormatSelectorExpr{}, ""},
}

// TestTreeShape fails when a new version of the parser gives a node a child that the walker does not know of.
func TestTreeShape(t *testing.T) {
	for _, v := range visited {
		typ := reflect.TypeOf(v.node)
		want := strings.Join(strings.Fields(strings.NewReplacer("(", "", ")", "").Replace(v.fields)), " ")
		if got := strings.Join(children(typ), " "); got != want {
			t.Errorf("%s: holds nodes in %q, want %q", typ.Name(), got, want)
		}
	}
}

// children returns the fields of a struct that can hold nodes, those of embedded structs included.
func children(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			names = append(names, children(f.Type.Elem())...)
		case f.IsExported() && holdsNode(f.Type):
			names = append(names, f.Name)
		}
	}
	return names
}

func holdsNode(t reflect.Type) bool {
	node := reflect.TypeFor[ast.Node]()
	if t.Implements(node) || reflect.PointerTo(t).Implements(node) {
		return true
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Array:
		return holdsNode(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() && holdsNode(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
