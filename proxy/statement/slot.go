package statement

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// slotPrefix begins the name of a column that stands for a literal. The tree has it where the client's text has the
// literal, since the values in the tree cannot be relied on.
const slotPrefix = "weir literal "

// slotOf returns which literal of the text a column of the tree stands for; false if it is a column.
func slotOf(n ast.ExprNode) (int, bool) {
	c, ok := n.(*ast.ColumnNameExpr)
	if !ok || c.Name.Table.O != "" {
		return 0, false
	}
	number, ok := strings.CutPrefix(c.Name.Name.O, slotPrefix)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(number)
	return i, err == nil && i >= 0
}
