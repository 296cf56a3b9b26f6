package virtual

import "weir/proxy/wire"

// Answer is a result that Weir gives itself.
type Answer struct {
	Columns []Output
	Rows    [][]any
}

// Output is a column of an answer.
type Output struct {
	Name string
	Kind Kind
	// Table is what the text calls the table, and Of the table and Column the column behind it; empty for what is computed.
	Table, Column string
	Of            *Table
	// NotNull says that it is never NULL.
	NotNull bool
}

// Charset is how texts are sent.
type Charset struct {
	// Collation is the id of the collation of texts, Width how many bytes a character takes at most.
	Collation uint16
	Width     uint32
}

const binaryCollation = 63

// Definitions describe the columns as servers do.
func (a *Answer) Definitions(texts Charset) []wire.Column {
	list := make([]wire.Column, len(a.Columns))
	for i, o := range a.Columns {
		list[i] = o.definition(texts)
	}
	return list
}

func (o Output) definition(texts Charset) wire.Column {
	c := wire.Column{Name: o.Name, OrgName: o.Column, Table: o.Table, Collation: binaryCollation, Flags: wire.ColumnBinary}
	if o.Of != nil {
		c.Schema, c.OrgTable = o.Of.Schema, o.Of.Name
	}
	switch o.Kind {
	case Unsigned:
		c.Type, c.Length, c.Flags = wire.TypeLongLong, 20, wire.ColumnBinary|wire.ColumnUnsigned
	case Signed:
		c.Type, c.Length = wire.TypeLongLong, 20
	case Double:
		c.Type, c.Length, c.Decimals = wire.TypeDouble, 22, 31
	case Time:
		c.Type, c.Length, c.Decimals = wire.TypeDatetime, 26, 6
	case Long:
		c.Type, c.Length, c.Collation, c.Flags = wire.TypeBlob, 1<<32-1, texts.Collation, 0
	case Flag:
		c.Type, c.Length, c.Collation, c.Flags = wire.TypeVarString, 3*texts.Width, texts.Collation, 0
	default:
		c.Type, c.Length, c.Collation, c.Flags = wire.TypeVarString, 255*texts.Width, texts.Collation, 0
	}
	if o.NotNull {
		c.Flags |= wire.ColumnNotNull
	}
	return c
}

// Text returns row i in the text protocol, Binary in that of prepared statements.
func (a *Answer) Text(i int) wire.Row {
	row := make(wire.Row, len(a.Columns))
	for j, v := range a.Rows[i] {
		if text, ok := asText(v); ok {
			row[j] = []byte(text)
		}
	}
	return row
}

// Binary returns row i in the binary protocol: a zero byte, a bitmap of the NULLs, and the others.
func (a *Answer) Binary(i int) wire.Payload {
	nulls := make([]byte, (len(a.Columns)+9)/8)
	var values []byte
	for j, v := range a.Rows[i] {
		if _, ok := asText(v); !ok {
			nulls[(j+2)/8] |= 1 << ((j + 2) % 8)
			continue
		}
		values = a.Columns[j].Kind.binary(values, v)
	}
	return append(append([]byte{0}, nulls...), values...)
}

// ASCII reports whether everything in the answer is, so that it is the same in nearly all character sets.
func (a *Answer) ASCII() bool {
	for _, row := range a.Rows {
		for _, v := range row {
			if text, ok := v.(string); ok && !isASCII(text) {
				return false
			}
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// All is the answer to a SELECT of all columns, without rows.
func (t *Table) All() *Answer {
	a := &Answer{}
	for _, c := range t.Columns {
		a.Columns = append(a.Columns, Output{Name: c.Name, Kind: c.Kind, Table: t.Name, Of: t, Column: c.Name})
	}
	return a
}
