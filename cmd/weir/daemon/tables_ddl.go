package daemon

import (
	"math"
	"strings"
	"time"

	"weir/ddlwatch/inflight"
	"weir/ddlwatch/timeline"
	"weir/proxy/virtual"
)

func (d *Daemon) ddlTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "ddl", Privilege: virtual.Process,
		Columns: []virtual.Column{
			column("id", virtual.Unsigned, "number of the schema change, from 1"),
			column("state", virtual.Text, "running, vanished, committed, refilling, done"),
			column("kind", virtual.Text, "alter_table and so on"),
			column("statement", virtual.Long, "its text, with ... in place of what is in quotes"),
			column("tables_changed", virtual.Long, "tables that it is about, as schema.table"),
			column("effect", virtual.Text, "what it does to results; NULL until it is recorded"),
			column("server", virtual.Text, "host:port where it was seen first"),
			column("tool", virtual.Text, "gh-ost or pt-online-schema-change, if it is their doing"),
			column("seen_at", virtual.Time, "when Weir saw it first"),
			column("started_at", virtual.Time, "when it began there, by what the server says"),
			column("committed_at", virtual.Time, "when it was committed, by the source's clock"),
			column("recorded_at", virtual.Time, "from when on no result from before was served"),
			column("position", virtual.Text, "binlog file number and position; NULL until it is recorded"),
			column("unservable", virtual.Unsigned, "results that it made unservable"),
			column("refill_seconds", virtual.Double, "seconds in which these were read again; NULL while that goes on, and if there were none"),
			column("refill_statements", virtual.Unsigned, "statements that were read again"),
			column("waited_seconds", virtual.Double, "seconds for which it waited for locks of metadata"),
			column("blocker", virtual.Long, "who held them, in words"),
			column("progress", virtual.Double, "share that is done while it runs, 0 to 1; NULL if the server does not tell"),
			column("waiters", virtual.Unsigned, "statements that wait for it while it runs"),
		},
		Rows: d.ddlRows,
	}
}

// ddlRows are the last changes, newest first.
func (d *Daemon) ddlRows(virtual.Viewer) [][]any {
	flying := d.ddl.InFlight()
	var rows [][]any
	for _, e := range d.ddl.Timeline().Events(time.Time{}, time.Time{}) {
		progress, waiters := flight(e, flying)
		rows = append(rows, []any{
			e.ID, string(e.State), e.Kind, e.Statement, known(strings.Join(e.Tables, ", ")), known(e.Effect), e.Server, known(e.Tool),
			moment(e.Seen), moment(e.Started), moment(e.Committed), moment(e.Recorded), placeOf(e), uint64(max(e.Unservable, 0)),
			refillSeconds(e.Refill), uint64(max(e.Refill.Statements, 0)), seconds(e.Waited), known(e.Blocker), progress, waiters,
		})
	}
	return rows
}

func placeOf(e timeline.Event) any {
	if e.Seq == 0 {
		return nil
	}
	return e.Seq.String()
}

func refillSeconds(r timeline.Refill) any {
	if r.Began.IsZero() || r.Ended.IsZero() {
		return nil
	}
	return seconds(r.Ended.Sub(r.Began))
}

// flight is what is known of a change only while it runs.
func flight(e timeline.Event, flying []inflight.DDL) (progress, waiters any) {
	for _, f := range flying {
		if e.State != timeline.Running || f.Server != e.Server || f.Statement != e.Statement {
			continue
		}
		if !math.IsNaN(f.Progress) {
			progress = rounded(f.Progress)
		}
		return progress, uint64(max(f.Waiters, 0))
	}
	return nil, nil
}
