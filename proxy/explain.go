package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"weir/proxy/explain"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// EXPLAIN CACHE says what would happen to a statement in this session, now, and why. It goes through the same functions as the
// statement itself, in the order of [session.miss], so that there is no second opinion that could differ from the first. It runs
// nothing, counts nothing as a hit or a miss, takes up no interest, stores and promotes nothing. What it cannot say is what shows
// only in a response: warnings, errors, a result over query_cache_limit, a backend that lags.

// explainCache answers EXPLAIN CACHE, and reports whether the text is that. It comes after a SET is settled, and before anything
// else that looks at the text.
func (s *session) explainCache(ctx context.Context, text []byte) (bool, error) {
	x, ok := statement.ReadExplainCache(string(text), s.env())
	if !ok {
		return false, nil
	}
	ctx, end := s.running.begin(ctx)
	defer end()
	st := s.analyze(x.Text)
	x.Text, st = s.executed(x.Text, st)
	if said := s.refuseExplain(x, st); said != nil {
		return true, s.writeError(said)
	}
	if answered, err := s.mayExplain(ctx, x.Text, st); answered {
		return true, err
	}
	e := s.explain(ctx, x.Text, st)
	if s.pinned == nil {
		s.leftNothing(said{})
	}
	return true, s.writeExplanation(e, x.JSON)
}

// executed puts the statement that an EXECUTE stands for in its place, if it is answered as that: see [session.executeNamed].
func (s *session) executed(text string, st statement.Statement) (string, statement.Statement) {
	n, known := s.named[strings.ToLower(st.Name)]
	if st.Kind != statement.Execute || !known || !n.in.equal(s.state) {
		return text, st
	}
	inner := s.analyze(n.text)
	if st.Using && inner.Cacheable {
		st.Reason, st.Detail = statement.UserVariable, "EXECUTE ... USING"
		return text, st
	}
	return n.text, inner
}

// codeUnknownFormat is what both flavours answer to EXPLAIN FORMAT with another name.
const codeUnknownFormat = 1791

// refuseExplain returns the error for what cannot be explained, in the servers' words.
func (s *session) refuseExplain(x statement.ExplainCache, st statement.Statement) *wire.Error {
	switch {
	case x.Format != "":
		return wire.Errorf(codeUnknownFormat, "Unknown EXPLAIN format name: '%.64s'", x.Format)
	case x.Nothing, st.Kind == statement.Unknown && !strings.Contains(x.Text, "/*"):
		return wire.Errorf(wire.CodeSyntax, "You have an error in your SQL syntax; Weir wants EXPLAIN CACHE [FORMAT=JSON] and a statement, near '%.80s' at line 1", x.Text)
	case statement.HasMarkers(x.Text, s.env()):
		return wire.Errorf(wire.CodeSyntax, "You have an error in your SQL syntax; EXPLAIN CACHE explains a text, so write values in place of the question marks")
	}
	return s.refuseExplainOwn(x.Text)
}

// refuseExplainOwn is for statements that Weir answers by itself, of whose tables no server knows.
func (s *session) refuseExplainOwn(text string) *wire.Error {
	if !s.mayBeVirtual([]byte(text)) {
		return nil
	}
	r, ok := s.virtualReader(s.within, text)
	if !ok || len(r.Tables()) == 0 {
		return nil
	}
	t := r.Tables()[0]
	return wire.Errorf(wire.CodeNotSupportedYet, "There is nothing to explain: %s.%s is Weir's own, and what it has is read anew each time", t.Schema, t.Name)
}

// mayExplain lets a server judge whether the account may know what its statement reads: it is asked to prepare an EXPLAIN of
// that, which takes the privileges that the statement takes, and SHOW VIEW for views, and runs nothing. What it has against the
// statement, the client is told. Of a statement that reads no table there is nothing to be known.
//
// In a transaction it is asked on the transaction's own connection: see [session.askDescription].
func (s *session) mayExplain(ctx context.Context, text string, st statement.Statement) (answered bool, err error) {
	if !explainable(st) {
		return false, nil
	}
	sql := "EXPLAIN " + string(s.sendable([]byte(text), st))
	h := &handle{text: []byte(sql), schema: s.state.schema}
	q := request{st: st, clean: s.describable([]byte(text), st), run: func(c *conn, r *response) error { return c.prepareOnce(h, r) }}
	p, err := s.enterGate(ctx, &q, func() { q.mark = s.server.cache.Ledger().Mark() })
	if err != nil {
		return true, s.backendError(err, &response{})
	}
	defer p.end()
	r := response{hold: maxOwn}
	c, err := s.ask(ctx, q, &r)
	p.end()
	if err != nil {
		return true, s.backendError(err, &r)
	}
	s.prepared(c, h.text, st, &r)
	if r.kind != wire.KindError {
		return false, nil
	}
	return true, s.write(r.buf)
}

// explainable reports whether a statement is one that EXPLAIN can stand before, and that may read tables. A locking read is none:
// MariaDB does not explain it on a connection for reads, and without its tables all is said.
func explainable(st statement.Statement) bool {
	switch st.Reason {
	case statement.NotSelect, statement.SetPrefix, statement.NoTable, statement.LockingRead:
		return false
	}
	return st.Kind == statement.Read
}

// prepareOnce prepares a statement and closes it again.
func (c *conn) prepareOnce(h *handle, r *response) error {
	if err := c.prepare(h, r); err != nil || r.kind != wire.KindPrepared {
		return err
	}
	id := c.remotes[len(c.remotes)-1].id
	c.forgetRemote(id)
	return c.closeRemote(id)
}

// errExplainPrepared is the servers' own for what they do not prepare.
var errExplainPrepared = wire.Errorf(wire.CodeUnsupportedPS, "This command is not supported in the prepared statement protocol yet: Weir wants EXPLAIN CACHE as a text")

// writeExplanation sends it: a row for each item, or one row with JSON, as servers do.
func (s *session) writeExplanation(e *explain.Explanation, asJSON bool) error {
	if !asJSON {
		var rows []wire.Row
		for _, item := range e.Items() {
			rows = append(rows, wire.Row{[]byte(item.Name), []byte(item.Value)})
		}
		return s.writeTexts([]string{"Item", "Value"}, rows)
	}
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return s.writeError(wire.Errorf(wire.CodeUnknown, "Weir: %v", fmt.Errorf("write the explanation as JSON: %w", err)))
	}
	return s.writeTexts([]string{"EXPLAIN"}, []wire.Row{{b}})
}

// utf8Texts is the id of utf8mb4_general_ci, which both flavours know.
const utf8Texts = 45

// writeTexts sends a result of texts.
func (s *session) writeTexts(names []string, rows []wire.Row) error {
	messages := []wire.Message{wire.ColumnCount(len(names))}
	for _, name := range names {
		messages = append(messages, s.definition(wire.Column{Name: name, Collation: utf8Texts, Type: wire.TypeVarString, Length: 1 << 16}))
	}
	eof := wire.EOF{Status: s.status()}
	messages = append(messages, eof)
	for _, row := range rows {
		messages = append(messages, row)
	}
	out, seq := s.out[:0], s.reader.Sequence()
	for _, m := range append(messages, eof) {
		out, seq = wire.AppendPacket(out, seq, m)
	}
	s.out = out
	return s.writeSlowly(s.out)
}
