package statement

import "weir/cache/dep"

// comparable reports whether the candidate's literals are of kinds that its comparisons, taken together, compare one by
// one; see [rule]. That a single one can be compared is for the column's type to say.
func (c candidate) comparable(values []dep.Literal) bool {
	kinds := map[*dep.Type]dep.LiteralKind{}
	for i := range c {
		a := &c[i]
		if max(a.low, a.high) >= len(values) {
			return false
		}
		low, high := values[a.low], values[a.high]
		if !a.rule.allows(a.typ.Class, low, high) {
			return false
		}
		if a.rule == listed {
			if k, ok := kinds[a.typ]; ok && k != low.Kind {
				return false
			}
			kinds[a.typ] = low.Kind
		}
	}
	return true
}

func (r rule) allows(c dep.Class, low, high dep.Literal) bool {
	switch r {
	case nullSafe:
		return low.Kind == dep.WholeLiteral || low.Text != ""
	case inRow:
		return own(c, low.Kind)
	case between:
		return low.Kind == high.Kind && own(c, low.Kind)
	}
	return true
}

// own reports whether a literal is of the kind in which values of the class are written.
func own(c dep.Class, k dep.LiteralKind) bool {
	switch c {
	case dep.Whole:
		return k == dep.WholeLiteral
	case dep.Decimal:
		return k == dep.WholeLiteral || k == dep.DecimalLiteral
	case dep.Text, dep.Enum, dep.Date, dep.DateTime:
		return k == dep.TextLiteral
	case dep.Bytes:
		return k == dep.TextLiteral || k == dep.BytesLiteral
	}
	return false
}
