package statement

import "github.com/pingcap/tidb/pkg/parser/ast"

// condition is an expression that is true of each combination of rows that a block looks at.
type condition struct {
	scope
	expr ast.ExprNode
}

// conditions returns the conditions in ON that are as good as if they stood in WHERE: those of inner joins that are not
// on the nullable side of an outer join.
//
// Where outer joins and joins without a condition meet without parentheses (a JOIN b RIGHT JOIN c ON ...), flavors differ
// in what is joined first, and the tree does not show how the text was. Then none counts, and only WHERE is left, which
// holds however the tables are joined.
func (b *block) conditions(n ast.ResultSetNode) ([]condition, []filling) {
	j := joins{block: b}
	j.visit(n, false)
	if j.unclear || j.outer && j.unconditional || b.natural || j.seen != len(b.refs) {
		return nil, nil
	}
	return j.found, j.fillings
}

// joins goes through the tree of a FROM in the order in which its mentions were noted.
type joins struct {
	*block
	seen                          int // mentions so far
	outer, unconditional, unclear bool
	found                         []condition
	fillings                      []filling
}

func (j *joins) visit(n ast.ResultSetNode, nullable bool) {
	switch n := n.(type) {
	case nil:
	case *ast.TableSource:
		j.seen++
	case *ast.Join:
		j.join(n, nullable)
	default:
		j.unclear = true
	}
}

func (j *joins) join(n *ast.Join, nullable bool) {
	outer := n.Tp == ast.LeftJoin || n.Tp == ast.RightJoin
	j.outer = j.outer || outer
	j.unconditional = j.unconditional || n.Right != nil && n.On == nil && len(n.Using) == 0
	first := j.seen
	j.visit(n.Left, nullable || n.Tp == ast.RightJoin)
	middle := j.seen
	j.visit(n.Right, nullable || n.Tp == ast.LeftJoin)
	switch {
	case n.On == nil || j.seen > len(j.refs):
	case n.Tp == ast.LeftJoin:
		j.fillings = append(j.fillings, filling{keeps: j.scope(first, middle), fills: j.scope(middle, j.seen), on: n.On.Expr})
	case n.Tp == ast.RightJoin:
		j.fillings = append(j.fillings, filling{keeps: j.scope(middle, j.seen), fills: j.scope(first, middle), on: n.On.Expr})
	case !nullable:
		j.found = append(j.found, condition{j.scope(first, j.seen), n.On.Expr})
	}
}

// scope is the mentions from one to another, for the names in an ON. Names on one side of a join may be looked up there
// alone: what is found on both is ambiguous to every server.
func (j *joins) scope(from, to int) scope {
	return scope{block: j.block, refs: j.refs[from:to], on: true}
}

// outputs returns the columns of the block's result that are columns of its tables, each row of which comes from a row of
// the table, so that a restriction on the one is a restriction on the other: rows of the table with another value do not
// make rows with this one.
//
// It is here that what follows WHERE spoils a restriction. LIMIT chooses among rows by comparing them with others;
// aggregates and windows compute with others; groups mix them. With one of these there are no such columns. DISTINCT and
// ORDER BY do no harm.
func (b *block) outputs(n *ast.SelectStmt) map[string]attr {
	if b.folds || n.GroupBy != nil || n.Having != nil || len(n.WindowSpecs) > 0 || n.Limit != nil || n.Fields == nil {
		return nil
	}
	out := map[string]attr{}
	s := scope{block: b, refs: b.refs}
	for _, f := range n.Fields.Fields {
		if f.WildCard != nil {
			continue
		}
		a, ok := s.resolve(f.Expr)
		if name := fieldName(f); ok && name != "" {
			out[name] = a
		}
	}
	return out
}
