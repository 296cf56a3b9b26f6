package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"weir/cache/dep"
)

// A block is one SELECT with its FROM: the place where names of columns are looked up first.
type block struct {
	outer *block // the one that this one is inside of; its names are visible too
	refs  []*ref // in the order of the text
	// natural says that NATURAL makes one column of two that have one name.
	natural bool
	// folds says that rows do not pass through the block one by one: it has aggregates, windows, or groups.
	folds bool
	// groups says that it may have aggregates.
	groups bool
}

// A ref is one mention of a table, a view or a derived table in a FROM.
type ref struct {
	schema, alias string // as they are spelled; schema is "" if the mention has an alias or is no table
	// read and shape are set for a base table whose columns are known.
	read  *tableReads
	shape *dep.Shape
	// outputs are the columns of a view or a derived table, by their names in lower case, that are columns of base
	// tables inside of it, passed on row by row.
	outputs map[string]attr
}

// An attr is a column of a mention of a base table.
type attr struct {
	ref    *ref
	column int
}

func (a attr) col() *dep.Column { return &a.ref.shape.Columns[a.column] }

// find looks a column up by its name.
func (r *ref) find(name string) (attr, bool) {
	if r.shape != nil {
		i, ok := r.shape.Find(name)
		return attr{r, i}, ok
	}
	a, ok := r.outputs[strings.ToLower(name)]
	return a, ok
}

// A scope is the mentions among which the names in a condition are looked up: all of the block for WHERE, those that
// are joined for ON.
type scope struct {
	*block
	refs []*ref
	on   bool
	// slot tells which constant an expression is, see [walker.slot].
	slot func(ast.ExprNode) (int, bool)
}

// resolve says which column of a base table an expression is; false if it is something else, or if that is not certain.
//
// A name that is found in the innermost block is never one of an outer block, to any server; and if it is found there
// twice, that is an error, which is not stored. So what has to be certain is that every server finds it here:
//
//   - The alias must be spelled alike. Whether a server tells a from A depends on lower_case_table_names.
//   - A name without an alias must be one that a single mention has, and no mention of unknown columns may be there to
//     have it. So it is none that USING makes of two columns. Under NATURAL no such name is looked up.
//   - The names in ON are looked up among what it joins. Where parentheses are missing, flavors differ in what that is
//     (a JOIN b JOIN c ON ...). So if there are outer blocks, a name in ON must be one that none of them has.
//   - Names beyond ASCII are left alone: servers and Weir may differ in what is the same letter.
func (s scope) resolve(n ast.ExprNode) (attr, bool) {
	c, ok := unwrap(n).(*ast.ColumnNameExpr)
	if !ok || !ascii(c.Name.Name.O) {
		return attr{}, false
	}
	if c.Name.Table.O != "" {
		return s.qualified(c.Name)
	}
	return s.unqualified(c.Name.Name.L)
}

func (s scope) qualified(c *ast.ColumnName) (attr, bool) {
	if s.on && s.outer.mayName(c.Table.O) {
		return attr{}, false
	}
	var found *ref
	for _, r := range s.refs {
		if !strings.EqualFold(r.alias, c.Table.O) || c.Schema.O != "" && !strings.EqualFold(r.schema, c.Schema.O) {
			continue
		}
		if found != nil || r.alias != c.Table.O || c.Schema.O != "" && r.schema != c.Schema.O {
			return attr{}, false
		}
		found = r
	}
	if found == nil {
		return attr{}, false
	}
	return found.find(c.Name.L)
}

func (s scope) unqualified(name string) (a attr, ok bool) {
	if s.natural || s.on && s.outer != nil {
		return attr{}, false
	}
	for _, r := range s.refs {
		found, has := r.find(name)
		switch {
		case has && ok, r.shape == nil && len(s.refs) > 1:
			return attr{}, false
		case has:
			a, ok = found, true
		}
	}
	return a, ok
}

// mayName reports whether the block or one that it is inside of has a mention that some server finds by the name.
func (b *block) mayName(alias string) bool {
	for ; b != nil; b = b.outer {
		for _, r := range b.refs {
			if strings.EqualFold(r.alias, alias) {
				return true
			}
		}
	}
	return false
}

// unwrap takes parentheses away.
func unwrap(n ast.ExprNode) ast.ExprNode {
	for {
		p, ok := n.(*ast.ParenthesesExpr)
		if !ok {
			return n
		}
		n = p.Expr
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
