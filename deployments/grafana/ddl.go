package main

// ddlDashboard is about schema changes, and what they do to the servers under Weir.
func ddlDashboard() dashboard {
	return dashboard{
		uid: "weir-ddl", title: "DDL and buffer pool",
		purpose: "Schema changes, what they made unservable, the reads that wait for them, and the servers' buffer pools.",
		rows: []row{
			{"Schema changes", ddlChanges()},
			{"Reads around them", ddlGates()},
			{"Buffer pools", ddlPools()},
			{"Catalogue", ddlCatalogue()},
		},
	}
}

func ddlChanges() []panel {
	return []panel{
		graph("Schema changes, by what they do to results", "short", "none: nothing ended; shape, gone, swap: results of the tables; schema, unknown: more. /api/v1/ddl has each.",
			query{"sum by (effect) (increase(weir_ddl_total{$in}[$range]))", "{{effect}}"}),
		graph("Under way", "short", "By server. One that runs for long on replicas after the source is done holds replication up.", value("weir_ddl_in_flight", "server")),
		graph("Waiting for a metadata lock", "short", "A long transaction, or an open cursor, blocks the DDL, and the DDL blocks all others. /api/v1/ddl/inflight names the blocker: end it, or the DDL.", value("weir_ddl_metadata_lock_waiters", "server")),
		graph("Results that they made unservable", "short", "A miss each, unless they are read again before. Many at once: make changes at quiet hours.", query{"sum(increase(weir_ddl_unservable_total{$in}[$range]))", "results"}),
		graph("Reading again what they ended", "s", "The time until the hottest are hits again. Long: the pools are cold, or replicas apply the change late.",
			query{"histogram_quantile(0.9, sum by (le) (rate(weir_ddl_refill_seconds_bucket{$in}[30m])))", "p90 of half an hour"}),
		graph("Statements in the binlog", "short", "What they were taken for. unknown: Weir does not understand the statement, and everything cached ended; please report it.",
			query{"sum by (kind, touched) (increase(weir_ddl_statements_total{$in}[$range]))", "{{kind}}: {{touched}}"}),
	}
}

func ddlGates() []panel {
	return []panel{
		graph("At the gates", "short", "Reads of tables that are paced: inside are at servers, waiting are not. Waiting rises and limit is 0: readers pile up behind a metadata lock.",
			query{"sum(weir_ddl_gate_inside{$in}) or vector(0)", "inside"}, query{"sum(weir_ddl_gate_waiting{$in}) or vector(0)", "waiting"}, query{"sum(weir_ddl_gate_limit{$in}) or vector(0)", "limit"}),
		graph("Reads that waited", "ops", "burst is no schema change: many misses of one table at once.", rate("weir_ddl_gate_waits_total", "phase")),
		graph("How long they waited", "s", "Near the limit of a wait: reads go through whatever the gate says.",
			query{"histogram_quantile(0.99, sum by (le) (rate(weir_ddl_gate_wait_seconds_bucket{$in}[$range])))", "p99"}),
		graph("Reads that went through", "ops", "They had waited for as long as a read may.", total("weir_ddl_gate_through_total", "through")),
	}
}

func ddlPools() []panel {
	return []panel{
		graph("Hit ratio of the buffer pool", "percentunit", "A dip after a schema change, with a cold pool, is what the gates are for. Always under 0.95: the pool is small.", value("weir_buffer_pool_hit_ratio", "server")),
		graph("State of the buffer pool", "bool_yes_no", "cold and warming: after a restart or a failover; pressed: no free pages. While it is not warm, misses are let in slowly.",
			query{`max by (server, state) (weir_buffer_pool_state{$in}) > 0`, "{{server}}: {{state}}"}),
		graph("Free", "percentunit", "Much of it for long: the pool is larger than the data.", value("weir_buffer_pool_free_ratio", "server")),
		graph("Dirty", "percentunit", "Near innodb_max_dirty_pages_pct: the disk does not keep up with writes.", value("weir_buffer_pool_dirty_ratio", "server")),
		graph("Too small", "bool_yes_no", "1: give the server's pool more memory before the cache gets any.", value("weir_buffer_pool_small", "server")),
		graph("Looks at the servers that failed", "ops", "denied: the account lacks PROCESS; the log has the GRANT. failed: the server did not answer.",
			query{`sum by (server, result) (rate(weir_ddl_polls_total{$in,result!="ok"}[$range])) or vector(0)`, "{{server}}: {{result}}"}),
	}
}

func ddlCatalogue() []panel {
	return []panel{
		graph("Names that changed and are not read again", "short", "What reads them is not cached. Stays up: the source refuses to tell its schema; see the log.",
			query{"max(weir_catalog_changing{$in})", "changing"}, query{"max(weir_catalog_uncertain{$in})", "foreign keys uncertain"}),
		graph("Reading the schema", "s", "The mean since the start: of the whole schema, and of the names that changed after DDL. Very long: many thousand tables.",
			query{"sum(weir_catalog_load_seconds_sum{$in}) / sum(weir_catalog_load_seconds_count{$in})", "whole"},
			query{"sum(weir_catalog_reload_seconds_sum{$in}) / sum(weir_catalog_reload_seconds_count{$in})", "changed names"}),
	}
}
