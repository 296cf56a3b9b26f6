package wire

import "encoding/binary"

// ColumnCount is the first packet of a result set. Protocol page "Text Resultset".
type ColumnCount uint64

// maxColumns is more than a server can send: 4,096 is the limit of both, and of the counts in COM_STMT_PREPARE it is
// what fits.
const maxColumns = 1<<16 - 1

// Append implements [Message].
func (m ColumnCount) Append(dst []byte) []byte { return AppendLenencInt(dst, uint64(m)) }

// DecodeColumnCount decodes the count, of 1 to 65,535.
func DecodeColumnCount(payload []byte) (ColumnCount, error) {
	v, n := LenencInt(payload)
	if n == 0 || n != len(payload) || v == 0 || v > maxColumns {
		return 0, malformed("decode column count: % x is none", payload[:min(len(payload), 9)])
	}
	return ColumnCount(v), nil
}

// Column describes a column of a result set, or a parameter. Protocol page "Protocol::ColumnDefinition41".
type Column struct {
	Schema string
	// Table and Name are the aliases of the query, OrgTable and OrgName the names behind them.
	Table, OrgTable string
	Name, OrgName   string
	// Collation is the id of the collation that the values are sent in; 63 is binary.
	Collation uint16
	// Length is the display length in bytes.
	Length   uint32
	Type     Type
	Flags    ColumnFlag
	Decimals uint8
	// Default is the column's default value, in the response to COM_FIELD_LIST only.
	Default []byte
}

// columnFixed is the length of the fields that have one.
const columnFixed = 0x0C

// Append implements [Message]. Default is left out.
func (m Column) Append(dst []byte) []byte {
	dst = AppendLenencString(dst, "def")
	for _, s := range [...]string{m.Schema, m.Table, m.OrgTable, m.Name, m.OrgName} {
		dst = AppendLenencString(dst, s)
	}
	dst = append(dst, columnFixed)
	dst = binary.LittleEndian.AppendUint16(dst, m.Collation)
	dst = binary.LittleEndian.AppendUint32(dst, m.Length)
	dst = append(dst, byte(m.Type))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Flags))
	return append(dst, m.Decimals, 0, 0)
}

// DecodeColumn decodes a column definition. With [ClientExtendedMetadata] it is another one: see DecodeExtendedColumn.
func DecodeColumn(payload []byte) (Column, error) { return decodeColumn(payload, false) }

// DecodeExtendedColumn decodes a column definition of a connection with [ClientExtendedMetadata], where one more field
// stands before those of fixed length. It is left out.
func DecodeExtendedColumn(payload []byte) (Column, error) { return decodeColumn(payload, true) }

func decodeColumn(payload []byte, extended bool) (Column, error) {
	f := fields{message: "column definition", rest: payload}
	f.lenencBytes("catalog")
	m := Column{
		Schema:   f.lenencString("schema"),
		Table:    f.lenencString("table alias"),
		OrgTable: f.lenencString("table"),
		Name:     f.lenencString("column alias"),
		OrgName:  f.lenencString("column"),
	}
	if extended {
		f.lenencBytes("extended metadata")
	}
	fixed := fields{message: f.message, rest: f.lenencBytes("fixed-length fields")}
	m.decodeFixed(&fixed)
	if fixed.failed != "" {
		f.fail(fixed.failed)
	}
	if len(f.rest) > 0 && f.rest[0] != lenencNull {
		m.Default = append([]byte{}, f.lenencBytes("default value")...)
	}
	return m, f.err()
}

func (m *Column) decodeFixed(f *fields) {
	m.Collation = f.uint16("collation")
	m.Length = f.uint32("length")
	m.Type = Type(f.uint8("type"))
	m.Flags = ColumnFlag(f.uint16("flags"))
	m.Decimals = f.uint8("decimals")
}
