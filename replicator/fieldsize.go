package replicator

import (
	"encoding/binary"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/cache/dep"
)

// Codes of MariaDB's COMPRESSED columns (enum_field_types of MariaDB 10.3 and later), which go-mysql does not know.
const (
	codeBlobCompressed    = 140
	codeVarcharCompressed = 141
)

// fieldSize says how many bytes a value takes in a row image: always the same number, or as many as the prefix before it
// says, which is an unsigned integer of 1 to 4 bytes, the low one first.
type fieldSize struct {
	fixed  int
	prefix int
}

// sizeOf reads a type's code and metadata as Table_map_event describes them, in the sources of both servers. It is false
// for a code that is not known, and for the temporal types of before MySQL 5.6: MariaDB still writes those with
// mysql56_temporal_format=OFF, and then their size depends on a number of digits that the event does not have.
func sizeOf(f dep.Field) (fieldSize, bool) {
	switch f.Code {
	case gomysql.MYSQL_TYPE_VARCHAR, gomysql.MYSQL_TYPE_VAR_STRING, codeVarcharCompressed:
		return fieldSize{prefix: textPrefix(int(f.Meta))}, true
	case gomysql.MYSQL_TYPE_BLOB, gomysql.MYSQL_TYPE_GEOMETRY, gomysql.MYSQL_TYPE_JSON, gomysql.MYSQL_TYPE_VECTOR, codeBlobCompressed:
		return fieldSize{prefix: int(f.Meta)}, f.Meta >= 1 && f.Meta <= 4
	case gomysql.MYSQL_TYPE_STRING:
		return stringSize(f.Meta)
	case gomysql.MYSQL_TYPE_NEWDECIMAL:
		return decimalSize(int(f.Meta>>8), int(f.Meta&0xff))
	}
	n, ok := fixedSize(f)
	return fieldSize{fixed: n}, ok
}

func fixedSize(f dep.Field) (int, bool) {
	fraction := int(f.Meta+1) / 2 // bytes for up to 6 digits behind the second
	switch f.Code {
	case gomysql.MYSQL_TYPE_NULL:
		return 0, true
	case gomysql.MYSQL_TYPE_TINY, gomysql.MYSQL_TYPE_YEAR:
		return 1, true
	case gomysql.MYSQL_TYPE_SHORT:
		return 2, true
	case gomysql.MYSQL_TYPE_INT24, gomysql.MYSQL_TYPE_DATE:
		return 3, true
	case gomysql.MYSQL_TYPE_LONG, gomysql.MYSQL_TYPE_FLOAT:
		return 4, true
	case gomysql.MYSQL_TYPE_LONGLONG, gomysql.MYSQL_TYPE_DOUBLE:
		return 8, true
	case gomysql.MYSQL_TYPE_BIT:
		return int(f.Meta>>8) + int(f.Meta&0xff+7)/8, f.Meta&0xff < 8 && f.Meta>>8 <= 8
	case gomysql.MYSQL_TYPE_TIMESTAMP2:
		return 4 + fraction, f.Meta <= 6
	case gomysql.MYSQL_TYPE_DATETIME2:
		return 5 + fraction, f.Meta <= 6
	case gomysql.MYSQL_TYPE_TIME2:
		return 3 + fraction, f.Meta <= 6
	}
	return 0, false
}

// stringSize is for CHAR, BINARY, ENUM and SET, which share a code: the first byte of the metadata is the type, the
// second its size. A size above 255 has its two highest bits, turned over, in the type.
func stringSize(meta uint16) (fieldSize, bool) {
	kind, size := byte(meta>>8), int(meta&0xff)
	if kind&0x30 != 0x30 {
		size |= int(kind&0x30^0x30) << 4
		kind |= 0x30
	}
	switch kind {
	case gomysql.MYSQL_TYPE_ENUM:
		return fieldSize{fixed: size}, size == 1 || size == 2
	case gomysql.MYSQL_TYPE_SET:
		return fieldSize{fixed: size}, size >= 1 && size <= 8
	case gomysql.MYSQL_TYPE_STRING, gomysql.MYSQL_TYPE_VAR_STRING:
		return fieldSize{prefix: textPrefix(size)}, true
	}
	return fieldSize{}, false
}

func textPrefix(size int) int {
	if size > 255 {
		return 2
	}
	return 1
}

// decimalSize: four bytes for every nine digits, on either side of the point, and fewer for those that are left.
func decimalSize(precision, scale int) (fieldSize, bool) {
	if precision < scale || precision > 65 || precision == 0 {
		return fieldSize{}, false
	}
	leftover := [9]int{0, 1, 1, 2, 2, 3, 3, 4, 4}
	part := func(digits int) int { return digits/9*4 + leftover[digits%9] }
	return fieldSize{fixed: part(precision-scale) + part(scale)}, true
}

// cut takes a value off the front of data.
func (s fieldSize) cut(data []byte) (value, rest []byte, ok bool) {
	n := s.fixed
	if s.prefix > 0 {
		if len(data) < s.prefix {
			return nil, nil, false
		}
		n = readPrefix(data, s.prefix)
		data = data[s.prefix:]
	}
	if len(data) < n {
		return nil, nil, false
	}
	return data[:n:n], data[n:], true
}

func readPrefix(data []byte, bytes int) int {
	switch bytes {
	case 1:
		return int(data[0])
	case 2:
		return int(binary.LittleEndian.Uint16(data))
	case 3:
		return int(data[0]) | int(data[1])<<8 | int(data[2])<<16
	}
	return int(binary.LittleEndian.Uint32(data))
}
