package daemon

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"weir/ddlwatch/bufferpool"
	"weir/proxy"
	"weir/proxy/virtual"
)

func (d *Daemon) backendsTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "backends",
		Columns: []virtual.Column{
			column("addr", virtual.Text, "host:port of the server"),
			column("role", virtual.Text, "source: Weir follows its binlog; replica: all others"),
			column("serves_reads", virtual.Flag, "whether it is one that answers reads"),
			column("up", virtual.Flag, "whether it answers"),
			column("state", virtual.Text, "how it is, in words"),
			column("lag_seconds", virtual.Double, "for how many seconds, at least, it has lacked a change that is recorded; NULL if that cannot be told"),
			column("errant", virtual.Flag, "whether it has transactions that the source lacks"),
			column("answers_kept", virtual.Flag, "whether it is known what it has applied, without which its answers are not stored"),
			column("outstanding", virtual.Unsigned, "statements that it works on now"),
			column("connections", virtual.Unsigned, "connections of Weir's that are open, those of Weir's own account apart"),
			column("idle_connections", virtual.Unsigned, "those of them that nobody uses"),
			column("latency_seconds", virtual.Double, "seconds that its answers took, on a sliding average of about 16"),
			column("pool_state", virtual.Text, "state of its buffer pool: warm, pressed, cold, warming, unknown"),
			column("pool_hit_ratio", virtual.Double, "share of page requests that found their page in its buffer pool in the last second, 0 to 1"),
		},
		Rows: d.backendRows,
	}
}

func (d *Daemon) backendRows(virtual.Viewer) [][]any {
	var rows [][]any
	for _, b := range d.proxy.Backends() {
		pool := d.ddl.Pool().Now(b.Addr)
		rows = append(rows, []any{
			b.Addr, roleOf(b), b.Reads, b.Up, d.backendState(b), lagOf(b), b.Errant, b.Proved, uint64(max(b.Outstanding, 0)), uint64(max(b.Connections, 0)),
			uint64(max(b.Idle, 0)), known(seconds(b.Latency)), poolState(pool), rounded(pool.HitRatio),
		})
	}
	return rows
}

func roleOf(b proxy.BackendReport) string {
	if b.Source {
		return "source"
	}
	return "replica"
}

func lagOf(b proxy.BackendReport) any {
	if !b.LagKnown {
		return nil
	}
	return seconds(b.Lag)
}

func poolState(r bufferpool.Reading) string {
	return cmp.Or(string(r.State), string(bufferpool.Unknown))
}

// backendState says in words what the flags come to.
func (d *Daemon) backendState(b proxy.BackendReport) string {
	switch {
	case !b.Up:
		return "does not answer"
	case b.Errant:
		return "has transactions that the source lacks; gets no reads"
	case b.Lagging:
		return fmt.Sprintf("lags beyond max_lag (%v); gets reads only if there is no other", time.Duration(d.cfg.MaxLag))
	case !b.LagKnown || !b.Proved:
		return "answers; how far it is cannot be told, so that its answers are not stored"
	case b.Lag > 0:
		return "answers; lacks a change still"
	}
	return "answers; has every change"
}

func (d *Daemon) streamTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "stream",
		Columns: []virtual.Column{
			column("source", virtual.Text, "host:port of the server whose binlog is followed"),
			column("flavor", virtual.Text, "mysql or mariadb"),
			column("via", virtual.Text, "binlog: it is read from the source; redis: a relay passes it on"),
			column("connected", virtual.Flag, "whether the stream is open"),
			column("connected_since", virtual.Time, "since when that is so, or not"),
			column("error", virtual.Long, "why the last attempt ended; NULL while connected"),
			column("serving", virtual.Flag, "whether cached results may be served"),
			column("why_not", virtual.Long, "what is missing for that; NULL if nothing is"),
			column("position", virtual.Text, "binlog file number and position up to which every change is recorded"),
			column("epoch", virtual.Unsigned, "how many times recording has begun anew: nothing that was cached in an earlier one is served"),
			column("complete_age_seconds", virtual.Double, "how many seconds ago the ledger was known to be complete; NULL if never"),
			column("max_staleness_seconds", virtual.Double, "how many seconds that may be while cached results are served"),
			column("lag_p50_seconds", virtual.Double, "median time from a commit to its record, in seconds, since Weir started; MariaDB's clock tells whole seconds, so that it is up to one too large"),
			column("lag_p99_seconds", virtual.Double, "99th percentile of the same"),
			column("transactions", virtual.Unsigned, "transactions that were recorded since Weir started"),
			column("reconnects", virtual.Unsigned, "times that the stream ended and was opened again"),
			column("last_gtid", virtual.Text, "GTID of the last change that was recorded; NULL if it has none, or is not known"),
			column("last_change_at", virtual.Time, "when that was"),
			column("second_tier", virtual.Text, "none, or how the second tier's Redis is"),
		},
		Rows: d.streamRows,
	}
}

func (d *Daemon) streamRows(virtual.Viewer) [][]any {
	state, m := d.changes.State(), d.gathered()
	var complete, failed, gtid, changed any
	if at, ok := d.ledger.CompleteAsOf(); ok {
		complete = seconds(d.ledger.Now() - at)
	}
	if state.Err != nil {
		failed = state.Err.Error()
	}
	if last := d.recent.Last(1); len(last) == 1 {
		gtid, changed = known(last[0].GTID), moment(last[0].Recorded)
	}
	why := d.notReady()
	lag := m["weir_commit_to_ledger_seconds"]
	return [][]any{{
		d.sourceAddr(), strings.ToLower(string(d.following().Flavor)), d.cfg.Stream, state.Connected, moment(state.Since), failed, why == "", known(why),
		d.ledger.Head().String(), d.ledger.Epoch(), complete, seconds(time.Duration(d.cfg.MaxStaleness)), quantile(lag, .5), quantile(lag, .99),
		uint64(total(m["weir_stream_transactions_total"])), uint64(total(m["weir_stream_reconnects_total"])), gtid, changed, d.secondTier(m),
	}}
}

func (d *Daemon) secondTier(m map[string][]*dto.Metric) string {
	if d.second == nil {
		return "none"
	}
	if out := total(m["weir_redis_servers_out"]); out > 0 {
		return fmt.Sprintf("%.0f of its servers fail or are late, and are not asked", out)
	}
	return "answers in time"
}

// gathered are the metrics by name; empty if they cannot be read.
func (d *Daemon) gathered() map[string][]*dto.Metric {
	all := map[string][]*dto.Metric{}
	families, _ := d.registry.Gather() // what could be gathered is there, in spite of an error
	for _, f := range families {
		all[f.GetName()] = f.GetMetric()
	}
	return all
}

func total(list []*dto.Metric) (sum float64) {
	for _, m := range list {
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return sum
}

// quantile is the upper bound of the bucket in which it lies, of all histograms in the list together; NULL without
// observations, and beyond the last bucket.
func quantile(list []*dto.Metric, q float64) any {
	var count uint64
	bounds := map[float64]uint64{}
	for _, m := range list {
		count += m.GetHistogram().GetSampleCount()
		for _, b := range m.GetHistogram().GetBucket() {
			bounds[b.GetUpperBound()] += b.GetCumulativeCount()
		}
	}
	best := math.Inf(1)
	for bound, n := range bounds {
		if float64(n) >= q*float64(count) {
			best = min(best, bound)
		}
	}
	if count == 0 {
		return nil
	}
	return rounded(best)
}
