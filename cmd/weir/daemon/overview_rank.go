package daemon

import (
	"strings"

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
	for _, s := range o.d.proxy.Digests().All() {
		r.Statements = append(r.Statements, countStatement(s))
	}
	r.Tables = o.d.rankTables()
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

// rankTables has what weir.tables has: what statements did, what transactions did, and what to make of both.
func (d *Daemon) rankTables() (all []status.TableCounts) {
	for _, u := range d.tableUses() {
		c := status.TableCounts{
			Name: strings.TrimPrefix(u.name, "."), Reads: status.Figure(u.reads.Reads), Hits: status.Figure(u.reads.Hits),
			Changes: status.Figure(max(u.changes.RowChanges, u.changes.Transactions)),
		}
		if u.reads.Reads > 0 { // of one that only changes there is nothing to say
			c.Advice = u.advice()
		}
		all = append(all, c)
	}
	return all
}
