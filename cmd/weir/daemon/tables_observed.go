package daemon

import "weir/proxy/virtual"

// observedTable is one row: what the cache would do, taken together. By statement and table it is in weir.statements and
// weir.tables.
func (d *Daemon) observedTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "observed", Privilege: virtual.Process,
		Columns: []virtual.Column{
			column("observing", virtual.Flag, "whether query_cache_type is OBSERVE now"),
			column("cacheable_reads", virtual.Unsigned, "cacheable reads under OBSERVE, since Weir started"),
			column("would_hits", virtual.Unsigned, "those of them that would have been hits"),
			column("would_hit_ratio", virtual.Double, "their share, 0 to 1"),
			column("results", virtual.Unsigned, "results that would be in memory now"),
			column("bytes", virtual.Unsigned, "what they would take"),
			column("budget", virtual.Unsigned, "of how many bytes: query_cache_size"),
			column("evictions", virtual.Unsigned, "results that would have made room for others; if that goes on rising, more memory gives more hits"),
			column("not_cacheable", virtual.Long, "statements of which nothing would be kept, by reason"),
		},
		Rows: d.observedRows,
	}
}

func (d *Daemon) observedRows(virtual.Viewer) [][]any {
	o := d.proxy.Observed()
	return [][]any{{
		o.Observing, o.Reads, o.WouldHits, shareOf(o.WouldHits, o.Reads), uint64(max(o.Results, 0)), uint64(max(o.Bytes, 0)),
		uint64(max(o.Budget, 0)), o.Evictions, byReason(o.NotCacheable),
	}}
}
