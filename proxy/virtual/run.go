package virtual

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fits reports whether Weir compares as servers do: strings with strings, and numbers with numbers. Times it leaves to
// them, since they convert what they are compared with.
func (c condition) fits(k Kind) bool {
	if c.value == nil {
		return c.op == "null" || c.op == "not null"
	}
	switch v := c.value.(type) {
	case string:
		return k == Text || k == Long || k == Flag
	case number:
		return v.handy() && (k == Unsigned || k == Signed || k == Double)
	}
	return false
}

// handy reports whether a number is one that all servers take, and of a size that takes no time: 1e999999 has a million digits,
// which would be worked out for each row.
func (n number) handy() bool {
	text := string(n)
	if exponent := strings.IndexAny(text, "eE"); len(text) > 64 || exponent >= 0 && len(text)-exponent > len("e-308") || strings.ContainsAny(text, "xXbBoO_/pP") {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	_, ok := new(big.Rat).SetString(text)
	return ok && err == nil
}

// Run evaluates the query over the rows of its table. ok is false if only a server can, since texts that are not ASCII
// would have to be compared: by the rows, not by the text alone.
func (q *Query) Run(rows [][]any) (a *Answer, ok bool) {
	if !q.comparable(rows) {
		return nil, false
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []any) bool { return !q.holds(row) })
	a = &Answer{Columns: q.outputs}
	if len(q.columns) == 1 && q.columns[0] == countAll {
		rows = [][]any{{int64(len(rows))}}
		a.Rows = q.window(rows)
		return a, true
	}
	slices.SortStableFunc(rows, q.compare)
	for _, row := range q.window(rows) {
		out := make([]any, len(q.columns))
		for i, c := range q.columns {
			out[i] = row[c]
		}
		a.Rows = append(a.Rows, out)
	}
	return a, true
}

// Describe is the answer without rows.
func (q *Query) Describe() *Answer { return &Answer{Columns: q.outputs} }

func (q *Query) window(rows [][]any) [][]any {
	rows = rows[min(q.offset, len(rows)):]
	if q.limit >= 0 {
		rows = rows[:min(q.limit, len(rows))]
	}
	return rows
}

// comparable reports whether the texts that are compared are ASCII.
func (q *Query) comparable(rows [][]any) bool {
	var columns []int
	for _, c := range q.where {
		columns = append(columns, c.column)
	}
	for _, k := range q.order {
		columns = append(columns, k.column)
	}
	for _, row := range rows {
		for _, c := range columns {
			if text, isText := row[c].(string); isText && !isASCII(text) {
				return false
			}
		}
	}
	return true
}

func (q *Query) holds(row []any) bool {
	return !slices.ContainsFunc(q.where, func(c condition) bool { return !c.holds(row[c.column]) })
}

// holds is false, too, where a server says NULL.
func (c condition) holds(v any) bool {
	_, known := asText(v)
	switch {
	case c.op == "null":
		return !known
	case c.op == "not null" || !known:
		return known
	}
	n := 0
	switch want := c.value.(type) {
	case string:
		text, _ := asText(v)
		n = cmp.Compare(folded(text), folded(want))
	case number:
		w, _ := new(big.Rat).SetString(string(want))
		n = rational(v).Cmp(w)
	}
	switch c.op {
	case "=":
		return n == 0
	case "<>":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

func rational(v any) *big.Rat {
	text, _ := asText(v)
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// folded is a text as utf8mb4_general_ci compares it, if it is ASCII: without regard to case and to blanks at the end.
func folded(s string) string { return strings.ToUpper(strings.TrimRight(s, " ")) }

// compare orders rows as ORDER BY does: NULL comes first.
func (q *Query) compare(a, b []any) int {
	for _, k := range q.order {
		n := compareValues(a[k.column], b[k.column])
		if k.down {
			n = -n
		}
		if n != 0 {
			return n
		}
	}
	return 0
}

func compareValues(a, b any) int {
	_, aKnown := asText(a)
	_, bKnown := asText(b)
	if !aKnown || !bKnown {
		return boolean(aKnown) - boolean(bKnown)
	}
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case uint64:
		return cmp.Compare(a, b.(uint64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	aText, _ := asText(a)
	bText, _ := asText(b)
	return cmp.Compare(folded(aText), folded(bText))
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
