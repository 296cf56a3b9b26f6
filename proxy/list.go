package proxy

import (
	"context"
	"strings"

	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// maxListing is the longest answer to SHOW VARIABLES or SHOW STATUS in which rows of Weir's are put, in bytes: servers have
// some hundred rows.
const maxListing = 4 << 20

// list answers SHOW VARIABLES and SHOW STATUS: the server's rows, and the query cache's in their places. Rows of these names
// that the server has are about a query cache of its own, and left out.
func (s *session) list(ctx context.Context, q request, l statement.Listing) error {
	own := listing{Listing: l, rows: s.ownRows(l), handle: q.execution}
	run := q.run
	q.run = func(c *conn, r *response) error {
		hold := r.hold
		r.hold = maxListing
		err := run(c, r)
		r.hold = hold
		if err != nil || r.kind != wire.KindResultSet || r.started || r.results != 1 {
			return err
		}
		return own.merge(c, r)
	}
	s.notCacheable(q.st, s.why(q.st))
	return s.passOn(ctx, q)
}

// ownRows are the query cache's rows, before any condition.
func (s *session) ownRows(l statement.Listing) []querycache.Row {
	switch {
	case l.Status:
		return s.server.settings.Status()
	case l.Global:
		return s.server.settings.Variables(nil)
	}
	return s.server.settings.Variables(&s.variables)
}

// listing is one SHOW, with the rows that Weir adds.
type listing struct {
	statement.Listing
	rows   []querycache.Row
	handle *execution // nil in the text protocol
}

// merge puts the rows into the server's answer. If that is not of two columns, or the server does not take the condition over
// them, it stays as it is.
func (l *listing) merge(c *conn, r *response) error {
	rows, ok, err := l.chosen(c)
	if err != nil || !ok {
		return err
	}
	in := interleaving{own: rows, binary: l.handle != nil, seq: 1}
	if in.all(r.buf) == nil {
		r.buf = in.out
	}
	return nil
}

// chosen are the rows for which the statement's condition is true. A pattern without escapes Weir compares itself; everything
// else it asks the server, over a table of these rows.
func (l *listing) chosen(c *conn) (rows []querycache.Row, ok bool, err error) {
	condition := l.Where
	if l.Like != "" {
		if pattern, plain := plainPattern(l.Like); plain {
			return matching(l.rows, pattern), true, nil
		}
		condition = "Variable_name LIKE " + l.Like
	}
	if condition == "" {
		return l.rows, true, nil
	}
	r := response{hold: maxOwn}
	if err := l.ask(c, tableOf(l.rows)+" WHERE "+condition, &r); err != nil {
		return nil, false, err
	}
	if r.kind != wire.KindResultSet || !r.whole {
		return nil, false, nil
	}
	read := interleaving{binary: l.handle != nil && l.handle.handle.params > 0}
	rows, err = read.rows(r.buf)
	return rows, err == nil, err
}

// ask asks with the parameters of the execution, if it has any.
func (l *listing) ask(c *conn, text string, r *response) error {
	if l.handle == nil || l.handle.handle.params == 0 {
		return c.roundTrip(wire.ComQuery, []byte(text), r)
	}
	x := *l.handle
	x.handle = &handle{text: []byte(text), params: l.handle.handle.params, schema: l.handle.handle.schema}
	return c.execute(&x, wire.NoCursor, r)
}

// tableOf is a SELECT of the rows. Names compare as in SHOW, in any case.
func tableOf(rows []querycache.Row) string {
	var b strings.Builder
	b.WriteString("SELECT * FROM (")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		b.WriteString("SELECT CONVERT('" + row.Name + "' USING utf8mb3) COLLATE utf8mb3_general_ci AS Variable_name, " +
			"CONVERT('" + row.Value + "' USING utf8mb3) COLLATE utf8mb3_general_ci AS Value")
	}
	b.WriteString(") AS query_cache")
	return b.String()
}

// plainPattern takes the quotes off a pattern; false if there is something in it that depends on sql_mode, other than \_ and
// \% which mean the same with and without escapes in strings.
func plainPattern(literal string) (string, bool) {
	if len(literal) < 2 || literal[0] != '\'' || strings.Count(literal, "'") != 2 || literal[len(literal)-1] != '\'' {
		return "", false
	}
	pattern := literal[1 : len(literal)-1]
	rest := strings.NewReplacer(`\_`, "", `\%`, "").Replace(pattern)
	return pattern, !strings.Contains(rest, `\`)
}

func matching(rows []querycache.Row, pattern string) (out []querycache.Row) {
	for _, row := range rows {
		if like(strings.ToLower(row.Name), strings.ToLower(pattern)) {
			out = append(out, row)
		}
	}
	return out
}

// like compares as LIKE does. It goes back to the last % alone, so that no pattern takes longer than its length times the name's.
func like(name, pattern string) bool {
	at, from := -1, 0 // behind the last %, and where in the name that was tried
	n, p := 0, 0
	for n < len(name) {
		switch width := likeWidth(pattern, p); {
		case width > 0 && pattern[p] == '%':
			at, from = p+1, n
			p = at
		case width > 0 && (pattern[p] == '_' || pattern[p+width-1] == name[n]):
			n, p = n+1, p+width
		case at >= 0:
			from++
			n, p = from, at
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}

// likeWidth is how many bytes of the pattern stand for a character: two if the first one escapes the other; 0 at the end.
func likeWidth(pattern string, at int) int {
	if at+1 < len(pattern) && pattern[at] == '\\' {
		return 2
	}
	return min(len(pattern)-at, 1)
}
