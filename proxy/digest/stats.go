package digest

import (
	"time"

	"weir/cache/dep"
)

// Stats are what is known of a digest, since it has a row.
type Stats struct {
	// Digest is its number, 16 hexadecimal digits; "others" of all that have no row.
	Digest string
	// Schema is the default database that it was sent in, Text the statement with ? in place of literals.
	Schema, Text string
	// Tables are what it reads, each as schema.table, views and what they read alike.
	Tables []string
	// Calls are all executions that Weir did not refuse: Hits, Misses, Joined, and those that were not cacheable.
	Calls, Hits, Misses, Joined uint64
	// Stores are results that were stored, Bytes what they have in all, keys apart.
	Stores, Bytes uint64
	// Refused are results that were read to be stored and were not, by reason, see [cache.Refusal]. NotCached are executions
	// that were sent on without a look at storing their result, by reason.
	Refused, NotCached map[string]uint64
	// Changed are stored results that a change is known to have ended.
	Changed uint64
	// BackendSeconds is what servers took for it. SavedSeconds is what they would have taken for the hits, and for those who
	// waited for the same answer, if each had taken as long as those that were sent, on average.
	BackendSeconds, SavedSeconds float64
	// P50 and P99 are of the servers' answers, at most a fifth too large.
	P50, P99 time.Duration
	// WouldHits are executions that would have been hits, and WouldBytes the bytes of results that would have been stored,
	// under query_cache_type: OBSERVE.
	WouldHits, WouldBytes uint64
	// Last is when it was executed last. Of hits that is noticed when somebody asks for Stats, or looks for a free row.
	Last time.Time
}

// OthersDigest is the Digest of what has no row of its own.
const OthersDigest = "others"

// Named is what identifies a digest, and what is shown of it.
type Named struct {
	// ID is the number of what the schema and the text are together.
	ID           uint64
	Schema, Text string
	Tables       []dep.Name
}

// TableStats are what statements did with one table: the sums over all digests that read it.
type TableStats struct {
	Table string // schema.table
	// Reads are Calls of statements that read it.
	Reads, Hits, Misses, Joined, Stores, NotCached, WouldHits uint64
	BackendSeconds, SavedSeconds                              float64
}
