package daemon

import (
	"cmp"
	"slices"

	"weir/proxy"
	"weir/proxy/virtual"
)

func (d *Daemon) sessionsTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "sessions", Privilege: virtual.Process, Partly: true,
		Columns: []virtual.Column{
			column("id", virtual.Unsigned, "number of the client's connection, as CONNECTION_ID() gives it and KILL takes it"),
			column("user", virtual.Text, "account's name"),
			column("host", virtual.Text, "where the client is, as host:port"),
			column("db", virtual.Text, "default database"),
			column("state", virtual.Text, "idle, in a transaction, or running a statement that is not a hit"),
			column("connected_at", virtual.Time, "when it came"),
			column("running_seconds", virtual.Double, "for how many seconds its statement has been running"),
			column("statement", virtual.Long, "the statement that runs, or ran last without being a hit, with ? in place of literals"),
			column("digest", virtual.Text, "its number in weir.statements"),
			column("pinned", virtual.Flag, "whether a connection to a server is its own"),
			column("pinned_why", virtual.Text, "why"),
			column("not_cached_why", virtual.Text, "why nothing is cached for it any more; NULL if it is"),
			column("max_staleness_seconds", virtual.Double, "how many seconds old an answer from the cache may be"),
			column("hits", virtual.Unsigned, "statements that were answered from the cache"),
			column("misses", virtual.Unsigned, "all other statements"),
		},
		Rows: d.sessionRows,
	}
}

// sessionRows: an account without PROCESS sees its own, as in SHOW PROCESSLIST.
func (d *Daemon) sessionRows(v virtual.Viewer) [][]any {
	all := d.proxy.Sessions()
	slices.SortFunc(all, func(a, b proxy.SessionReport) int { return cmp.Compare(a.ID, b.ID) })
	var rows [][]any
	for _, s := range all {
		if !v.Process && s.User != v.User {
			continue
		}
		rows = append(rows, []any{
			uint64(s.ID), s.User, s.Host, known(s.Schema), stateOf(s), moment(s.Connected), known(seconds(s.Running)), known(s.Statement), known(s.Digest),
			s.Pinned != "", known(s.Pinned), known(s.Bypass), seconds(s.Staleness), s.Hits, s.Misses,
		})
	}
	return rows
}

func stateOf(s proxy.SessionReport) string {
	switch {
	case s.Running > 0:
		return "running"
	case s.Quiet:
		return "idle"
	}
	return "in a transaction"
}
