package main

// backendsDashboard is about the servers, and who asks them.
func backendsDashboard() dashboard {
	return dashboard{
		uid: "weir-backends", title: "Backends",
		purpose: "Which servers answer, how fast, how far they are, and which of them is the source.",
		rows: []row{
			{"Servers", backendsServers()},
			{"Reads", backendsReads()},
			{"Source", backendsSource()},
			{"Clients", backendsClients()},
		},
	}
}

func backendsServers() []panel {
	return []panel{
		graph("Up", "bool_on_off", "0: it does not answer, and reads go elsewhere. Weir's log has the error.", query{"min by (backend) (weir_backend_up{$in})", "{{backend}}"}),
		graph("Lacks a change since", "s", "Over max_lag reads go elsewhere while there is another. Gaps: the position cannot be told, such as of a server that is not a replica of the source.", value("weir_backend_lag_seconds", "backend")),
		graph("Has what the source has not", "bool_yes_no", "An errant backend gets no reads: somebody wrote to the replica. Rebuild it, or inject empty transactions on the source.", value("weir_backend_errant", "backend")),
		graph("Ledger to visible, p99", "s", "How long each needs to show a change. Until then its answers are served, and not stored.",
			query{"histogram_quantile(0.99, sum by (backend, le) (rate(weir_ledger_to_visible_seconds_bucket{$in}[$range])))", "{{backend}}"}),
	}
}

func backendsReads() []panel {
	return []panel{
		graph("Time of a statement", "s", "From sending it to the end of the response. p99.9 alone: see the slow log of the servers; all of them: see the buffer pools.", quantiles("weir_backend_seconds", "", "")...),
		graph("Statements at servers", "reqps", "What the servers have to do for clients of Weir.", query{"sum(rate(weir_backend_seconds_count{$in}[$range]))", "statements"}),
		graph("Under way", "short", "By server. One higher than the others at the same rate: it is slower.", query{"sum by (backend) (weir_backend_outstanding{$in})", "{{backend}}"}),
		graph("Connections", "short", "used: by a session, for a statement or for longer (a transaction, user variables, temporary tables).", query{"sum by (state) (weir_backend_connections{$in})", "{{state}}"}),
		graph("Connections that failed", "ops", "Wrong address, max_connections of the server, or a network that drops.", rate("weir_backend_connect_errors_total", "backend")),
		graph("Reads that went another way", "ops", "to the source, since no backend was known to have what they must contain; at a lagging backend, since there was no other; asked again, since a connection broke.",
			query{"sum by (reason) (rate(weir_reads_to_source_total{$in}[$range]))", "to the source: {{reason}}"},
			total("weir_reads_at_lagging_backend_total", "at a lagging backend"), total("weir_reads_asked_again_total", "asked again")),
	}
}

func backendsSource() []panel {
	return []panel{
		third(graph("Stream is open", "bool_on_off", "0: the binlog is not read, and hits stop within max_staleness. /readyz has the error.", query{"min by (instance) (weir_stream_connected{$in})", "{{instance}}"})),
		third(graph("Followed as the source", "bool_yes_no", "With source.addrs. A change is a move: the cache starts empty, unless the new source has all of the old one.", query{"max by (server) (weir_source_followed{$in}) or vector(0)", "{{server}}"})),
		third(graph("Doubt", "bool_yes_no", "1: more than one server takes writes. Nothing is served from the cache: make all but one read_only.",
			query{"max(weir_source_doubtful{$in}) or vector(0)", "doubt"}, query{"sum(increase(weir_source_moves_total{$in}[$range])) or vector(0)", "moves"})),
	}
}

func backendsClients() []panel {
	return []panel{
		graph("Clients", "short", "Connections. At max_connections logins are refused (full).", query{"sum by (instance) (weir_clients{$in})", "{{instance}}"}),
		graph("Logins", "ops", "denied: wrong account, password or database; failed: port scans, or TLS that does not fit; full: raise max_connections.", rate("weir_logins_total", "outcome")),
	}
}
