package dep

// AppendLiteral appends the encoding of the column's values that the server finds equal to the literal: two values that
// it finds equal have the same encoding. It is false if Weir does not know exactly which these are; then no row tag is
// right.
func (t *Type) AppendLiteral(dst []byte, l Literal) ([]byte, bool) {
	switch t.Class {
	case Whole:
		if magnitude, negative, ok := l.integer(); ok {
			return appendWhole(dst, magnitude, negative), true
		}
	case Decimal:
		return t.appendDecimalLiteral(dst, l)
	case Text:
		return t.appendTextLiteral(dst, l)
	case Bytes:
		return t.appendBytesLiteral(dst, l)
	case Enum:
		return t.appendEnumLiteral(dst, l)
	case Date:
		if d, ok := l.date(); ok {
			return appendPosition(dst, d.position()), true
		}
	case DateTime:
		if d, ok := l.datetime(t.Scale); ok {
			return d.append(dst), true
		}
	}
	return dst, false
}

// AppendImage is AppendLiteral for a value in a row event. raw has no length in front. It is false for a value that
// cannot be read.
func (t *Type) AppendImage(dst, raw []byte, f Field) ([]byte, bool) {
	switch t.Class {
	case Whole:
		if magnitude, negative, ok := wholeImage(raw, t.Unsigned); ok {
			return appendWhole(dst, magnitude, negative), true
		}
	case Decimal:
		return t.appendDecimalImage(dst, raw, f)
	case Text:
		return t.appendTextImage(dst, raw)
	case Bytes:
		return t.appendBytes(dst, raw), true
	case Enum:
		return t.appendEnumImage(dst, raw)
	case Date:
		if d, ok := dateImage(raw); ok {
			return appendPosition(dst, d.position()), true
		}
	case DateTime:
		if d, ok := datetimeImage(raw, int(f.Meta)); ok {
			return d.append(dst), true
		}
	}
	return dst, false
}

// LiteralPosition gives the place of a literal in the order of the column's values, which are Whole, Date or DateTime. A
// literal beyond the smallest or largest value has the place of that. A DateTime has the place of its second.
func (t *Type) LiteralPosition(l Literal) (uint64, bool) {
	switch t.Class {
	case Whole:
		magnitude, negative, ok := l.integer()
		return wholePosition(magnitude, negative, t.Unsigned), ok
	case Date:
		d, ok := l.date()
		return d.position(), ok
	case DateTime:
		d, ok := l.datetime(t.Scale)
		return d.position(), ok
	}
	return 0, false
}

// ImagePosition is LiteralPosition for a value in a row event.
func (t *Type) ImagePosition(raw []byte, f Field) (uint64, bool) {
	switch t.Class {
	case Whole:
		magnitude, negative, ok := wholeImage(raw, t.Unsigned)
		return wholePosition(magnitude, negative, t.Unsigned), ok
	case Date:
		d, ok := dateImage(raw)
		return d.position(), ok
	case DateTime:
		d, ok := datetimeImage(raw, int(f.Meta))
		return d.position(), ok
	}
	return 0, false
}

// Partial reports whether there are ordinary values of the type for which AppendImage is false: texts beyond ASCII under
// MariaDB's uca1400 collations.
func (t *Type) Partial() bool { return t.text != nil && t.text.folded }

// Agrees reports whether a field of a table map can be of this type: what the catalogue says and what the event has may
// be of different times. Whether a number has a sign, and a text's character set, are not in the field.
func (t *Type) Agrees(f Field) bool { return t.agrees(f) }

// Joins reports whether a value of t that the server finds equal to a value of u has the same encoding, so that a
// restriction on one column is one on the other, by the same literal: 5 as INT and 5 as BIGINT, texts under one collation.
func (t *Type) Joins(u *Type) bool { return t.joins(u) }
