package main

// lagDashboard is the one to look at first: how old an answer from the cache may be, and why.
func lagDashboard() dashboard {
	return dashboard{
		uid: "weir-lag", title: "Invalidation lag",
		purpose: "How long a change takes from its commit until no old result is served, and until each backend shows it.",
		rows: []row{
			{"Now", lagNow()},
			{"From a commit to a record in the ledger: old results are served until then", lagToLedger()},
			{"From the ledger to the backends: what changed is not cached again before then", lagToVisible()},
			{"What changes", lagChanges()},
		},
	}
}

func lagNow() []panel {
	return []panel{
		number("Serves from the cache", "bool_yes_no", "No: every read goes to a backend. /readyz says why; see WeirNotReady in docs/dashboards.md.", 1, .5,
			query{"min(weir_ready{$in})", ""}),
		number("Complete as of", "s", "How long ago the ledger was last known to have every change. Over max_staleness nothing is served from the cache: look whether the source answers, and at the stream below.", .5, 1,
			query{"max(weir_stream_complete_age_seconds{$in})", ""}),
		number("Bound", "s", "max_staleness: no answer from the cache is older. A smaller bound asks the source more often, and survives shorter silences.", 3600, 7200,
			query{"max(weir_max_staleness_seconds{$in})", ""}),
		number("Commit to ledger, p99", "s", "Of the last minutes. On MariaDB commits are told by whole seconds, so that up to a second of it is not there: take delivered to ledger.", .1, 1,
			query{`histogram_quantile(0.99, sum by (le) (rate(weir_commit_to_ledger_seconds_bucket{$in}[$range])))`, ""}),
		number("Slowest backend, p99", "s", "From the ledger until the backend shows a change. Large: the replica lags, and its misses are not stored.", .5, 5,
			query{"max(histogram_quantile(0.99, sum by (backend, le) (rate(weir_ledger_to_visible_seconds_bucket{$in}[$range]))))", ""}),
		number("Started empty", "short", "Times in the last hour that Weir lost its place in the binlog, so that the cache began empty. More than none: look into Weir's log for the reason, and keep binlogs longer.", 1, 3,
			query{"sum(increase(weir_stream_lost_total{$in}[1h]))", ""}),
	}
}

func lagToLedger() []panel {
	return []panel{
		third(graph("Commit to delivered", "s", "Network, and the source's binlog. Large at p50: a slow network, or sync_binlog on a slow disk. Large at p99.9 alone: large transactions, which are sent at their commit. With clock=seconds (MariaDB) up to a second of it is rounding.",
			quantiles("weir_commit_to_delivered_seconds", "clock, ", " ({{clock}})")...)),
		third(graph("Delivered to ledger", "s", "Weir's own work. Over a few milliseconds: Weir lacks CPU, or transactions of very many rows come. No clocks are compared.",
			quantiles("weir_delivered_to_ledger_seconds", "", "")...)),
		third(graph("Commit to ledger", "s", "Both together: how old an answer may be, if clocks agree. The bound that holds in any case is max_staleness.",
			quantiles("weir_commit_to_ledger_seconds", "clock, ", " ({{clock}})")...)),
		heatmap("Commit to ledger, all transactions", "Two bands are two kinds of transactions: small ones, and those that take long to be sent. A band at 0 to 1 s on MariaDB is the clock's rounding.",
			`sum by (le) (increase(weir_commit_to_ledger_seconds_bucket{$in}[$range]))`),
		graph("Complete as of, against the bound", "s", "Age of the moment as of which everything is known. Where it crosses the bound, hits stop and misses take over: the source did not answer, or the stream fell behind. -1 is a start.",
			query{"max by (instance) (weir_stream_complete_age_seconds{$in})", "{{instance}}"}, query{"max(weir_max_staleness_seconds{$in})", "max_staleness"}),
	}
}

func lagToVisible() []panel {
	return []panel{
		graph("Ledger to visible, p50", "s", "Half of the changes that were followed show on the backend after that. Sampled, a tenth and a round trip too large at most.",
			query{"histogram_quantile(0.5, sum by (backend, le) (rate(weir_ledger_to_visible_seconds_bucket{$in}[$range])))", "{{backend}}"}),
		graph("Ledger to visible, p99", "s", "One backend over the others: that replica is slower. All of them: look at the source's large transactions. Until a change shows, misses there are not stored (snapshot_behind).",
			query{"histogram_quantile(0.99, sum by (backend, le) (rate(weir_ledger_to_visible_seconds_bucket{$in}[$range])))", "{{backend}}"}),
		graph("Backends lack a change since", "s", "At least for that long. Rises without end: replication has stopped; SHOW REPLICA STATUS on the backend says why. Over max_lag reads go elsewhere.",
			value("weir_backend_lag_seconds", "backend")),
		graph("Stores refused because a backend was behind", "ops", "Results that could not be kept, since the backend was not known to show the last change. Much of it: fewer reads on lagging replicas (max_lag), or parallel replication there.",
			query{`sum by (reason) (rate(weir_cache_stores_refused_total{$in,reason=~"snapshot_behind|unproved|not_current"}[$range]))`, "{{reason}}"}),
	}
}

func lagChanges() []panel {
	const sum, count = `sum by (table) (rate(weir_table_commit_to_ledger_seconds_sum{$in}[$__range]))`, `sum by (table) (rate(weir_table_commit_to_ledger_seconds_count{$in}[$__range]))`
	return []panel{
		ranking("Slowest tables: mean commit to ledger", "s", "Tables whose transactions take longest. Large transactions are the usual reason: commit in smaller parts.",
			"topk(10, "+sum+" / ("+count+" > 0))", "{{table}}"),
		ranking("Busiest tables: transactions", "ops", "Tables that change most. Results of these live shortest: if they are not hit between two changes, give their statements SQL_NO_CACHE.",
			"topk(10, "+count+")", "{{table}}"),
		graph("Transactions", "ops", "What the source commits, as recorded in the ledger.", total("weir_stream_transactions_total", "transactions"), total("weir_stream_events_total", "events")),
		graph("Binlog", "Bps", "What is read from the source. Near the network's limit the lag rises: compress (binlog_transaction_compression on MySQL).", total("weir_stream_bytes_total", "read")),
		graph("Changes that end more than their rows", "ops", "Transactions that ended everything, and events that ended all results of a table. unwatched is normal; image: set binlog_row_image=FULL; shape: DDL.",
			query{"sum(rate(weir_stream_everything_total{$in}[$range]))", "everything"},
			query{`sum by (reason) (rate(weir_stream_row_events_total{$in,told="table"}[$range]))`, "table: {{reason}}"}),
		graph("Left to be read after a start", "bytes", "Of the binlog, before results are served again. Does not fall: the source writes faster than it is read.",
			query{"max by (instance) (weir_stream_behind_bytes{$in})", "{{instance}}"}),
	}
}
