package proxy

import (
	"context"
	"strings"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// named is a statement that was prepared in the text protocol, by PREPARE name FROM 'text'. It lives on the pinned
// connection; Weir remembers what it says.
type named struct {
	text string
	// in is the state in which the server read it.
	in state
	// own: the server has something else under the name, see [session.prepareOwn].
	own bool
}

// followNamed notes what became of the named statements. PREPARE closes what had the name before, also when it fails.
func (s *session) followNamed(st statement.Statement, r *response) {
	name := strings.ToLower(st.Name)
	switch st.Kind {
	case statement.Prepare, statement.Deallocate:
		delete(s.named, name)
	}
	if st.Kind != statement.Prepare || st.Body == "" || r.kind != wire.KindOK {
		return
	}
	if s.named == nil {
		s.named = map[string]named{}
	}
	if len(s.named) < maxHandles {
		s.named[name] = named{text: st.Body, in: s.state, own: s.isOwn(st.Body)}
	}
}

// executeNamed answers EXECUTE. The result of a statement without parameters is that of its text.
func (s *session) executeNamed(ctx context.Context, text []byte, st statement.Statement, mark cache.Mark) error {
	n, known := s.named[strings.ToLower(st.Name)]
	if !known {
		s.notCacheable(st, s.why(st))
		return s.pass(ctx, querying(text, text, st))
	}
	if n.own {
		return s.executeOwn(ctx, text, n)
	}
	inner := s.analyzeIn(n.in.schema, n.text)
	if !st.Using && n.in.equal(s.state) && s.keepable(inner) && !statement.HasMarkers(n.text, s.env()) {
		return s.readThrough(ctx, []byte(n.text), inner, mark)
	}
	why := s.why(inner)
	if st.Using && inner.Cacheable {
		why = string(statement.UserVariable)
	}
	s.notCacheable(inner, why)
	return s.pass(ctx, querying(text, text, inner))
}

// executeOwn says the text of a statement of Weir's own anew. A server reads a text when it is prepared; so what reads tables or
// computes something is refused if its names, or its quotes, might mean something else by now.
func (s *session) executeOwn(ctx context.Context, text []byte, n named) error {
	if inner := s.analyzeIn(n.in.schema, n.text); inner.Kind == statement.Read && inner.Reason != statement.NotSelect && !n.in.equal(s.state) {
		return s.sayError(wire.Errorf(wire.CodeNotSupportedYet, "Weir: the statement reads the query cache's variables, and was prepared in another default database or under other settings; prepare it again"))
	}
	return s.query(ctx, []byte(statement.BindUsing(n.text, string(text), s.env())))
}

// readThrough answers a text that was not looked up as the client sent it.
func (s *session) readThrough(ctx context.Context, text []byte, st statement.Statement, mark cache.Mark) error {
	if e := s.cached(s.makeKey(text)); e != nil {
		s.hit(e)
		s.last = said{text: text}
		return s.write(e.Wire())
	}
	return s.fillText(ctx, text, st, mark)
}
