package status

import "time"

// Overview is how a Weir is at one moment. Its JSON is a contract: names stay, and new ones may come.
type Overview struct {
	Version string    `json:"version"`
	Now     time.Time `json:"now"`
	Uptime  Figure    `json:"uptime_seconds"`
	State   State     `json:"state"`
	// Type is query_cache_type: ON, OFF, DEMAND, OBSERVE.
	Type     string    `json:"type"`
	Source   Source    `json:"source"`
	Rates    Rates     `json:"rates"`
	Lag      Lags      `json:"lag"`
	Bound    Bound     `json:"bound"`
	Refused  []Count   `json:"refused"`
	Memory   Memory    `json:"memory"`
	Second   Second    `json:"second"`
	Backends []Backend `json:"backends"`
	// Statements are the ten that cost and save most, over the last ten seconds.
	Statements []Statement `json:"statements"`
	// Tables are the ten that are read and changed most, over the last ten seconds.
	Tables  []Table `json:"tables"`
	DDL     []DDL   `json:"ddl"`
	Clients int     `json:"clients"`
	// History is the last ten minutes. In all events of a stream but the first it is only what is new.
	History History `json:"history"`
}

// State is the first thing that one wants to know.
type State struct {
	// Ready says that cached results may be served.
	Ready bool `json:"ready"`
	// Word is serving, off, observing, starting, behind or broken.
	Word string `json:"word"`
	// Sentence says it to people: what is the case and, if something is wrong, what it is.
	Sentence string `json:"sentence"`
}

// Source is the server whose binlog is followed.
type Source struct {
	Addr string `json:"addr"`
	// Flavor is mysql or mariadb.
	Flavor   string `json:"flavor"`
	Version  string `json:"version"`
	Position string `json:"position"`
	// Connected says that its stream is open.
	Connected bool `json:"connected"`
}

// Rates are over the last second and over the last minute, or over as much of it as there was.
type Rates struct {
	Second Rate `json:"second"`
	Minute Rate `json:"minute"`
}

// Rate is statements per second.
type Rate struct {
	// Statements are all that Weir has answered: hits, misses, joined, and not cacheable.
	Statements   Figure `json:"statements"`
	Hits         Figure `json:"hits"`
	Misses       Figure `json:"misses"`
	Joined       Figure `json:"joined"`
	NotCacheable Figure `json:"not_cacheable"`
	// HitRatio is hits of all statements that may be cached, from 0 to 1; null if there were none.
	HitRatio Figure `json:"hit_ratio"`
}

// Lags is how long commits took to be in the ledger, over the last second and over the last minute.
type Lags struct {
	Second Lag `json:"second"`
	Minute Lag `json:"minute"`
	// Clock is microseconds or seconds: how finely the source tells when it committed.
	Clock string `json:"clock"`
}

// Lag is in seconds; null if nothing was committed.
type Lag struct {
	P50 Figure `json:"p50"`
	P99 Figure `json:"p99"`
	Max Figure `json:"max"`
	// Commits is of how many.
	Commits uint64 `json:"commits"`
}

// Bound is how old an answer from the cache may be at most.
type Bound struct {
	// CompleteAge is for how long the ledger is known to be complete; null if it is not.
	CompleteAge  Figure `json:"complete_age_seconds"`
	MaxStaleness Figure `json:"max_staleness_seconds"`
}

// Count is how often something was counted for that reason.
type Count struct {
	Reason    string `json:"reason"`
	PerSecond Figure `json:"per_second"` // over the last ten seconds
	Total     Figure `json:"total"`      // since the start
}

// Memory is of tier 1.
type Memory struct {
	Bytes     int64  `json:"bytes"`
	Budget    int64  `json:"budget"`
	Entries   int64  `json:"entries"`
	Evictions Figure `json:"evictions_per_second"` // over the last ten seconds
}

// Second is the second tier.
type Second struct {
	Configured bool `json:"configured"`
	// State says in words how it is; empty if there is none.
	State string `json:"state"`
	// Well says that all of its servers are asked.
	Well bool   `json:"well"`
	Hits Figure `json:"hits_per_second"`
}

// Backend is a server that answers reads.
type Backend struct {
	Addr string `json:"addr"`
	// Role is source or replica.
	Role string `json:"role"`
	Up   bool   `json:"up"`
	// Sentence says how it is, to people.
	Sentence string `json:"sentence"`
	// Lag is for how long, at least, it has lacked a change that is recorded; null if that cannot be told.
	Lag         Figure `json:"lag_seconds"`
	Outstanding int    `json:"outstanding"`
	// Connections are those that are open; null if that is not known.
	Connections Figure `json:"connections"`
}

// Statement is what is counted by its digest. Text has no literals.
type Statement struct {
	Digest string `json:"digest"`
	Text   string `json:"text"`
	Calls  Figure `json:"calls_per_second"`
	Hits   Figure `json:"hits_per_second"`
	// HitRatio is of the last ten seconds; null without calls.
	HitRatio Figure `json:"hit_ratio"`
	// P99 is of what servers took, since the start; null if none was asked.
	P99 Figure `json:"p99_seconds"`
}

// Table is what is counted by table.
type Table struct {
	Name    string `json:"name"`
	Reads   Figure `json:"reads_per_second"`
	Hits    Figure `json:"hits_per_second"`
	Changes Figure `json:"changes_per_second"`
	// Advice is what to make of it, in words; empty if there is nothing to say.
	Advice string `json:"advice"`
}

// DDL is a schema change that is seen to run, or that was recorded lately; newest first.
type DDL struct {
	Time time.Time `json:"time"`
	// End is when it had no more consequences; null while it has.
	End *time.Time `json:"end"`
	// Kind is alter_table and so on. Text is what is done to which tables, without what may be a literal.
	Kind   string   `json:"kind"`
	Text   string   `json:"text"`
	Tables []string `json:"tables"`
	// Effect is what it does to cached results; empty until it is recorded.
	Effect  string `json:"effect"`
	State   string `json:"state"`
	Running bool   `json:"running"`
	// Unservable is how many results it has ended.
	Unservable int `json:"unservable"`
}
