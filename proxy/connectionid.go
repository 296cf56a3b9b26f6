package proxy

import (
	"strconv"
	"strings"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// asksForID reports whether a statement is SELECT CONNECTION_ID(), and what its column is called. The number that a
// backend would give means nothing to Weir's KILL, and is another one for the next statement.
func (s *session) asksForID(text []byte, st statement.Statement) (column string, ok bool) {
	if st.Kind != statement.Read || st.Reason != statement.SessionFunction || st.Detail != "CONNECTION_ID" || s.wideResults() {
		return "", false
	}
	return statement.ConnectionID(string(text))
}

// wideResults: in these character sets the name of the column is not ASCII.
func (s *session) wideResults() bool {
	v, _ := s.state.settings.value("character_set_results")
	v = strings.ToLower(v)
	return strings.Contains(v, "utf16") || strings.Contains(v, "utf32") || strings.Contains(v, "ucs2")
}

// connectionID answers it in the text protocol.
func (s *session) connectionID(column string, text []byte) error {
	s.last = append([]byte(nil), text...)
	res := wire.Result{
		Columns: []wire.Column{s.idColumn(column)},
		Rows:    []wire.Row{{strconv.AppendUint(nil, uint64(s.id), 10)}},
		Status:  s.status(),
	}
	s.out, _ = res.AppendPackets(s.out[:0], s.reader.Sequence())
	return s.write(s.out)
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
