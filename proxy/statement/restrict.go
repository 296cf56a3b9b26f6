package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// A restriction is a set of atoms such that each row of the joined tables that a block looks at satisfies at least one
// of them. A half is one of "from here on" or "up to here"; two halves make a range, one alone is of no use.
type restriction struct {
	atoms []atom
	half  half
}

type half uint8

const (
	whole half = iota
	lower      // column >= low
	upper      // column <= high
)

// An atom says of a column that it is equal to a literal (low), or from one to another.
type atom struct {
	attr      attr
	low, high int // indexes into [Statement.Slots]
	rule      rule
}

// A rule says how an atom's literals are compared, and so which of them may be relied on.
type rule uint8

const (
	// each: column = literal, each pair by itself.
	each rule = iota
	// listed: of an IN. Its literals must be of one kind, since kinds that are mixed may be compared otherwise.
	listed
	// nullSafe: column <=> literal. An empty text may be NULL to MariaDB (EMPTY_STRING_IS_NULL), which finds NULLs.
	nullSafe
	// inRow: of a row constructor, which is compared by the type of the column alone: 5.5 may be rounded.
	inRow
	// between: three values that are compared in one type.
	between
	// bounds: column >= low AND column <= high, each pair by itself.
	bounds
)

func (r rule) ranged() bool { return r == between || r == bounds }

// maxProducts bounds the restrictions that an OR of several of them makes. Those that are left out are not needed: any
// choice of restrictions is sound.
const maxProducts = 16

// restrictions returns what a condition says that must be true.
//
// AND gives what each side says. OR gives, for each pair of what both sides say, that one of the two is true; it says
// nothing if one side does not. Everything else that is not listed here says nothing: NOT, IS NULL, XOR, LIKE, CASE,
// functions, casts, COLLATE, arithmetic, subqueries, columns of outer blocks. There is nothing for IS NULL since it
// finds what is not NULL: a DATE of zeros, and with sql_auto_is_null the row that was inserted last.
func (s scope) restrictions(n ast.ExprNode) []restriction {
	switch n := unwrap(n).(type) {
	case *ast.BinaryOperationExpr:
		switch n.Op {
		case opcode.LogicAnd:
			return both(s.restrictions(n.L), s.restrictions(n.R))
		case opcode.LogicOr:
			return oneOf(s.restrictions(n.L), s.restrictions(n.R))
		case opcode.EQ:
			return s.equal(n.L, n.R, each)
		case opcode.NullEQ:
			return s.equal(n.L, n.R, nullSafe)
		}
		return s.bound(n)
	case *ast.PatternInExpr:
		if !n.Not && n.Sel == nil {
			return s.in(n)
		}
	case *ast.BetweenExpr:
		if !n.Not {
			return s.between(n)
		}
	}
	return nil
}

// both has what the sides of an AND say, and a range for each two halves, of one column, that meet here.
func both(left, right []restriction) []restriction {
	out := append(left[:len(left):len(left)], right...)
	for _, l := range left {
		for _, r := range right {
			if len(out) == len(left)+len(right)+maxProducts {
				return out
			}
			switch a, b := l.atoms[0], r.atoms[0]; {
			case a.attr != b.attr:
			case l.half == lower && r.half == upper:
				a.high = b.high
				out = append(out, restriction{atoms: []atom{a}})
			case l.half == upper && r.half == lower:
				b.high = a.high
				out = append(out, restriction{atoms: []atom{b}})
			}
		}
	}
	return out
}

// oneOf joins what the sides of an OR say.
func oneOf(left, right []restriction) []restriction {
	var out []restriction
	for _, l := range left {
		for _, r := range right {
			if l.half == whole && r.half == whole && len(out) < maxProducts {
				out = append(out, restriction{atoms: append(l.atoms[:len(l.atoms):len(l.atoms)], r.atoms...)})
			}
		}
	}
	return out
}

// equal is a comparison of a column with a literal, in either order, or of row constructors, which says as much of each
// pair.
func (s scope) equal(l, r ast.ExprNode, how rule) []restriction {
	l, r = unwrap(l), unwrap(r)
	left, ok1 := l.(*ast.RowExpr)
	right, ok2 := r.(*ast.RowExpr)
	if ok1 && ok2 && len(left.Values) == len(right.Values) {
		var out []restriction
		for i := range left.Values {
			if a, ok := s.pair(left.Values[i], right.Values[i], inRow); ok && how == each {
				out = append(out, restriction{atoms: []atom{a}})
			}
		}
		return out
	}
	if a, ok := s.pair(l, r, how); ok {
		return []restriction{{atoms: []atom{a}}}
	}
	return nil
}

// pair is the equality of a column and a literal.
func (s scope) pair(l, r ast.ExprNode, how rule) (atom, bool) {
	if _, ok := s.literal(l); ok {
		l, r = r, l
	}
	a, ok := s.resolve(l)
	value, isLiteral := s.literal(r)
	return atom{attr: a, low: value, high: value, rule: how}, ok && isLiteral
}

// in is an IN with a list: an OR of equalities.
func (s scope) in(n *ast.PatternInExpr) []restriction {
	if row, ok := unwrap(n.Expr).(*ast.RowExpr); ok {
		return s.rowIn(row, n.List)
	}
	var one restriction
	for _, item := range n.List {
		a, ok := s.pair(n.Expr, item, listed)
		if _, literal := s.literal(n.Expr); !ok || literal {
			return nil // 5 IN (a, b) compares in a type and a collation of all three
		}
		one.atoms = append(one.atoms, a)
	}
	return []restriction{one}
}

// rowIn is (a, b) IN ((1, 2), (3, 4)): a is one of 1 and 3, and b is one of 2 and 4.
func (s scope) rowIn(row *ast.RowExpr, list []ast.ExprNode) []restriction {
	out := make([]restriction, len(row.Values))
	for _, item := range list {
		values, ok := unwrap(item).(*ast.RowExpr)
		if !ok || len(values.Values) != len(row.Values) {
			return nil
		}
		for i, v := range values.Values {
			if a, ok := s.pair(row.Values[i], v, inRow); ok {
				out[i].atoms = append(out[i].atoms, a)
			}
		}
	}
	var full []restriction
	for _, r := range out {
		if len(r.atoms) == len(list) {
			full = append(full, r)
		}
	}
	return full
}

func (s scope) between(n *ast.BetweenExpr) []restriction {
	a, ok := s.resolve(n.Expr)
	low, ok1 := s.literal(n.Left)
	high, ok2 := s.literal(n.Right)
	if !ok || !ok1 || !ok2 {
		return nil
	}
	return []restriction{{atoms: []atom{{attr: a, low: low, high: high, rule: between}}}}
}

// bound is a comparison by order. That it leaves the end itself out does not matter: more rows may count than must.
func (s scope) bound(n *ast.BinaryOperationExpr) []restriction {
	h := map[opcode.Op]half{opcode.GT: lower, opcode.GE: lower, opcode.LT: upper, opcode.LE: upper}[n.Op]
	if h == whole {
		return nil
	}
	if _, ok := s.literal(n.L); ok {
		h = lower + upper - h
	}
	a, ok := s.pair(n.L, n.R, bounds)
	if !ok {
		return nil
	}
	return []restriction{{atoms: []atom{a}, half: h}}
}

// literal returns which constant an expression is.
func (s scope) literal(n ast.ExprNode) (int, bool) { return s.slot(unwrap(n)) }
