package proxy

import (
	"context"
	"strconv"
	"strings"

	"weir/cache/dep"
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

// value works out what is assigned. What is more than a literal a server computes, on the session's own connection.
func (l *assigning) value(ctx context.Context, a statement.Assignment) (querycache.Value, error) {
	if v, ok := literalValue(a); ok {
		return v, nil
	}
	if a.Value == "?" && l.params != nil {
		return l.parameter(), nil
	}
	v, said, err := l.computed(ctx, a.Value)
	l.refused = said
	return v, err
}

// literalValue reads a literal, or a word.
func literalValue(a statement.Assignment) (querycache.Value, bool) {
	text, quoted := unquoted(a.Value)
	switch upper := strings.ToUpper(text); {
	case !a.Literal || text == "":
		return querycache.Value{}, false
	case quoted:
		return querycache.Value{Kind: querycache.Text, Text: text}, true
	case text[0] == '`' || text[0] == '"':
		return querycache.Value{Kind: querycache.Text, Text: strings.Trim(text, "`\"")}, true
	case upper == "DEFAULT":
		return querycache.Value{Kind: querycache.Default}, true
	case upper == "NULL":
		return querycache.Value{Kind: querycache.Null}, true
	case upper == "TRUE":
		return querycache.Value{Number: 1, Text: "1"}, true
	case upper == "FALSE":
		return querycache.Value{Number: 0, Text: "0"}, true
	case text[0] >= 'A':
		return querycache.Value{Kind: querycache.Text, Text: text}, true
	}
	return wholeValue(text), true
}

// wholeValue reads a whole number, with or without a sign; others are of the kind Other.
func wholeValue(text string) querycache.Value {
	digits := strings.ReplaceAll(strings.TrimPrefix(text, "+"), " ", "")
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n < 0 {
		return querycache.Value{Number: uint64(n), Negative: true, Text: digits}
	}
	base := 10
	if strings.HasPrefix(digits, "0x") {
		base, digits = 16, digits[2:]
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return querycache.Value{Kind: querycache.Other, Text: digits}
	}
	return querycache.Value{Number: n, Text: digits}
}

// parameter takes the next one of the execution's values.
func (l *assigning) parameter() querycache.Value {
	all := l.params.literals(l.utf8())
	i := l.used
	l.used++
	if i >= len(all) {
		return querycache.Value{Kind: querycache.Null}
	}
	return valueOf(all[i])
}

// computed asks a server for the value of an expression.
func (l *assigning) computed(ctx context.Context, expression string) (v querycache.Value, said *wire.Error, err error) {
	text := []byte("SELECT " + expression)
	if read, refused := l.substituted(text); refused != nil {
		return v, refused, nil
	} else if read != nil {
		text = read
	}
	c, err := l.acquire(ctx, l.server.cfg.Writes == ToSource)
	if err != nil {
		return v, nil, err
	}
	defer func() { l.release(c) }()
	r := response{hold: maxOwn}
	if err := l.run1(ctx, c, request{run: command(wire.ComQuery, text)}, &r); err != nil {
		c.broken = true
		return v, nil, err
	}
	if e, isError := r.err().(*wire.Error); isError { //nolint:errorlint // it is one or nothing
		return v, e, nil
	}
	values, err := literals(&r, 1, c.columnDecoder())
	if err != nil {
		return querycache.Value{Kind: querycache.Other}, nil, nil // a value of a type that no such variable has
	}
	v, _ = literalValue(statement.Assignment{Value: values[0], Literal: true})
	return v, nil, nil
}

// valueOf reads the value of a parameter.
func valueOf(p dep.Literal) querycache.Value {
	switch p.Kind {
	case dep.NullLiteral:
		return querycache.Value{Kind: querycache.Null}
	case dep.TextLiteral, dep.BytesLiteral:
		return querycache.Value{Kind: querycache.Text, Text: p.Text}
	case dep.WholeLiteral:
		text := strconv.FormatUint(p.Magnitude, 10)
		if p.Negative {
			return querycache.Value{Number: -p.Magnitude, Negative: true, Text: "-" + text}
		}
		return querycache.Value{Number: p.Magnitude, Text: text}
	}
	return querycache.Value{Kind: querycache.Other}
}
