package daemon

import (
	"cmp"
	"fmt"
	"time"

	"weir/cmd/weir/status"
	"weir/proxy/digest"
)

// rankEvery is how many readings there are to one that looks at all statements and tables: there are up to thousands.
const rankEvery = 2

// rank looks at what is counted by statement and by table, now and then.
func (o *observer) rank(r *status.Reading) {
	o.turn++
	if o.turn%rankEvery != 1 {
		return
	}
	digests := o.d.proxy.Digests()
	for _, s := range digests.All() {
		r.Statements = append(r.Statements, countStatement(s))
	}
	o.rankTables(r, digests.Tables())
}

func countStatement(s digest.Stats) status.StatementCounts {
	c := status.StatementCounts{
		Digest: s.Digest, Text: s.Text, Calls: status.Figure(s.Calls), Hits: status.Figure(s.Hits),
		Cost: status.Figure(s.BackendSeconds), Saved: status.Figure(s.SavedSeconds), P99: status.Unknown(),
	}
	if s.Digest == digest.OthersDigest {
		c.Text = "(all others)"
	}
	if s.P99 > 0 {
		c.P99 = status.Figure(s.P99.Seconds())
	}
	return c
}

// rankTables puts together what statements did with tables, what transactions did, and what the cache makes of both.
func (o *observer) rankTables(r *status.Reading, read []digest.TableStats) {
	all := map[string]*status.TableCounts{}
	of := func(name string) *status.TableCounts {
		if all[name] == nil {
			all[name] = &status.TableCounts{Name: name}
		}
		return all[name]
	}
	for _, t := range read {
		c := of(t.Table)
		c.Reads, c.Hits = status.Figure(t.Reads), status.Figure(t.Hits)
	}
	for _, t := range o.d.recent.Tables() {
		name := t.Name.String()
		if t.Name.Schema == "" {
			name = "(others)"
		}
		of(name).Changes = status.Figure(max(t.RowChanges, t.Transactions))
	}
	for name, advice := range o.d.advice() {
		of(name).Advice = advice
	}
	for _, c := range all {
		r.Tables = append(r.Tables, *c)
	}
}

// advice says of tables that do not pay what is done about it.
func (d *Daemon) advice() map[string]string {
	all, longest := map[string]string{}, map[string]time.Duration{}
	for _, y := range d.cache.Yields() {
		if y.Left > longest[y.Table] {
			longest[y.Table] = y.Left
			all[y.Table] = fmt.Sprintf("changes end its results before they are used: none is stored by %s for %v more", cmp.Or(y.Grain, "table"), y.Left.Round(time.Second))
		}
	}
	return all
}
