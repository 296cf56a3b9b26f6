package main

// cacheDashboard is about what the cache is worth.
func cacheDashboard() dashboard {
	return dashboard{
		uid: "weir-cache", title: "Cache",
		purpose: "How many reads are answered from the cache, why the others are not, and what it holds.",
		rows: []row{
			{"Now", cacheNow()},
			{"Answers", cacheAnswers()},
			{"Memory", cacheMemory()},
			{"Second tier (Redis)", cacheSecond()},
		},
	}
}

const hitRatio = `sum(rate(weir_statements_total{$in,outcome="hit"}[$range])) / sum(rate(weir_statements_total{$in,outcome=~"hit|miss|joined"}[$range]))`

func cacheNow() []panel {
	return []panel{
		number("Hit ratio now", "percentunit", "Of what can be cached. Low: see the refused stores, the ended and unused results, and the evictions below.", .5, .2, query{hitRatio, ""}),
		number("Answers now", "reqps", "Cacheable statements in a second.", 1e9, 1e10, query{`sum(rate(weir_statements_total{$in,outcome=~"hit|miss|joined"}[$range]))`, ""}),
		number("Memory used", "percentunit", "Of query_cache_size. Full is well, as long as the hit ratio is: eviction keeps what is asked for.", .98, 2, query{"sum(weir_cache_bytes{$in}) / sum(weir_cache_budget_bytes{$in})", ""}),
		number("Results", "short", "Entries in memory, servable or not reclaimed yet.", 1e12, 1e13, query{"sum(weir_cache_entries{$in})", ""}),
		number("Cannot be cached", "percentunit", "Share of statements of which no result may be stored. The reasons are below, and in the README.", .5, .9,
			query{`sum(rate(weir_not_cacheable_total{$in}[$range])) / (sum(rate(weir_not_cacheable_total{$in}[$range])) + sum(rate(weir_statements_total{$in,outcome=~"hit|miss|joined"}[$range])))`, ""}),
		number("Clients", "short", "Connections of clients.", 1e6, 1e7, query{"sum(weir_clients{$in})", ""}),
	}
}

func cacheAnswers() []panel {
	return []panel{
		graph("Hit ratio", "percentunit", "By instance. A fall of one alone: it has started empty. Of all: the load, or the schema, has changed; the marks show schema changes.",
			query{`sum by (instance) (rate(weir_statements_total{$in,outcome="hit"}[$range])) / sum by (instance) (rate(weir_statements_total{$in,outcome=~"hit|miss|joined"}[$range]))`, "{{instance}}"}),
		stacked(graph("Answers", "reqps", "hit: from memory; joined: by an identical read that was under way; miss: from a backend; refused: a write, under writes: reject.",
			rate("weir_statements_total", "outcome"))),
		stacked(graph("Not cacheable, by reason", "reqps", "The README says what each reason means. function: give the value from the application; transaction: cache.transactions: snapshot serves read-only ones.",
			rate("weir_not_cacheable_total", "reason"))),
		stacked(graph("Stores refused, by reason", "ops", "snapshot_behind: a replica lags; too_large: raise query_cache_limit; warnings: mend the statement; not_paying: the table changes faster than it is read.",
			query{"sum by (reason) (rate(weir_cache_stores_refused_total{$in}[$range])) or vector(0)", "{{reason}}"})),
		stacked(graph("Fills, by how finely they depend", "ops", "row and range survive changes of other rows. Many by table: EXPLAIN CACHE says why; an index, or a literal of the column's type, may help.",
			rate("weir_fills_total", "grain"))),
		graph("Analyses", "ops", "parser at a high rate: texts that differ in more than literals. Prepared statements help.", rate("weir_analyses_total", "by")),
	}
}

func cacheMemory() []panel {
	return []panel{
		graph("Memory", "bytes", "aside: what eviction passes over while a schema change runs. At the budget with many evictions: raise query_cache_size.",
			query{"sum(weir_cache_bytes{$in})", "used"}, query{"sum(weir_cache_budget_bytes{$in})", "query_cache_size"}, query{"sum(weir_cache_aside_bytes{$in})", "aside"}),
		graph("What comes and goes", "ops", "evicted near stored: the budget is too small for the working set, or scans pass through; see weir_statements_total.",
			total("weir_cache_stores_total", "stored"), total("weir_cache_evictions_total", "evicted"), total("weir_cache_swept_total", "swept after a change")),
		graph("Ended by changes", "ops", "unused: nobody had asked for them again. Near all: these results do not pay; Weir pauses such tables by itself.",
			total("weir_cache_ended_total", "ended"), total("weir_cache_ended_unused_total", "ended unused")),
		graph("Tables that are not stored for a while", "short", "Their results were nearly all changed before they were used. Good to know; nothing to do.",
			query{"sum by (table, grain) (weir_cache_paused{$in}) or vector(0)", "{{table}} by {{grain}}"}),
		graph("Read again before anybody asks", "ops", "After schema changes. behind: no backend had the change yet; refused: nobody is known who may ask.", rate("weir_refills_total", "outcome")),
		graph("Hits inside read-only transactions", "ops", "With cache.transactions: snapshot.", total("weir_transaction_hits_total", "hits")),
	}
}

func cacheSecond() []panel {
	return []panel{
		stacked(graph("Lookups", "ops", "late: Redis is slower than redis.budget; open: it is out; cheap: a backend is faster than Redis, so that it is not asked; other_history: of before a start or another source.",
			rate("weir_redis_lookups_total", "outcome"))),
		graph("Waiting for Redis", "s", "Near redis.budget: Redis, or the way to it, is slow. Every miss waits for that long at most.", quantiles("weir_redis_lookup_seconds", "", "")...),
		stacked(graph("Writes", "ops", "queue_full: more is offered than Redis takes; refused: Redis lacks memory or the account a privilege.", rate("weir_redis_writes_total", "outcome"))),
		graph("Servers that are out", "short", "Put out after five failures in a row, and tried ten times a second. Weir goes on without them: misses go to backends.",
			query{"max by (instance) (weir_redis_servers_out{$in})", "{{instance}}"}, query{"sum(increase(weir_redis_breaker_opened_total{$in}[$range]))", "put out"}),
		stacked(graph("What the ledger made of what was found", "ops", "changed: the result was old, and was not served. That is the rule at work, not an error.", rate("weir_cache_promotions_total", "outcome"))),
		graph("Traffic", "Bps", "Near the network's limit: redis.min_cost leaves cheap statements out.",
			total("weir_redis_read_bytes_total", "read"), total("weir_redis_written_bytes_total", "written")),
	}
}
