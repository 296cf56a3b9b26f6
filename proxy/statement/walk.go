package statement

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// A walker visits one parsed text: the client's, or the definition of a view.
//
// It goes through the tree by itself and never calls Accept. The driver that go-mysql's canal installs has values
// whose Accept ends the traversal, so that everything behind the first literal would be missed. Nor does it use
// the values in the tree, which that driver leaves empty. A node of a kind that is not listed is refused.
type walker struct {
	*verdict
	analyzer *Analyzer
	in       input
	schema   string // the default database
	view     string // the view whose definition this is, or ""
	depth    int    // how many views this one is inside of
	ctes     []cte  // those in scope, innermost last

	constants []constant // those of the client's text, in order; none within a view

	selects, tables int
	nested          int // how deep the current query is inside others

	block *block          // the SELECT that is being visited
	left  map[string]attr // the outputs of the query that was visited last
	// outward says that there was an aggregate of columns, which may be those of a block outside.
	outward bool
}

// refuse notes a reason, with the view that it was found in.
func (w *walker) refuse(r Reason, detail string) {
	if r == "" {
		return
	}
	if w.view != "" && detail != w.view {
		detail = strings.TrimSuffix(w.view+": "+detail, ": ")
	}
	w.verdict.refuse(r, detail)
}

// query parses the text and visits it. s is the pass over its tokens.
func (w *walker) query(s *scan) {
	if len(w.in.sql) > MaxLength {
		w.refuse(TooLong, "")
	}
	if len(w.in.sql) > MaxLength || s.odd != "" || s.tidb {
		w.stateful = true
		return
	}
	err := w.analyzer.parse(w.in, func(n ast.ResultSetNode) error { return w.visit(n) })
	if err != nil {
		w.stateful = true
		w.refuse(Unparsable, "")
		return
	}
	if w.selects != s.selects || w.tables != s.tables {
		w.stateful = true
		w.refuse(Ambiguous, "a subquery is missing from the parsed statement")
	}
}

// visit goes through the tree. A tree of a shape that no text should yield is an error, not a crash.
func (w *walker) visit(n ast.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("visit query: %v", r)
		}
	}()
	w.resultSet(n)
	return nil
}

// resultSet visits a query and returns its columns; ok is false if they cannot be told because of a *.
func (w *walker) resultSet(n ast.Node) (columns []value, ok bool) {
	w.nested++
	defer func(ctes []cte) { w.ctes, w.nested = ctes, w.nested-1 }(w.ctes)
	switch n := n.(type) {
	case *ast.SelectStmt:
		return w.selectStmt(n)
	case *ast.SetOprStmt:
		w.with(n.With)
		columns, ok = w.resultSet(n.SelectList)
		w.orderBy(n.OrderBy)
		w.limit(n.Limit)
		w.left = nil
		return columns, ok
	case *ast.SetOprSelectList:
		return w.setOperation(n)
	case *ast.SubqueryExpr:
		return w.resultSet(n.Query)
	}
	w.unsupported(n)
	return nil, false
}

func (w *walker) unsupported(n any) {
	w.refuse(Unsupported, strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."))
}

func (w *walker) setOperation(n *ast.SetOprSelectList) (columns []value, ok bool) {
	w.with(n.With)
	for i, sel := range n.Selects {
		branch, known := w.resultSet(sel)
		switch {
		case i == 0:
			columns, ok = branch, known
		case !ok || !known || len(branch) != len(columns):
			w.clock.setOperation()
			ok = false
		default:
			for j := range columns {
				columns[j] = w.clock.mix("UNION", columns[j], branch[j])
			}
		}
	}
	w.orderBy(n.OrderBy)
	w.limit(n.Limit)
	return columns, ok
}

func (w *walker) selectStmt(n *ast.SelectStmt) (columns []value, ok bool) {
	w.enter()
	w.count(n.Kind)
	w.options(n)
	w.with(n.With)
	if n.From != nil {
		w.tableRef(n.From.TableRefs)
	}
	columns, ok = w.fields(n.Fields)
	for _, row := range n.Lists {
		columns, ok = append(columns, w.expr(row)), false
	}
	w.expr(n.Where)
	if n.GroupBy != nil {
		w.items(n.GroupBy.Items)
	}
	if n.Having != nil {
		w.expr(n.Having.Expr)
	}
	for i := range n.WindowSpecs {
		w.window(&n.WindowSpecs[i])
	}
	w.orderBy(n.OrderBy)
	w.limit(n.Limit)
	if w.env.Flavor != MariaDB && (n.GroupBy != nil || w.block.groups) {
		w.reads.layout = w.reads.layout || keyed(n)
	}
	w.leave(n)
	return columns, ok
}

func (w *walker) count(k ast.SelectStmtKind) {
	switch k {
	case ast.SelectStmtKindSelect:
		w.selects++
	case ast.SelectStmtKindTable:
		w.tables++
	}
}

func (w *walker) options(n *ast.SelectStmt) {
	if n.LockInfo != nil && n.LockInfo.LockType != ast.SelectLockNone {
		w.refuse(LockingRead, "")
	}
	if n.SelectIntoOpt != nil {
		w.refuse(Into, "")
	}
	if n.SelectStmtOpts == nil {
		return
	}
	if n.CalcFoundRows {
		w.refuse(FoundRows, "")
	}
	if !n.SQLCache && n.Kind == ast.SelectStmtKindSelect {
		w.refuse(NoCache, "")
	}
}

func (w *walker) fields(list *ast.FieldList) (columns []value, ok bool) {
	if list == nil {
		return nil, false
	}
	ok = true
	for _, f := range list.Fields {
		if f.WildCard != nil {
			ok = false
			w.star(f.WildCard)
			continue
		}
		v := w.expr(f.Expr)
		columns = append(columns, v)
		w.clock.alias(fieldName(f), v, w.nested > 1 || w.view != "")
	}
	return columns, ok
}

// fieldName returns the name of a column of the result, or "" if it has the text of an expression as its name.
func fieldName(f *ast.SelectField) string {
	if c, ok := f.Expr.(*ast.ColumnNameExpr); ok && f.AsName.L == "" {
		return c.Name.Name.L
	}
	return f.AsName.L
}

func (w *walker) orderBy(n *ast.OrderByClause) {
	if n != nil {
		w.items(n.Items)
	}
}

// items visits the items of an ORDER BY, GROUP BY or PARTITION BY.
func (w *walker) items(list []*ast.ByItem) []value {
	var out []value
	for _, item := range list {
		out = append(out, w.expr(item.Expr))
	}
	return out
}

func (w *walker) limit(n *ast.Limit) {
	if n != nil {
		w.reads.picks = "LIMIT"
		w.expr(n.Count)
		w.expr(n.Offset)
	}
}

func (w *walker) window(n *ast.WindowSpec) {
	if n.PartitionBy != nil {
		w.items(n.PartitionBy.Items)
	}
	var order []value
	if n.OrderBy != nil {
		order = w.items(n.OrderBy.Items)
	}
	if n.Frame == nil {
		return
	}
	for _, bound := range []ast.FrameBound{n.Frame.Extent.Start, n.Frame.Extent.End} {
		w.expr(bound.Expr)
		if bound.Unit != ast.TimeUnitInvalid {
			w.clock.convert("RANGE", false, order...)
		}
	}
}
