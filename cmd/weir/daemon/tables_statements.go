package daemon

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"weir/proxy/digest"
	"weir/proxy/virtual"
)

func formatCount(n uint64) string { return strconv.FormatUint(n, 10) }

func (d *Daemon) statementsTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "statements", Privilege: virtual.Process,
		Columns: []virtual.Column{
			column("digest", virtual.Text, "number of the statement, 16 hexadecimal digits; others for all that have no row of their own"),
			column("schema_name", virtual.Text, "default database in which it was sent"),
			column("statement", virtual.Long, "the statement, with ? in place of literals"),
			column("tables_read", virtual.Long, "tables and views that it reads, as schema.table"),
			column("calls", virtual.Unsigned, "executions"),
			column("hits", virtual.Unsigned, "executions that were answered from the cache"),
			column("misses", virtual.Unsigned, "executions that a server answered, to be stored"),
			column("joined", virtual.Unsigned, "executions that got the answer of an identical miss under way"),
			column("not_cached", virtual.Unsigned, "executions that were sent on without a look at storing their result"),
			column("not_cached_by", virtual.Long, "the same by reason"),
			column("stores", virtual.Unsigned, "results that were stored"),
			column("refused", virtual.Unsigned, "results that were read to be stored, and were not"),
			column("refused_by", virtual.Long, "the same by reason"),
			column("changed", virtual.Unsigned, "stored results that a change is known to have ended"),
			column("hit_ratio", virtual.Double, "share of the executions that were hits, 0 to 1"),
			column("bytes", virtual.Unsigned, "bytes of the results that were stored, in all"),
			column("backend_seconds", virtual.Double, "seconds that servers took for it"),
			column("saved_seconds", virtual.Double, "seconds that servers would have taken for what they were not asked"),
			column("p50_seconds", virtual.Double, "median of the servers' answers, in seconds"),
			column("p99_seconds", virtual.Double, "99th percentile of the servers' answers, in seconds"),
			column("would_hits", virtual.Unsigned, "executions that would have been hits, under query_cache_type: OBSERVE"),
			column("would_bytes", virtual.Unsigned, "bytes of results that would have been stored, under OBSERVE"),
			column("last_at", virtual.Time, "when it was executed last"),
			column("example", virtual.Long, "the last text that was sent to a server, with its literals, under show_literals; else NULL"),
		},
		Rows: d.statementRows,
	}
}

// statementRows have what servers and the cache are busy with most at the top.
func (d *Daemon) statementRows(virtual.Viewer) [][]any {
	all := d.proxy.Digests().All()
	slices.SortStableFunc(all, func(a, b digest.Stats) int {
		return cmp.Or(cmp.Compare(b.BackendSeconds+b.SavedSeconds, a.BackendSeconds+a.SavedSeconds), cmp.Compare(b.Calls, a.Calls))
	})
	rows := make([][]any, 0, len(all))
	for _, s := range all {
		rows = append(rows, []any{
			s.Digest, known(s.Schema), s.Text, known(strings.Join(s.Tables, ", ")), s.Calls, s.Hits, s.Misses, s.Joined,
			sum(s.NotCached), byReason(s.NotCached), s.Stores, sum(s.Refused), byReason(s.Refused), s.Changed, shareOf(s.Hits, s.Calls),
			s.Bytes, rounded(s.BackendSeconds), rounded(s.SavedSeconds), known(seconds(s.P50)), known(seconds(s.P99)),
			s.WouldHits, s.WouldBytes, moment(s.Last), known(s.Example),
		})
	}
	return rows
}
