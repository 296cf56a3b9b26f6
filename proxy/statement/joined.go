package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// classes are columns that are equal in each combination of rows that counts, because a condition at the top of a
// WHERE, or of the ON of an inner join, says so (o.id = i.order_id). What restricts one of them restricts all: a row of
// i that is joined to an order with id = 5 has order_id = 5.
//
// It is one partition for all blocks. A condition is about columns that are found in its own block, and those of a
// derived table or a view are columns of tables inside of it that are passed on row by row, so that what holds of one
// holds of the other; it does not matter in which of the blocks it is said. Columns of outer blocks are never in a
// class with those of inner ones by a condition of the inner block.
type classes struct {
	parent map[attr]attr
	// follows has, for columns on the filled side of an outer join, those that they are compared with: what restricts one of
	// these restricts the column, and not the other way round. See [filling].
	follows map[attr][]attr
}

func (c *classes) root(a attr) attr {
	for {
		p, ok := c.parent[a]
		if !ok {
			return a
		}
		a = p
	}
}

// join makes one class of two, if values that are equal have one encoding in both types.
func (c *classes) join(a, b attr) {
	if !a.joins(b) {
		return
	}
	if a, b = c.root(a), c.root(b); a != b {
		if c.parent == nil {
			c.parent = map[attr]attr{}
		}
		c.parent[a] = b
	}
}

// joins reports whether values of the two columns that are equal have one encoding.
func (a attr) joins(b attr) bool {
	return a.col().Type.Joins(&b.col().Type) && b.col().Type.Joins(&a.col().Type)
}

// of returns a column of the mention that what restricts a restricts too, the one by which restrictions are best told;
// false if there is none.
func (c *classes) of(a attr, r *ref) (best attr, ok bool) {
	root := c.root(a)
	for i := range r.shape.Columns {
		if b := (attr{r, i}); c.led(b, root, maxLed) && (!ok || rank(b) < rank(best)) {
			best, ok = b, true
		}
	}
	return best, ok
}

// maxLed is how many outer joins a restriction is passed on by.
const maxLed = 8

// led reports whether a column is in a class, or follows one that is.
func (c *classes) led(b, root attr, left int) bool {
	if c.root(b) == root {
		return true
	}
	for _, a := range c.follows[b] {
		if left > 0 && c.led(a, root, left-1) {
			return true
		}
	}
	return false
}

// eachEquality calls f with the sides of each = that must be true for the condition to be true.
func eachEquality(n ast.ExprNode, f func(l, r ast.ExprNode)) {
	op, ok := unwrap(n).(*ast.BinaryOperationExpr)
	switch {
	case ok && op.Op == opcode.LogicAnd:
		eachEquality(op.L, f)
		eachEquality(op.R, f)
	case ok && op.Op == opcode.EQ:
		f(unwrap(op.L), unwrap(op.R))
	}
}

// equalities joins the classes of columns that a condition says are equal.
func (s scope) equalities(n ast.ExprNode, c *classes) {
	eachEquality(n, func(l, r ast.ExprNode) { s.equality(l, r, c) })
}

func (s scope) equality(l, r ast.ExprNode, c *classes) {
	left, ok1 := l.(*ast.RowExpr)
	right, ok2 := r.(*ast.RowExpr)
	if ok1 && ok2 && len(left.Values) == len(right.Values) {
		for i := range left.Values {
			s.equality(unwrap(left.Values[i]), unwrap(right.Values[i]), c)
		}
		return
	}
	a, ok1 := s.resolve(l)
	b, ok2 := s.resolve(r)
	if ok1 && ok2 {
		c.join(a, b)
	}
}
