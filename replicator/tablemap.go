package replicator

import (
	"bytes"
	"encoding/binary"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

// repairMeta sets right what go-mysql has read of a table map with COMPRESSED columns: it does not know that they have
// metadata, and gives all columns behind the first of them that of their neighbours. Where the metadata cannot be read
// it leaves none, and rows of the table are not decoded.
func repairMeta(m *replication.TableMapEvent, raw []byte) {
	if bytes.IndexByte(m.ColumnType, codeBlobCompressed) < 0 && bytes.IndexByte(m.ColumnType, codeVarcharCompressed) < 0 {
		return
	}
	m.ColumnMeta = nil
	if block, ok := metaBlock(m, raw); ok {
		m.ColumnMeta = readMeta(m.ColumnType, block)
	}
}

// metaBlock finds the metadata in an event: behind the header, the table's id (6 bytes), flags (2), both names, each with
// its length in front and a zero behind, and the number and codes of the columns.
func metaBlock(m *replication.TableMapEvent, raw []byte) ([]byte, bool) {
	before := replication.EventHeaderSize + 6 + 2 + 1 + len(m.Schema) + 1 + 1 + len(m.Table) + 1
	if len(raw) < before {
		return nil, false
	}
	columns, _, n := gomysql.LengthEncodedInt(raw[before:])
	if before += n + len(m.ColumnType); columns != uint64(len(m.ColumnType)) || len(raw) <= before {
		return nil, false
	}
	block, null, _, err := gomysql.LengthEncodedString(raw[before:])
	return block, err == nil && !null
}

// readMeta returns nil if the block is not exactly that of the columns.
func readMeta(codes, block []byte) []uint16 {
	meta := make([]uint16, len(codes))
	for i, code := range codes {
		n := metaSize(code)
		if len(block) < n {
			return nil
		}
		meta[i] = metaValue(code, block[:n])
		block = block[n:]
	}
	if len(block) > 0 {
		return nil
	}
	return meta
}

// metaSize is how many bytes of metadata a type has, as each Field's save_field_metadata in both servers writes them.
func metaSize(code byte) int {
	switch code {
	case gomysql.MYSQL_TYPE_STRING, gomysql.MYSQL_TYPE_NEWDECIMAL, gomysql.MYSQL_TYPE_VAR_STRING,
		gomysql.MYSQL_TYPE_VARCHAR, gomysql.MYSQL_TYPE_BIT, codeVarcharCompressed:
		return 2
	case gomysql.MYSQL_TYPE_BLOB, gomysql.MYSQL_TYPE_DOUBLE, gomysql.MYSQL_TYPE_FLOAT, gomysql.MYSQL_TYPE_GEOMETRY,
		gomysql.MYSQL_TYPE_VECTOR, gomysql.MYSQL_TYPE_JSON, gomysql.MYSQL_TYPE_TIME2, gomysql.MYSQL_TYPE_DATETIME2,
		gomysql.MYSQL_TYPE_TIMESTAMP2, codeBlobCompressed:
		return 1
	}
	return 0
}

// metaValue is in go-mysql's order: for CHAR and DECIMAL the first byte is the high one, for all others the low one.
func metaValue(code byte, b []byte) uint16 {
	switch {
	case len(b) == 0:
		return 0
	case len(b) == 1:
		return uint16(b[0])
	case code == gomysql.MYSQL_TYPE_STRING || code == gomysql.MYSQL_TYPE_NEWDECIMAL:
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}
