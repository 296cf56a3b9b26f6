package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"weir/cache/dep"
)

func (w *walker) tableRef(n ast.ResultSetNode) {
	switch n := n.(type) {
	case nil:
	case *ast.Join:
		w.join(n)
	case *ast.TableSource:
		w.tableSource(n)
	default:
		w.unsupported(n)
	}
}

func (w *walker) join(n *ast.Join) {
	if n == nil {
		return
	}
	w.tableRef(n.Left)
	w.tableRef(n.Right)
	if n.On != nil {
		w.expr(n.On.Expr)
	}
	for _, c := range n.Using {
		w.clock.using(c.Name.L)
		w.reads.column(c.Name.L)
	}
	if n.NaturalJoin {
		w.block.natural, w.reads.odd = true, "NATURAL JOIN compares columns that are not named"
		w.clock.setOperation()
	}
}

func (w *walker) tableSource(n *ast.TableSource) {
	switch src := n.Source.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		w.resultSet(src)
		if len(n.ColumnNames) > 0 {
			w.clock.rename()
		}
		w.refer(n, nil, dep.Name{}, false)
	case *ast.TableName:
		name, ok := w.tableName(src)
		w.refer(n, src, name, ok)
	default:
		w.tableRef(n.Source)
	}
}

// tableName visits a name in FROM. If it is that of a common table expression but not certainly so, it counts as a
// table. It returns what the name stands for, unless it is that.
func (w *walker) tableName(n *ast.TableName) (name dep.Name, ok bool) {
	schema := n.Schema.O
	if schema == "" {
		schema = w.schema
	}
	switch {
	case n.TableSample != nil || n.AsOf != nil:
		w.unsupported(n)
	case n.Schema.O == "" && w.shadowed(n.Name.O):
	case schema == "":
		w.refuse(UnknownTable, n.Name.O)
	default:
		name = dep.Fold(schema, n.Name.O)
		w.read(name)
		return name, true
	}
	return dep.Name{}, false
}

// read adds a table or view to those that the query reads.
func (w *walker) read(name dep.Name) {
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	w.verdict.tables = append(w.verdict.tables, name)
	if systemSchema(name.Schema) {
		w.refuse(SystemSchema, name.String())
		return
	}
	switch rel := w.relation(name); rel.Kind {
	case dep.BaseTable, dep.SystemVersioned:
		w.clock.table(w.env.Catalog, name)
		w.reads.table(name, rel)
		w.unversioned = w.unversioned || !rel.Versioned
	case dep.View:
		w.expand(name, rel.Definition)
	case dep.Sequence:
		w.refuse(Sequence, name.String())
	default:
		w.refuse(UnknownTable, name.String())
	}
}

// maxDepth is how deep views may be nested.
const maxDepth = 16

// expand visits the definition of a view: as the server prints it, that is, in the default sql_mode and utf8mb4.
func (w *walker) expand(name dep.Name, definition string) {
	if w.depth == maxDepth {
		w.refuse(DeepView, name.String())
		return
	}
	env := *w.env
	env.Schema, env.SQLMode, env.Charset = name.Schema, "", ""
	in := newInput(definition, &env)
	s := w.analyzer.scan(in)
	inner := walker{verdict: w.verdict, analyzer: w.analyzer, in: in, schema: name.Schema, view: name.String(), depth: w.depth + 1}
	if s.code.any {
		inner.refuse(VersionComment, "")
	}
	inner.refuse(s.reason, s.detail)
	inner.stateful = inner.stateful || s.stateful
	inner.reads.layout = inner.reads.layout || s.layout
	inner.query(s)
}
