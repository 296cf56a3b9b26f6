package statement

import (
	"fmt"
	"strings"

	"weir/cache/dep"
)

// A Reading says to people what a statement takes from one table.
type Reading struct {
	Table dep.Name
	Grain dep.Grain
	// What are the rows, the ranges with how many buckets they take, or the columns; empty if the whole table counts.
	What []string
	// Of are the columns of those rows that count; nil if all do.
	Of []string
	// Why says what keeps the dependency from being finer than the whole table.
	Why string
	// Layout says that the table's indexes and partitions count too.
	Layout bool
	// Spans are the buckets of ranges, beside What.
	Spans []Span
}

// Span is a range of a column's values, in buckets: changes to other values in them count as well.
type Span struct {
	Column  string
	Buckets int
	// Width is how many values one of them has room for.
	Width uint64
}

// String gives a line such as "shop.orders: rows with id = 5".
func (r Reading) String() string {
	if r.Layout {
		return r.counted() + "; and its indexes and partitions"
	}
	return r.counted()
}

func (r Reading) counted() string {
	switch r.Grain {
	case dep.ByTable:
		return fmt.Sprintf("%s: any change, since %s", r.Table, r.Why)
	case dep.ByColumns:
		if len(r.What) == 0 {
			return fmt.Sprintf("%s: rows inserted or deleted", r.Table)
		}
		return fmt.Sprintf("%s: rows inserted or deleted, and changes to %s", r.Table, strings.Join(r.What, ", "))
	}
	rows := fmt.Sprintf("%s: rows with %s", r.Table, strings.Join(r.What, " or "))
	if r.Of == nil {
		return rows
	}
	return fmt.Sprintf("%s, and of them %s", rows, strings.Join(r.Of, ", "))
}

// Describe says what the statement depends on with these values of its literals, in the order of [Plan.Dependencies].
func (p *Plan) Describe(values []dep.Literal) []Reading {
	out := make([]Reading, len(p.tables))
	for i := range p.tables {
		out[i] = p.tables[i].describe(values)
		out[i].Layout = p.layout
	}
	return out
}

func (t *tablePlan) describe(values []dep.Literal) Reading {
	r := Reading{Table: t.name, Why: t.why}
	switch c := t.choose(values); {
	case c != nil:
		r.Grain, r.Why = c.grain, ""
		for _, a := range c.atoms {
			r.What = append(r.What, a.describe(values))
			r.Spans = a.appendSpan(r.Spans, values)
		}
		if t.byCell(c) {
			r.Of = t.named
		}
	case t.columns != nil:
		r.Grain, r.What = dep.ByColumns, t.columns.names
	}
	return r
}

func (a *boundAtom) describe(values []dep.Literal) string {
	low, high := values[a.low], values[a.high]
	if a.rule.ranged() {
		return fmt.Sprintf("%s from %s to %s", a.column.Name, say(low), say(high))
	}
	return a.column.Name + " = " + say(low)
}

// appendSpan adds the buckets of a range; nothing of what is none.
func (a *boundAtom) appendSpan(to []Span, values []dep.Literal) []Span {
	if !a.rule.ranged() {
		return to
	}
	from, ok1 := a.column.Type.LiteralPosition(values[a.low])
	until, ok2 := a.column.Type.LiteralPosition(values[a.high])
	buckets, ok := dep.Buckets(from, until)
	if !ok1 || !ok2 || !ok {
		return to
	}
	return append(to, Span{a.column.Name, len(buckets), dep.Width(buckets[0].Level)})
}

// say writes a literal for people.
func say(l dep.Literal) string {
	switch l.Kind {
	case dep.NullLiteral:
		return "NULL"
	case dep.WholeLiteral:
		if l.Negative {
			return fmt.Sprintf("-%d", l.Magnitude)
		}
		return fmt.Sprint(l.Magnitude)
	case dep.DecimalLiteral:
		return l.Text
	case dep.BytesLiteral:
		return fmt.Sprintf("x'%x'", l.Text)
	}
	return "'" + strings.ReplaceAll(l.Text, "'", "''") + "'"
}
