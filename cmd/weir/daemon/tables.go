package daemon

import (
	"math"
	"slices"
	"strings"
	"time"

	"weir/proxy/virtual"
)

// Tables are what Weir answers itself: see docs/tables.md. The functions behind them ask no server, and read what the parts
// of the daemon count anyway.
func (d *Daemon) tables() []virtual.Table {
	return []virtual.Table{
		d.statementsTable(), d.tablesTable(), d.backendsTable(), d.streamTable(), d.ddlTable(), d.settingsTable(), d.sessionsTable(),
		d.observedTable(), d.queryCacheInfo(),
	}
}

// Tables are the columns of those tables, for the documentation.
func Tables() []virtual.Table { return (&Daemon{}).tables() }

// column declares one; what says what it has.
func column(name string, kind virtual.Kind, what string) virtual.Column {
	return virtual.Column{Name: name, Kind: kind, Meaning: what}
}

// seconds is a duration as a number of seconds, to a microsecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

// rounded is a number of seconds, or a share, to six digits behind the point.
func rounded(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return math.Round(v*1e6) / 1e6
}

// shareOf is how many of all; NULL of none.
func shareOf(n, all uint64) any {
	if all == 0 {
		return nil
	}
	return rounded(float64(n) / float64(all))
}

// known is NULL for the zero time and the empty text.
func known[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// moment is NULL for the zero time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// byReason writes numbers by their names, the largest first.
func byReason(by map[string]uint64) any {
	if len(by) == 0 {
		return nil
	}
	names := make([]string, 0, len(by))
	for name := range by {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if by[a] != by[b] {
			if by[a] > by[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = name + ": " + formatCount(by[name])
	}
	return strings.Join(names, ", ")
}

func sum(by map[string]uint64) (n uint64) {
	for _, v := range by {
		n += v
	}
	return n
}
