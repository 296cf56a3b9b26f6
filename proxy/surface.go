package proxy

import (
	"context"
	"strings"

	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// surface answers what is about the query cache, as far as a server must not be asked or cannot know: SET of its variables,
// FLUSH and RESET, SHOW. It reports whether the statement was that. What SELECT @@query_cache_size needs is done before, by
// [session.substituted].
func (s *session) surface(ctx context.Context, q request) (bool, error) {
	text, st := string(q.said.text), q.st
	switch st.Kind {
	case statement.Read:
		if st.SQLCache && st.SQLNoCache && s.server.facts.Flavor == statement.MySQL {
			return true, s.sayError(wire.Errorf(wire.CodeWrongUsage, "Incorrect usage of SQL_CACHE and SQL_NO_CACHE"))
		}
		if st.Reason != statement.NotSelect {
			return false, nil
		}
		if l, ok := statement.ListingOf(text, s.env()); ok {
			return true, s.list(ctx, q, l)
		}
	case statement.SetSession, statement.Write:
		if s.setsQueryCache(st) {
			return true, s.setQueryCache(ctx, q)
		}
		if m, ok := statement.MaintenanceOf(text, s.env()); ok {
			return true, s.maintain(ctx, q, m)
		}
	case statement.Prepare:
		if s.isOwn(st.Body) {
			return true, s.prepareOwn(ctx, q)
		}
	case statement.Multi:
		if s.concernsPart(text, st) {
			return true, s.sayError(wire.Errorf(wire.CodeNotSupportedYet, "Weir: send SET of the query cache's variables, FLUSH QUERY CACHE and RESET QUERY CACHE as a statement of its own, not with others in one text"))
		}
	}
	return false, nil
}

// setsQueryCache reports whether a SET, or what it is a part of, assigns one of the query cache's variables.
func (s *session) setsQueryCache(st statement.Statement) bool {
	for _, a := range st.Assignments {
		if s.ownsVariable(a) {
			return true
		}
	}
	return false
}

func (s *session) ownsVariable(a statement.Assignment) bool {
	return a.Scope != statement.UserScope && querycache.Known(a.Name)
}

// concernsPart reports whether one of several statements in a text is what Weir would have to answer.
func (s *session) concernsPart(text string, st statement.Statement) bool {
	for _, part := range st.Parts {
		if s.setsQueryCache(part) {
			return true
		}
	}
	if !mentions([]byte(text), "query") {
		return false
	}
	for _, part := range statement.Split(text, s.env()) {
		if m, ok := statement.MaintenanceOf(part, s.env()); ok && m.QueryCache {
			return true
		}
	}
	return false
}

// isOwn reports whether a text is one that Weir answers, or has a hand in.
func (s *session) isOwn(text string) bool {
	if read, refused := s.substituted([]byte(text)); read != nil || refused != nil || s.setsQueryCache(s.analyze(text)) {
		return true
	}
	if _, ok := statement.ListingOf(text, s.env()); ok {
		return true
	}
	m, ok := statement.MaintenanceOf(text, s.env())
	return ok && m.QueryCache
}

// standIn is what servers are given to prepare in place of a statement of Weir's own: it has as many parameters.
func standIn(params int) string {
	if params == 0 {
		return "DO 0"
	}
	return "DO ?" + strings.Repeat(", ?", params-1)
}

// prepareOwn answers PREPARE of a statement of Weir's own. The server prepares something that does nothing under the name, so
// that the name is taken there, too; EXECUTE says the text to Weir.
func (s *session) prepareOwn(ctx context.Context, q request) error {
	sent := "PREPARE `" + strings.ReplaceAll(q.st.Name, "`", "``") + "` FROM '" + standIn(statement.Markers(q.st.Body, s.env())) + "'"
	return s.passOn(ctx, querying(q.said.text, []byte(sent), q.st))
}

// passOn passes a statement on that a server has a part in, as any other statement is.
func (s *session) passOn(ctx context.Context, q request) error {
	if err := s.moveOn(ctx, q.said.text, q.st); err != nil {
		return s.backendError(err, &response{})
	}
	return s.pass(ctx, q)
}

// mentions reports whether a text has the word in it, in any case.
func mentions(text []byte, word string) bool {
	first := word[0]
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == first && strings.EqualFold(string(text[i:i+len(word)]), word) {
			return true
		}
	}
	return false
}

// substituted puts the values of the query cache's variables in place of @@query_cache_size and its like. No server gets to
// see these: some do not know them, and others would tell of their own. It returns nil if
// the text reads none.
func (s *session) substituted(text []byte) ([]byte, *wire.Error) {
	if len(text) > maxCachedText || !mentions(text, "query_cache") {
		return nil, nil
	}
	var refused *wire.Error
	by := func(r statement.Reference) (string, bool) {
		if !querycache.Known(r.Name) || refused != nil {
			return "", false
		}
		scope, ok := map[string]querycache.Scope{
			"": querycache.AnyScope, "session": querycache.SessionScope, "local": querycache.SessionScope, "global": querycache.GlobalScope,
		}[r.Prefix]
		if !ok {
			return "", false
		}
		value, e := s.server.settings.Expression(r.Name, scope, &s.variables)
		refused = e
		return value, e == nil
	}
	out := statement.SubstituteVariables(string(text), s.env(), by)
	if refused != nil || out == string(text) {
		return nil, refused
	}
	return []byte(out), nil
}

// preparable returns what a server can prepare in place of a statement of Weir's own; nil if it is none.
func (s *session) preparable(text []byte, st statement.Statement) ([]byte, *wire.Error) {
	m, ok := statement.MaintenanceOf(string(text), s.env())
	if s.setsQueryCache(st) || ok && m.QueryCache && !m.Others {
		return []byte(standIn(statement.Markers(string(text), s.env()))), nil
	}
	return s.substituted(text)
}
