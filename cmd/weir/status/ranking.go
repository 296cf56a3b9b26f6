package status

import (
	"cmp"
	"slices"
	"time"
)

// top is how many statements and tables are shown.
const top = 10

// counts is one reading of what there is much of.
type counts struct {
	at         time.Time
	statements map[string]StatementCounts
	tables     map[string]TableCounts
}

// ranking keeps which statements and tables were busiest over about ten seconds.
type ranking struct {
	past       []counts
	statements []Statement
	tables     []Table
}

// take ranks anew if the reading has looked at statements and tables.
func (k *ranking) take(r Reading) {
	if k.statements == nil {
		k.statements, k.tables = []Statement{}, []Table{}
	}
	if r.Statements == nil && r.Tables == nil {
		return
	}
	now := counts{r.At, map[string]StatementCounts{}, map[string]TableCounts{}}
	for _, s := range r.Statements {
		now.statements[s.Digest] = s
	}
	for _, t := range r.Tables {
		now.tables[t.Name] = t
	}
	for len(k.past) > 1 && r.At.Sub(k.past[1].at) >= short {
		k.past = k.past[1:]
	}
	if len(k.past) > 0 {
		k.rank(k.past[0], now)
	}
	k.past = append(k.past, now)
}

func (k *ranking) rank(before, now counts) {
	over := now.at.Sub(before.at)
	k.statements = busiest(now.statements, func(s StatementCounts) (Statement, float64) {
		return rankStatement(before.statements[s.Digest], s, over)
	})
	k.tables = busiest(now.tables, func(t TableCounts) (Table, float64) {
		return rankTable(before.tables[t.Name], t, over)
	})
}

// rankStatement weighs what a statement cost the servers and what it saved them.
func rankStatement(was, is StatementCounts, over time.Duration) (Statement, float64) {
	calls, hits := max(is.Calls-was.Calls, 0), max(is.Hits-was.Hits, 0)
	weight := float64(is.Cost-was.Cost+is.Saved-was.Saved) + float64(calls)*1e-6 // calls that cost nothing, too
	return Statement{
		Digest: is.Digest, Text: is.Text, Calls: perSecond(0, calls, over), Hits: perSecond(0, hits, over),
		HitRatio: ratio(hits, calls), P99: is.P99,
	}, weight
}

func rankTable(was, is TableCounts, over time.Duration) (Table, float64) {
	t := Table{
		Name: is.Name, Reads: perSecond(was.Reads, is.Reads, over), Hits: perSecond(was.Hits, is.Hits, over),
		Changes: perSecond(was.Changes, is.Changes, over), Advice: is.Advice,
	}
	return t, float64(t.Reads + t.Changes)
}

// busiest returns what weighs most, heaviest first, and nothing that weighs nothing.
func busiest[C, T any](all map[string]C, weigh func(C) (T, float64)) []T {
	type weighed struct {
		name   string
		item   T
		weight float64
	}
	var heavy []weighed
	for name, c := range all {
		if item, weight := weigh(c); weight > 0 {
			heavy = append(heavy, weighed{name, item, weight})
		}
	}
	slices.SortFunc(heavy, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.name, b.name))
	})
	items := make([]T, 0, top)
	for _, h := range heavy[:min(top, len(heavy))] {
		items = append(items, h.item)
	}
	return items
}
