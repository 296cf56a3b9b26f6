package proxy

import (
	"context"
	"errors"
	"strings"

	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// schemas is what a [statement.Catalog] may offer on top: whether the source has a schema of that name. Weir's own gives
// way to it.
type schemas interface {
	HasSchema(schema string) bool
}

// theirs reports whether a name is one of the source's; with an empty table, whether the schema is.
func (s *session) theirs(schema, table string) bool {
	known, _ := s.server.schema.Snapshot()
	if known == nil || strings.EqualFold(schema, "information_schema") {
		return false
	}
	if list, ok := known.(schemas); ok {
		return list.HasSchema(strings.ToLower(schema))
	}
	return table != "" && known.Relation(dep.Fold(schema, table)).Kind != dep.Unknown
}

// inWeir reports whether a schema that the client selects is Weir's own. Then no server is told: there the session has
// no default database.
func (s *session) inWeir(schema string) bool {
	return s.server.tables.Owns(schema) && !s.theirs(schema, "")
}

// mayBeVirtual reports whether a text may read a table that Weir answers itself. What is longer than a text that is looked up in the
// cache is not taken apart: it may be an INSERT of many megabytes with that word in its data.
func (s *session) mayBeVirtual(text []byte) bool {
	return len(text) <= maxCachedText && (s.within != "" || s.server.tables.May(text))
}

// virtualReader reads a text as the session says it; within is its default schema among Weir's own.
func (s *session) virtualReader(within, text string) (*virtual.Reader, bool) {
	env := s.env()
	if within != "" {
		env.Schema = within
	}
	r, ok := virtual.NewReader(s.server.tables, env.Schema, text, env)
	r.Theirs = s.theirs
	return r, ok
}

// queryVirtual answers a text that reads Weir's own tables, and reports whether it does.
func (s *session) queryVirtual(ctx context.Context, text []byte) (bool, error) {
	r, ok := s.virtualReader(s.within, string(text))
	if !ok {
		return false, nil
	}
	ctx, end := s.running.begin(ctx)
	defer end()
	if a, refusal := s.evaluate(ctx, r); a != nil || refusal != nil {
		return true, s.giveText(a, refusal)
	}
	st := s.analyze(string(text))
	tables := r.Tables()
	if len(tables) == 0 || st.Kind != statement.Read {
		return false, nil // of a statement that writes, or of several in one text, a server says that there is no such table
	}
	derived, refusal, err := s.derive(ctx, r, tables)
	if refusal != nil || err != nil {
		return true, s.refuseVirtual(refusal, err)
	}
	st.Cacheable = false
	q := querying(derived, derived, st)
	if done, err := s.own(ctx, q); done {
		return true, err
	}
	return true, s.pass(ctx, q)
}

// executeVirtual is queryVirtual for an execution. A cursor is not opened on the server: a client that has asked for one
// gets the rows at once, as the protocol allows.
func (s *session) executeVirtual(ctx context.Context, x *execution) (bool, error) {
	r, ok := s.virtualReader(x.handle.within, string(x.handle.text))
	if !ok {
		return false, nil
	}
	ctx, end := s.running.begin(ctx)
	defer end()
	if a, refusal := s.evaluate(ctx, r); a != nil || refusal != nil {
		return true, s.giveBinary(x, a, refusal)
	}
	st := s.analyzeIn(x.handle.schema, string(x.handle.text))
	tables := r.Tables()
	if len(tables) == 0 || st.Kind != statement.Read {
		return false, nil
	}
	derived, refusal, err := s.derive(ctx, r, tables)
	if refusal != nil || err != nil {
		return true, s.refuseVirtual(refusal, err)
	}
	st.Cacheable = false
	other := *x
	other.handle = &handle{text: derived, params: x.handle.params, schema: x.handle.schema, types: x.handle.types}
	q := s.executing(&other, st, wire.NoCursor)
	other.once = true // its rows are those of this execution
	q.said = said{}
	if done, err := s.own(ctx, q); done {
		return true, err
	}
	return true, s.pass(ctx, q)
}

// prepareVirtual prepares such a text: Weir describes what it evaluates itself, and a server the rest, of which it gets
// the columns without rows.
func (s *session) prepareVirtual(ctx context.Context, text []byte) (bool, error) {
	r, ok := s.virtualReader(s.within, string(text))
	if !ok {
		return false, nil
	}
	if a := describeVirtual(r); a != nil {
		return true, s.describeAnswer(text, a)
	}
	st := s.analyze(string(text))
	if len(r.Tables()) == 0 || st.Kind != statement.Read {
		return false, nil
	}
	derived, err := r.Derive(s.server.maxPacket(), func(*virtual.Table) [][]any { return nil })
	if err != nil {
		return true, s.refuseVirtual(nil, err)
	}
	ctx, end := s.running.begin(ctx)
	defer end()
	st.Cacheable = false
	if err := s.askDescription(ctx, text, []byte(derived), st, s.server.cache.Ledger().Mark()); err != nil {
		return true, err
	}
	if h := s.handles.last; h != nil {
		h.within = s.within
	}
	return true, nil
}

func describeVirtual(r *virtual.Reader) *virtual.Answer {
	if a := r.Show(); a != nil {
		return a
	}
	if q := r.Parse(); q != nil {
		return q.Describe()
	}
	return nil
}

// evaluate answers what needs no server; nil and nil for what does.
func (s *session) evaluate(ctx context.Context, r *virtual.Reader) (*virtual.Answer, *wire.Error) {
	if a := r.Show(); a != nil {
		return a, nil
	}
	q := r.Parse()
	if q == nil {
		return nil, nil
	}
	rows, refusal := s.rowsOf(ctx, q.Table)
	if refusal != nil {
		return nil, refusal
	}
	if a, ok := q.Run(rows); ok && (s.takesUTF8() || a.ASCII()) && !s.wideResults() {
		return a, nil
	}
	return nil, nil
}

// derive makes the text that a server evaluates.
func (s *session) derive(ctx context.Context, r *virtual.Reader, tables []*virtual.Table) ([]byte, *wire.Error, error) {
	rows := map[*virtual.Table][][]any{}
	for _, t := range tables {
		list, refusal := s.rowsOf(ctx, t)
		if refusal != nil {
			return nil, refusal, nil
		}
		rows[t] = list
	}
	text, err := r.Derive(s.server.maxPacket(), func(t *virtual.Table) [][]any { return rows[t] })
	if err == nil && len(text) >= s.server.maxPacket() {
		err = virtual.ErrTooLarge
	}
	return []byte(text), nil, err
}

func (s *session) refuseVirtual(refusal *wire.Error, err error) error {
	if errors.Is(err, virtual.ErrTooLarge) {
		refusal = wire.Errorf(wire.CodeNotSupportedYet, "Weir: %v; select columns of one table, which Weir answers without a server", err)
	}
	if refusal != nil {
		return s.writeError(refusal)
	}
	return s.backendError(err, &response{})
}

// useWeir makes one of Weir's own schemas the default database. No server is told: there the session has none from now on.
func (s *session) useWeir(schema string) error {
	s.setState(state{settings: s.state.settings})
	s.within = strings.ToLower(schema)
	s.leftNothing(s.last)
	if s.poolKey.flags.Has(wire.ClientSessionTrack) {
		return s.writeMessage(wire.OK{Status: s.status() | wire.StatusSessionStateChanged, State: wire.TrackSchema(schema)})
	}
	return s.ok()
}
