package dep

// typeOf knows whole numbers.
func typeOf(d Described) Type {
	t := Type{Name: d.DataType}
	switch d.DataType {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		t.Class = Whole
		t.Unsigned = hasWord(d.ColumnType, "unsigned")
	}
	return t
}

// AppendLiteral appends the encoding of the column's values that the server finds equal to the literal: two values that
// it finds equal have the same encoding. It is false if Weir does not know exactly which these are; then no row tag is
// right.
func (t *Type) AppendLiteral(dst []byte, l Literal) ([]byte, bool) {
	if t.Class == Whole && l.Kind == WholeLiteral {
		return appendWhole(dst, l.Magnitude, l.Negative), true
	}
	return dst, false
}

// AppendImage is AppendLiteral for a value in a row event. raw has no length in front. It is false for a value that
// cannot be read.
func (t *Type) AppendImage(dst, raw []byte, f Field) ([]byte, bool) {
	if t.Class == Whole {
		magnitude, negative, ok := wholeImage(raw, t.Unsigned)
		return appendWhole(dst, magnitude, negative), ok
	}
	return dst, false
}

// LiteralPosition gives the place of a literal in the order of the column's values, which are Whole, Date or DateTime. A
// literal beyond the smallest or largest value has the place of that.
func (t *Type) LiteralPosition(l Literal) (uint64, bool) {
	if t.Class == Whole && l.Kind == WholeLiteral {
		return wholePosition(l.Magnitude, l.Negative, t.Unsigned), true
	}
	return 0, false
}

// ImagePosition is LiteralPosition for a value in a row event.
func (t *Type) ImagePosition(raw []byte, f Field) (uint64, bool) {
	if t.Class == Whole {
		magnitude, negative, ok := wholeImage(raw, t.Unsigned)
		return wholePosition(magnitude, negative, t.Unsigned), ok
	}
	return 0, false
}

// Agrees reports whether a field of a table map can be of this type: what the catalogue says and what the event has may
// be of different times.
func (t *Type) Agrees(f Field) bool {
	return t.Class == Opaque || t.Class == Whole && wholeCode(t.Name) == f.Code
}

// Joins reports whether a value of t that the server finds equal to a value of u has the same encoding, and the same
// position, so that a restriction on one column is one on the other: 5 as INT and 5 as BIGINT, texts under one collation.
func (t *Type) Joins(u *Type) bool {
	return t.Class == Whole && u.Class == Whole
}
