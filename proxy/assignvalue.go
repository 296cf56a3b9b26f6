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
	case !a.Literal:
		return querycache.Value{}, false
	case quoted:
		return querycache.Value{Kind: querycache.Text, Text: text}, true
	case text == "":
		return querycache.Value{}, false
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
		return v, nil, l.lost(c, err)
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
