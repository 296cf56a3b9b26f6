package proxy

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// asksForID reports whether a statement is SELECT CONNECTION_ID(), and what its column is called. The number that a
// backend would give means nothing to Weir's KILL, and is another one for the next statement.
func (s *session) asksForID(q request) (column string, ok bool) {
	st := q.st
	if st.Kind != statement.Read || st.Reason != statement.SessionFunction || st.Detail != "CONNECTION_ID" || s.wideResults() {
		return "", false
	}
	return statement.ConnectionID(string(q.said.text))
}

// wideResults: in these character sets the name of the column is not ASCII.
func (s *session) wideResults() bool {
	v, _ := s.state.settings.value("character_set_results")
	v = strings.ToLower(v)
	return strings.Contains(v, "utf16") || strings.Contains(v, "utf32") || strings.Contains(v, "ucs2")
}

// connectionID answers it in the protocol in which it was said.
func (s *session) connectionID(column string, what said) error {
	s.last = what.clone()
	var row wire.Message = wire.Row{strconv.AppendUint(nil, uint64(s.id), 10)}
	if what.execution.handle != nil {
		row = s.idInBinary()
	}
	eof := wire.EOF{Status: s.status()}
	out, seq := s.out[:0], s.reader.Sequence()
	for _, m := range []wire.Message{wire.ColumnCount(1), s.idDefinition(column), eof, row, eof} {
		out, seq = wire.AppendPacket(out, seq, m)
	}
	s.out = out
	return s.write(s.out)
}

// idInBinary is the row in the binary protocol: a zero byte, a bitmap of no NULLs, and the value.
func (s *session) idInBinary() wire.Payload {
	row := binary.LittleEndian.AppendUint32([]byte{0, 0}, s.id)
	if s.idColumn("").Type == wire.TypeLongLong {
		row = append(row, 0, 0, 0, 0)
	}
	return row
}

// columnFixed is the end of a column definition: the length of the fields of a fixed length, and these.
const columnFixed = 1 + 12

func (s *session) idDefinition(name string) wire.Payload { return s.definition(s.idColumn(name)) }

// definition is a column's definition in the client's format: with extended metadata one more field stands before those of a
// fixed length, and is empty for what is no more than a number or a text.
func (s *session) definition(c wire.Column) wire.Payload {
	p := c.Append(nil)
	if s.poolKey.flags.Has(wire.ClientExtendedMetadata) {
		p = slices.Insert(p, len(p)-columnFixed, 0)
	}
	return p
}

// idColumn describes CONNECTION_ID() as the flavour's servers do: MySQL 8 and 9 give a BIGINT, MariaDB 10.6 to 11 an INT,
// unsigned both. In the binary protocol the value is of that type, too.
func (s *session) idColumn(name string) wire.Column {
	c := wire.Column{
		Name: name, Collation: 63, Type: wire.TypeLongLong, Length: 21,
		Flags: wire.ColumnNotNull | wire.ColumnUnsigned | wire.ColumnBinary,
	}
	if s.server.facts.Flavor == statement.MariaDB {
		c.Type, c.Length = wire.TypeLong, 10
	}
	return c
}
