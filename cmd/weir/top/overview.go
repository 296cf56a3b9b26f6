package top

import (
	"fmt"

	"weir/cmd/weir/status"
)

// figures are the lines at the top of the overview, with the last minutes drawn in so many columns.
func (m Model) figures(s style) []string {
	o := m.overview
	columns := min(max(m.width-62, 8), 60)
	line := func(name, value string, points []status.Figure, more string) string {
		return fmt.Sprintf("  %-11s %10s  %s  %s", name, s.strong(value), spark(points, columns, m.ASCII), more)
	}
	now, minute := o.Rates.Second, o.Lag.Minute
	pad := func(value string) string { return fmt.Sprintf("%10s", value) }
	return []string{
		line("statements", pad(rate(now.Statements)+"/s"), o.History.QPS, fmt.Sprintf("%s hits, %s misses", rate(now.Hits), rate(now.Misses))),
		line("hit ratio", pad(percent(now.HitRatio)), o.History.HitRatio, fmt.Sprintf("%s joined, %s not cacheable", rate(now.Joined), rate(now.NotCacheable))),
		line("lag p99", pad(seconds(minute.P99)), o.History.LagP99, fmt.Sprintf("median %s, longest %s%s", seconds(minute.P50), seconds(minute.Max), coarse(o.Lag))),
		line("bound", pad(seconds(o.Bound.CompleteAge)), o.History.Bound, fmt.Sprintf("of %s (max_staleness)", seconds(o.Bound.MaxStaleness))),
	}
}

// coarse marks figures of a source that tells the second of a commit alone.
func coarse(l status.Lags) string {
	if l.Clock == "seconds" {
		return " (to 1 s)"
	}
	return ""
}

// facts are the lines below.
func (m Model) facts() []string {
	o := m.overview
	connected := "stream open"
	if !o.Source.Connected {
		connected = "NO STREAM"
	}
	second := "none"
	if o.Second.Configured {
		second = clean(o.Second.State) + ", " + rate(o.Second.Hits) + " hits/s"
	}
	return []string{
		fmt.Sprintf("  %-11s %s of %s, %s results, %s evictions/s", "memory", mebibytes(o.Memory.Bytes), mebibytes(o.Memory.Budget), status.Grouped(o.Memory.Entries), rate(o.Memory.Evictions)),
		fmt.Sprintf("  %-11s %s", "second tier", second),
		fmt.Sprintf("  %-11s %s, %s at %s", "source", clean(o.Source.Addr), connected, clean(o.Source.Position)),
	}
}

// all is the overview: the figures, and as much of each list as there is room for.
func (m Model) all(s style, room int) []string {
	lines := append(m.figures(s), m.facts()...)
	lists := [...]list{m.servers(), m.running(), m.tables(0), m.statements(0)}
	rows := share(lists[:], room-len(lines))
	for i, l := range lists {
		if rows[i] > 0 {
			head, all := grid(l.columns, l.rows, m.width, m.tail())
			lines = append(append(lines, "", s.strong(head)), all[:rows[i]]...)
		}
	}
	return lines
}

// A list takes a blank line and a title, and is not worth that for less than two of its rows.
const (
	listHead = 2
	leastRow = 2
)

// share says how many rows of each list are shown in so many lines. First each gets the least that is worth it, where not
// all can be had in this order: servers, schema changes that run, statements, tables. Then they are filled in that order.
func share(lists []list, lines int) []int {
	rows := make([]int, len(lists))
	order := [...]int{0, 1, 3, 2}
	for _, i := range order {
		if least := min(len(lists[i].rows), leastRow); least > 0 && lines >= listHead+least {
			rows[i] = least
			lines -= listHead + least
		}
	}
	for _, i := range order {
		if rows[i] > 0 {
			more := max(min(len(lists[i].rows)-rows[i], lines), 0)
			rows[i] += more
			lines -= more
		}
	}
	return rows
}
