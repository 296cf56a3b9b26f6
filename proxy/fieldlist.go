package proxy

import (
	"bytes"
	"context"

	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// fieldList answers COM_FIELD_LIST, by which old clients ask for the columns of a table: its arguments are the name, a
// zero byte, and a pattern. The server opens the table for it.
func (s *session) fieldList(ctx context.Context, args []byte) error {
	ctx, end := s.running.begin(ctx)
	defer end()
	table, _, _ := bytes.Cut(args, []byte{0})
	return s.pass(ctx, request{
		st:  statement.Statement{Kind: statement.Read, Reason: statement.NotSelect, Tables: []dep.Name{dep.Fold(s.state.schema, string(table))}},
		run: command(wire.ComFieldList, args),
	})
}
