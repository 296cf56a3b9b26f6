package top

import (
	"cmp"
	"slices"

	"weir/cmd/weir/status"
)

// list is a table on the screen.
type list struct {
	name    string
	columns []column
	rows    [][]string
}

// by is one way to sort: what for, and by which figure, the highest first.
type by[T any] struct {
	name string
	of   func(T) status.Figure
}

var statementOrders = []by[status.Statement]{
	{"cost and gain", nil},
	{"calls/s", func(s status.Statement) status.Figure { return s.Calls }},
	{"hits/s", func(s status.Statement) status.Figure { return s.Hits }},
	{"hit ratio", func(s status.Statement) status.Figure { return s.HitRatio }},
	{"p99", func(s status.Statement) status.Figure { return s.P99 }},
}

var tableOrders = []by[status.Table]{
	{"reads and changes", nil},
	{"reads/s", func(t status.Table) status.Figure { return t.Reads }},
	{"hits/s", func(t status.Table) status.Figure { return t.Hits }},
	{"changes/s", func(t status.Table) status.Figure { return t.Changes }},
}

// sorted returns the items in one of the orders, and the order's name. What is not known comes last.
func sorted[T any](items []T, orders []by[T], n int) ([]T, string) {
	order := orders[n%len(orders)]
	if order.of == nil {
		return items, order.name
	}
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(known(order.of(b)), known(order.of(a))) })
	return items, order.name
}

func known(f status.Figure) status.Figure {
	if !f.Known() {
		return -1
	}
	return f
}

func (m Model) statements(order int) list {
	items, name := sorted(m.overview.Statements, statementOrders, order)
	l := list{name: "by " + name, columns: []column{{"calls/s", true}, {"hits/s", true}, {"hit ratio", true}, {"p99", true}, {"statement", false}}}
	for _, s := range items {
		l.rows = append(l.rows, []string{rate(s.Calls), rate(s.Hits), percent(s.HitRatio), seconds(s.P99), clean(s.Text)})
	}
	return l
}

func (m Model) tables(order int) list {
	items, name := sorted(m.overview.Tables, tableOrders, order)
	l := list{name: "by " + name, columns: []column{{"reads/s", true}, {"hits/s", true}, {"changes/s", true}, {"table", false}, {"advice", false}}}
	for _, t := range items {
		l.rows = append(l.rows, []string{rate(t.Reads), rate(t.Hits), rate(t.Changes), clean(t.Name), clean(t.Advice)})
	}
	return l
}

func (m Model) servers() list {
	l := list{columns: []column{{"server", false}, {"role", false}, {"lag", true}, {"under way", true}, {"state", false}}}
	for _, b := range m.overview.Backends {
		state := clean(b.Sentence)
		if !b.Up {
			state = "DOWN  " + state
		}
		l.rows = append(l.rows, []string{clean(b.Addr), clean(b.Role), seconds(b.Lag), status.Grouped(int64(b.Outstanding)), state})
	}
	return l
}

// changes are all schema changes that are known, those that run first.
func (m Model) changes() list { return schemaChanges(m.overview.DDL) }

// running are those under way.
func (m Model) running() list {
	return schemaChanges(slices.DeleteFunc(slices.Clone(m.overview.DDL), func(d status.DDL) bool { return !d.Running }))
}

func schemaChanges(all []status.DDL) list {
	l := list{columns: []column{{"schema change", false}, {"state", false}, {"ended", true}, {"what", false}}}
	for _, d := range all {
		l.rows = append(l.rows, []string{d.Time.Local().Format("01-02 15:04:05"), clean(d.State), status.Grouped(int64(d.Unservable)), clean(d.Text)})
	}
	return l
}

// scrolled shows a list as a whole screen.
func (m Model) scrolled(s style, l list, room int) []string {
	head, rows := grid(l.columns, l.rows, m.width, m.tail())
	lines := []string{s.strong(head)}
	if l.name != "" {
		lines = append([]string{"  " + s.dim(l.name)}, lines...)
	}
	if len(rows) == 0 {
		return append(lines, "", "  nothing yet")
	}
	fits := max(room-len(lines), 1)
	from := min(m.offset, max(len(rows)-fits, 0))
	return append(lines, rows[from:min(from+fits, len(rows))]...)
}
