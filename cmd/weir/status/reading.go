package status

import "time"

// Reading is what a Weir says of itself at one moment. Making one must not wait for anything: no server, no Redis.
type Reading struct {
	At time.Time
	// Now is passed on as it is. What [Sampler] works out is left empty in it: rates, lags of the minute, Refused, History.
	Now Overview
	// Lag is of the commits since the reading before.
	Lag Lag
	// Lags are all commits since the start, by how long they took; nil if that is not counted.
	Lags []Bucket

	Counted Counted
	// Statements and Tables are nil in readings that did not look at them: there are many, and they are looked at less often.
	Statements []StatementCounts
	Tables     []TableCounts
}

// Counted only grows, as long as the process lives.
type Counted struct {
	Hits, Misses, Joined, NotCacheable Figure
	SecondHits, Evictions              Figure
	Refused                            map[string]Figure
}

// Bucket says how many there were up to Le, those of smaller buckets included.
type Bucket struct {
	Le    Figure
	Count uint64
}

// StatementCounts is what is counted of statements with one digest.
type StatementCounts struct {
	Digest, Text string
	Calls, Hits  Figure
	// Cost is the seconds that servers spent, and Saved those that hits saved them.
	Cost, Saved Figure
	P99         Figure
}

// TableCounts is what is counted of a table.
type TableCounts struct {
	Name                 string
	Reads, Hits, Changes Figure
	Advice               string
}
