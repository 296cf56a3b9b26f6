package dep

// describeText is for columns under a collation that is known; others stay Opaque.
func (t *Type) describeText(d Described) {
	c := collationOf(d)
	if c == nil {
		return
	}
	t.Class, t.Collation, t.text = Text, d.Collation, c
	if n := declared(d.ColumnType, 0); n >= 0 {
		t.size = n * c.charset.width
	} else {
		t.size = -1
	}
}

// textLiteral gives the text in the column's character set; false for other literals, and for a text that the server
// might compare in another character set than the column's.
func (t *Type) textLiteral(l Literal) ([]byte, bool) {
	switch {
	case l.Kind != TextLiteral || t.text == nil:
		return nil, false
	case isASCII(l.Text):
		return []byte(l.Text), true
	case !l.UTF8:
		return nil, false
	}
	return t.text.charset.encode(l.Text)
}

func (t *Type) appendTextLiteral(dst []byte, l Literal) ([]byte, bool) {
	text, ok := t.textLiteral(l)
	if !ok {
		return dst, false
	}
	return t.text.append(dst, text)
}

// appendTextImage: what is not valid in the character set, which servers let in from files or through binary casts, has
// no weights that Weir could be sure of.
func (t *Type) appendTextImage(dst, raw []byte) ([]byte, bool) {
	if t.text == nil || !t.text.charset.valid(raw) {
		return dst, false
	}
	return t.text.append(dst, raw)
}
