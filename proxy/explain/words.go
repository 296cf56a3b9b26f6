package explain

import (
	"fmt"
	"strings"

	"weir/cache/dep"
	"weir/proxy/statement"
)

// DependencyOf says what a result takes from one table.
func DependencyOf(r statement.Reading) Dependency {
	d := Dependency{Table: r.Table.String(), Grain: r.Grain.String(), Words: counted(r)}
	if r.Layout {
		d.Words += "; and its indexes and partitions"
	}
	return d
}

func counted(r statement.Reading) string {
	switch r.Grain {
	case dep.ByTable:
		if r.Why == "" {
			return fmt.Sprintf("table %s as a whole", r.Table)
		}
		return fmt.Sprintf("table %s as a whole, since %s", r.Table, r.Why)
	case dep.ByColumns:
		if len(r.What) == 0 {
			return fmt.Sprintf("rows of %s that come or go", r.Table)
		}
		return fmt.Sprintf("rows of %s that come or go, and columns %s of all", r.Table, strings.Join(r.What, ", "))
	}
	words := fmt.Sprintf("rows of %s with %s", r.Table, strings.Join(r.What, " or "))
	if r.Of != nil {
		words += ", columns " + strings.Join(r.Of, ", ")
	}
	for _, s := range r.Spans {
		words += fmt.Sprintf("; as %s of %s.%s", buckets(s), r.Table, s.Column)
	}
	return words
}

func buckets(s statement.Span) string {
	if s.Buckets == 1 {
		return fmt.Sprintf("one bucket %s wide", thousands(s.Width))
	}
	return fmt.Sprintf("%d buckets %s wide", s.Buckets, thousands(s.Width))
}

func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
