package statement

import "github.com/pingcap/tidb/pkg/parser/ast"

// A filling is the ON of an outer join. It decides which combinations of rows of the side that it fills (the nullable one)
// go with which of the side that it keeps; where there is none, NULLs do. It holds of no combination for certain, but it
// says which rows on the side that it fills matter at all: a row takes part, or keeps NULLs from being filled in, only in
// combinations for which ON is true.
//
// So a comparison in ON with a literal restricts the mention that it is about, on the filled side, and nothing else:
//
//	o LEFT JOIN i ON i.order_id = o.id AND i.kind = 3      rows of i with another kind do not matter; orders all do
//
// And an equality in ON passes on what restricts the kept side, in one direction. If only combinations with o.id = 5 are let
// through, a row of i matters only for those, and for those only with order_id = 5; with another one it neither joins
// them nor keeps NULLs away from them:
//
//	o LEFT JOIN i ON i.order_id = o.id WHERE o.id = 5      rows of i with another order_id do not matter
//
// If the mention is itself filled with NULLs inside of the filled side, that changes nothing: with NULL, too, the
// comparison is not true.
type filling struct {
	keeps, fills scope
	on           ast.ExprNode
}

// fill takes in what the ON of an outer join says.
func (w *walker) fill(f filling) {
	f.keeps.slot, f.fills.slot = w.slot, w.slot
	for _, r := range f.fills.restrictions(f.on) {
		if r.half == whole {
			w.reads.matter = append(w.reads.matter, r)
		}
	}
	eachEquality(f.on, func(l, r ast.ExprNode) {
		f.equality(l, r, &w.reads.equal)
		f.equality(r, l, &w.reads.equal)
	})
}

func (f filling) equality(kept, filled ast.ExprNode, c *classes) {
	a, ok1 := f.keeps.resolve(kept)
	b, ok2 := f.fills.resolve(filled)
	if ok1 && ok2 && a.joins(b) {
		if c.follows == nil {
			c.follows = map[attr][]attr{}
		}
		c.follows[b] = append(c.follows[b], a)
	}
}
