package proxy

import (
	"context"
	"strings"

	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// setQueryCache answers a SET in which there are variables of the query cache. As on a server, of a list all is done or
// nothing:
//
//  1. What is assigned to the query cache's variables is judged, and nothing changed.
//  2. A server is given the rest of the list, if there is any. What it has against that is the answer.
//  3. The query cache's variables change, before the client is told.
func (s *session) setQueryCache(ctx context.Context, q request) error {
	items, ok := s.server.analyses.SplitSet(string(q.said.text), s.env())
	if !ok {
		return s.sayError(wire.Errorf(wire.CodeNotSupportedYet, "Weir: set the query cache's variables with a plain SET, without SET STATEMENT and without comments that only some servers run"))
	}
	list := assigning{session: s, params: q.execution}
	for _, item := range items {
		if err := list.take(ctx, item); err != nil {
			return s.backendError(err, &response{})
		}
		if list.refused != nil {
			return s.sayError(list.refused)
		}
	}
	if len(list.rest) == 0 {
		return s.sayOK(list.apply())
	}
	return s.setRest(ctx, &list)
}

// setRest gives a server what is not the query cache's, and does the other assignments if it has done these.
func (s *session) setRest(ctx context.Context, list *assigning) error {
	text := []byte("SET " + strings.Join(list.rest, ", "))
	st := s.analyze(string(text))
	if refusal := s.refuse(st); refusal != nil && !s.onlyAccessMode(st) {
		return s.writeError(refusal)
	}
	if setsWeir(st) || list.params != nil && list.used < list.params.handle.params {
		return s.sayError(wire.Errorf(wire.CodeNotSupportedYet, "Weir: set the query cache's variables in a SET of its own, without others that have parameters or begin with weir_"))
	}
	q := querying(text, text, st)
	q.also = func() { list.apply() }
	if st.Kind == statement.SetSession {
		return s.set(ctx, q)
	}
	return s.passOn(ctx, q)
}

// assigning is a SET that is taken apart.
type assigning struct {
	*session
	params  *execution // nil in the text protocol
	used    int        // of these
	rest    []string
	changes []querycache.Change
	refused *wire.Error
}

func (l *assigning) take(ctx context.Context, item statement.SetItem) error {
	if len(item.Assignments) != 1 || !l.ownsVariable(item.Assignments[0]) {
		l.rest = append(l.rest, item.Text)
		return nil
	}
	a := item.Assignments[0]
	switch a.Scope {
	case statement.PersistScope:
		l.refused = wire.Errorf(wire.CodeNotSupportedYet, "Weir: %s cannot be persisted; write it in Weir's configuration", a.Name)
		return nil
	case statement.GlobalScope:
		var err error
		if l.refused, err = l.demand(ctx, "SUPER"); err != nil || l.refused != nil {
			return err
		}
	}
	value, err := l.value(ctx, a)
	if err != nil || l.refused != nil {
		return err
	}
	change, e := l.server.settings.Check(a.Name, a.Scope == statement.GlobalScope, value)
	l.changes, l.refused = append(l.changes, change), e
	return nil
}

// apply makes the changes. To set query_cache_type does not change keys: what is in the cache is the same for all.
func (l *assigning) apply() (warnings []querycache.Warning) {
	for _, change := range l.changes {
		warnings = append(warnings, change(&l.variables)...)
	}
	l.makePrefix()
	return warnings
}
