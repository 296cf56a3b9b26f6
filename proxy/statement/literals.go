package statement

import (
	"strings"

	"weir/cache/dep"
)

// in returns the operand's value.
func (o operand) in(values []dep.Literal) (dep.Literal, bool) {
	if o.slot >= len(values) {
		return dep.Literal{}, false
	}
	l := values[o.slot]
	if o.negative {
		return negated(l)
	}
	return l, true
}

// negated returns the literal with a minus in front, if that is as good as a literal.
func negated(l dep.Literal) (dep.Literal, bool) {
	switch l.Kind {
	case dep.WholeLiteral:
		if l.Magnitude > 1<<63 {
			return l, false // beyond integers: the server calculates with another type
		}
		l.Negative = !l.Negative && l.Magnitude != 0
		return l, true
	case dep.DecimalLiteral:
		if text, minus := strings.CutPrefix(l.Text, "-"); minus {
			l.Text = text
		} else {
			l.Text = "-" + strings.TrimPrefix(l.Text, "+")
		}
		return l, true
	}
	return l, false
}

// comparable reports whether the candidate's literals are of kinds that its comparisons, taken together, compare one by
// one; see [rule]. That a single one can be compared is for the column's type to say.
func (c candidate) comparable(values []dep.Literal) bool {
	kinds := map[attr]dep.LiteralKind{}
	for i := range c {
		a := &c[i]
		low, ok1 := a.low.in(values)
		high, ok2 := a.high.in(values)
		if !ok1 || !ok2 || !a.rule.allows(a.typ.Class, low, high) {
			return false
		}
		if a.rule == listed {
			if k, ok := kinds[a.attr]; ok && k != low.Kind {
				return false
			}
			kinds[a.attr] = low.Kind
		}
	}
	return true
}

func (r rule) allows(c dep.Class, low, high dep.Literal) bool {
	switch r {
	case nullSafe:
		return low.Kind != dep.TextLiteral || low.Text != ""
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
