package proxy

import (
	"bytes"
	"context"

	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// fieldList answers COM_FIELD_LIST, by which old clients ask for the columns of a table: its arguments are the name, a
// zero byte, and a pattern. The server opens the table for it.
func (s *session) fieldList(ctx context.Context, args []byte) error {
	ctx, end := s.running.begin(ctx)
	defer end()
	table, _, _ := bytes.Cut(args, []byte{0})
	if t := s.server.tables.Find(s.within, string(table)); t != nil {
		return s.listFields(t)
	}
	return s.pass(ctx, request{
		st:  statement.Statement{Kind: statement.Read, Reason: statement.NotSelect, Tables: []dep.Name{dep.Fold(s.state.schema, string(table))}},
		run: command(wire.ComFieldList, args),
	})
}

// listFields answers it for a table of Weir's own: column definitions, each with a default, which is NULL.
func (s *session) listFields(t *virtual.Table) error {
	s.leftNothing(said{})
	out, seq := s.out[:0], s.reader.Sequence()
	for _, c := range t.All().Definitions(s.texts()) {
		out, seq = wire.AppendPacket(out, seq, append(s.definition(c), nullDefault))
	}
	s.out, _ = wire.AppendPacket(out, seq, wire.EOF{Status: s.status()})
	return s.write(s.out)
}

// nullDefault is how a column definition ends whose default is NULL.
const nullDefault = 0xfb
