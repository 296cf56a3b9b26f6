package proxy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"weir/proxy/wire"
)

var errNotOneRow = errors.New("the answer is not one row")

// columnDecoder decodes a column definition, of which MariaDB has two forms.
type columnDecoder func(payload []byte) (wire.Column, error)

func (c *conn) columnDecoder() columnDecoder {
	if c.pool.key.flags.Has(wire.ClientExtendedMetadata) {
		return wire.DecodeExtendedColumn
	}
	return wire.DecodeColumn
}

// literals returns the values of a result of one row as literals, to be said to another connection.
func literals(r *response, columns int, decode columnDecoder) ([]string, error) {
	if err := r.err(); err != nil {
		return nil, err
	}
	if r.kind != wire.KindResultSet || !r.whole {
		return nil, errNotOneRow
	}
	defs, rest, err := definitions(r.buf, decode)
	if err != nil || len(defs) != columns {
		return nil, errors.Join(errNotOneRow, err)
	}
	raw, after, err := wire.Split(rest)
	if err != nil || len(after) == 0 { // the last packet is the EOF
		return nil, errors.Join(errNotOneRow, err)
	}
	row, err := wire.DecodeRow(nil, raw[wire.HeaderSize:], columns)
	if err != nil {
		return nil, err
	}
	out := make([]string, columns)
	for i, v := range row {
		if out[i], err = literal(defs[i], v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// definitions returns the columns of a result, and what follows the EOF packet after them.
func definitions(b []byte, decode columnDecoder) (columns []wire.Column, rest []byte, err error) {
	raw, rest, err := wire.Split(b)
	if err != nil {
		return nil, nil, err
	}
	n, err := wire.DecodeColumnCount(raw[wire.HeaderSize:])
	for range int(n) {
		if err != nil {
			return nil, nil, err
		}
		var c wire.Column
		if raw, rest, err = wire.Split(rest); err == nil {
			c, err = decode(raw[wire.HeaderSize:])
		}
		columns = append(columns, c)
	}
	if err == nil {
		_, rest, err = wire.Split(rest)
	}
	return columns, rest, err
}

// literal writes a value so that it is read back alike in every sql_mode and in every character set of a client: as a
// number, as NULL, in single quotes, or in hexadecimal digits. What is not ASCII is refused, since it came in the
// character set of the session's results.
func literal(c wire.Column, value []byte) (string, error) {
	switch {
	case value == nil:
		return "NULL", nil
	case isNumber(c.Type):
		return number(value)
	case plainText(value):
		return "'" + strings.ReplaceAll(string(value), "'", "''") + "'", nil
	}
	for _, b := range value {
		if b < ' ' || b >= 0x7f {
			return "", fmt.Errorf("the value of %s has characters beyond ASCII", c.Name)
		}
	}
	return "_utf8mb4 0x" + hex.EncodeToString(value), nil
}

func isNumber(t wire.Type) bool {
	switch t {
	case wire.TypeTiny, wire.TypeShort, wire.TypeInt24, wire.TypeLong, wire.TypeLongLong, wire.TypeFloat, wire.TypeDouble,
		wire.TypeDecimal, wire.TypeNewDecimal, wire.TypeYear:
		return true
	}
	return false
}

func number(value []byte) (string, error) {
	for _, b := range value {
		if (b < '0' || b > '9') && !strings.ContainsRune("+-.eE", rune(b)) {
			return "", fmt.Errorf("%q is not a number", value)
		}
	}
	return string(value), nil
}

// plainText reports whether a text can stand in single quotes: it has no backslash, nor any character that some
// character set of a client has another one for, as swe7 has for brackets.
func plainText(value []byte) bool {
	for _, b := range value {
		if b < ' ' || b >= 0x7f || strings.ContainsRune("\\@[]^`{|}~#$", rune(b)) {
			return false
		}
	}
	return true
}
