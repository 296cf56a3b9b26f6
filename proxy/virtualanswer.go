package proxy

import (
	"strings"

	"weir/proxy/statement"
	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// takesUTF8 reports whether results are sent in UTF-8, as far as Weir knows.
func (s *session) takesUTF8() bool {
	charset := s.resultCharset()
	return charset == "utf8mb4" || charset == "null"
}

// resultCharset is what texts in results are sent in: what the session has set, else what the handshake said.
func (s *session) resultCharset() string {
	if v, ok := s.state.settings.value("character_set_results"); ok {
		return strings.ToLower(strings.Trim(v, `'"`))
	}
	if s.defaults.charset != "" {
		return s.defaults.charset
	}
	return s.server.facts.Charset(s.poolKey.collation)
}

// texts is how texts of Weir's own are told to clients.
func (s *session) texts() virtual.Charset {
	switch charset := s.resultCharset(); {
	case charset == "utf8mb4", charset == "null":
		if s.server.facts.Flavor == statement.MySQL {
			return virtual.Charset{Collation: 255, Width: 4}
		}
		return virtual.Charset{Collation: 45, Width: 4}
	case charset == "latin1":
		return virtual.Charset{Collation: 8, Width: 1}
	case isUTF8(charset):
		return virtual.Charset{Collation: 33, Width: 3}
	}
	return virtual.Charset{Collation: 45, Width: 4} // of ASCII, which is the same in all others
}

// giveText answers in the text protocol.
func (s *session) giveText(a *virtual.Answer, refusal *wire.Error) error {
	s.leftNothing(said{})
	if refusal != nil {
		return s.writeError(refusal)
	}
	return s.writeSlowly(s.result(a, func(i int) wire.Message { return a.Text(i) }))
}

// giveBinary answers in that of prepared statements.
func (s *session) giveBinary(x *execution, a *virtual.Answer, refusal *wire.Error) error {
	s.leftNothing(said{})
	if refusal != nil {
		return s.writeError(refusal)
	}
	return s.answer(x, s.result(a, func(i int) wire.Message { return a.Binary(i) }))
}

// result puts the packets together, in memory of their own: a cursor keeps them.
func (s *session) result(a *virtual.Answer, row func(int) wire.Message) []byte {
	out, seq := s.definitions(nil, s.reader.Sequence(), a)
	for i := range a.Rows {
		out, seq = wire.AppendPacket(out, seq, row(i))
	}
	out, _ = wire.AppendPacket(out, seq, wire.EOF{Status: s.status()})
	return out
}

// definitions are the packets in front of the rows.
func (s *session) definitions(out []byte, seq uint8, a *virtual.Answer) ([]byte, uint8) {
	out, seq = wire.AppendPacket(out, seq, wire.ColumnCount(len(a.Columns)))
	for _, c := range a.Definitions(s.texts()) {
		out, seq = wire.AppendPacket(out, seq, s.definition(c))
	}
	return wire.AppendPacket(out, seq, wire.EOF{Status: s.status()})
}

// describeAnswer makes a handle and describes its columns.
func (s *session) describeAnswer(text []byte, a *virtual.Answer) error {
	out, seq := wire.AppendPacket(nil, s.reader.Sequence(), wire.Prepared{Columns: uint16(len(a.Columns))})
	for _, c := range a.Definitions(s.texts()) {
		out, seq = wire.AppendPacket(out, seq, s.definition(c))
	}
	out, _ = wire.AppendPacket(out, seq, wire.EOF{Status: s.status()})
	if err := s.describe(text, out); err != nil {
		return err
	}
	if h := s.handles.last; h != nil {
		h.within = s.within
	}
	return nil
}
