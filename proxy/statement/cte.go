package statement

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// cte is a common table expression in scope.
type cte struct {
	name string
	// maybe says that it depends on the server whether the name reaches this far.
	maybe bool
}

// with brings the names of a WITH into scope, one after the other. Under RECURSIVE a name is in scope in its own body.
// Where servers differ, the name may be that of a table too: MariaDB lets bodies under RECURSIVE use later names, and
// without it takes a name in its own body for a table even if an outer WITH defines it.
func (w *walker) with(clause *ast.WithClause) {
	if clause == nil {
		return
	}
	for i, c := range clause.CTEs {
		before := w.ctes
		for _, later := range clause.CTEs[i+1:] {
			w.scope(cte{name: later.Name.O, maybe: true})
		}
		w.scope(cte{name: c.Name.O, maybe: !clause.IsRecursive})
		columns, ok := w.resultSet(c.Query)
		w.renamed(c.ColNameList, columns, ok)
		w.ctes = before
		w.scope(cte{name: c.Name.O})
	}
}

// renamed notes the names in parentheses behind the name of a common table expression.
func (w *walker) renamed(names []ast.CIStr, columns []value, ok bool) {
	for i, name := range names {
		if ok && i < len(columns) {
			w.clock.alias(name.L, columns[i], true)
		} else {
			w.clock.rename()
		}
	}
}

// maybeCTE tells whether the name may be that of a common table expression, though it is not certain.
func (w *walker) maybeCTE(n *ast.TableName) bool {
	return n.Schema.O == "" && slices.ContainsFunc(w.ctes, func(c cte) bool { return strings.EqualFold(c.name, n.Name.O) })
}

// scope adds a name to a copy, so that the caller's list stays as it is.
func (w *walker) scope(c cte) { w.ctes = append(w.ctes[:len(w.ctes):len(w.ctes)], c) }

// shadowed tells whether the name certainly is that of a common table expression: it is spelled like the innermost one
// in scope. With lower_case_table_names=0 a server tells t from T.
func (w *walker) shadowed(name string) bool {
	for i := len(w.ctes) - 1; i >= 0; i-- {
		if c := w.ctes[i]; strings.EqualFold(c.name, name) {
			return c.name == name && !c.maybe
		}
	}
	return false
}
