package explain

import "time"

// Verdict says in one word what happens to a statement that is sent now.
type Verdict string

// Verdicts.
const (
	// Cached: it is answered from memory, or from the second tier.
	Cached Verdict = "cached"
	// Storable: a server answers it, and the result is kept if nothing speaks against that which shows only
	// in the response.
	Storable Verdict = "storable"
	// NotNow: its result could be kept, but not in this state of the session, or of Weir.
	NotNow Verdict = "not_now"
	// NotCacheable: its result is never kept.
	NotCacheable Verdict = "not_cacheable"
	// Refused: Weir does not let it pass.
	Refused Verdict = "refused"
)

// Sentence says it to people.
func (v Verdict) Sentence() string {
	switch v {
	case Cached:
		return "cached: it is answered from the cache."
	case Storable:
		return "storable: its result will be kept."
	case NotNow:
		return "not now: its result can be kept, but not as things are."
	case NotCacheable:
		return "not cacheable: a server answers it each time."
	}
	return "refused: Weir does not run it."
}

// Explanation is what Weir does with a statement, and why.
type Explanation struct {
	Verdict Verdict `json:"verdict"`
	// Reason is the label under which metrics count it; empty if nothing speaks against caching.
	Reason string `json:"reason"`
	// Sentence says the reason to people, and Detail names the function, table or setting.
	Sentence string `json:"sentence"`
	Detail   string `json:"detail"`

	Tables    []Table      `json:"tables"`
	DependsOn []Dependency `json:"depends_on"`
	Key       Key          `json:"key"`
	Entry     Entry        `json:"entry"`
	// LastChange is the last one to what the result depends on; nil if none is known.
	LastChange *Change   `json:"last_change"`
	SoFar      SoFar     `json:"so_far"`
	Staleness  Staleness `json:"staleness"`
}

// Table is one that the statement reads.
type Table struct {
	Name string `json:"name"`
	// View says that it is one; Reads are then the base tables behind it.
	View  bool     `json:"view"`
	Reads []string `json:"reads"`
}

// Dependency is what the result takes from one table.
type Dependency struct {
	Table string `json:"table"`
	// Grain is table, columns, range or row.
	Grain string `json:"grain"`
	Words string `json:"words"`
}

// Key is the session's part of the key: who shares the result.
type Key struct {
	// Account is the user's name, ServerAccount what a server calls it, Roles those that it has from the login on.
	Account       string    `json:"account"`
	ServerAccount string    `json:"server_account"`
	Roles         string    `json:"roles"`
	Schema        string    `json:"schema"`
	Protocol      string    `json:"protocol"`
	Collation     string    `json:"collation"`
	Settings      []Setting `json:"settings"`
	Capabilities  []string  `json:"capabilities"`
}

// Setting is a session variable that the client has set.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Tiers in which an entry may be.
const (
	InMemory = "memory"
	InRedis  = "redis"
	Nowhere  = "none"
)

// Entry is what there is for the statement in this session.
type Entry struct {
	Tier string `json:"tier"`
	// Servable says that it may be served now; Why names the reason if not.
	Servable bool   `json:"servable"`
	Why      string `json:"why"`
	// Changed says in words what of the result changed, if that is why.
	Changed string  `json:"changed"`
	Age     Seconds `json:"age_seconds"`
	AsOf    Place   `json:"as_of"`
	// Hits are at least so many.
	Hits  uint64  `json:"hits"`
	Bytes int64   `json:"bytes"`
	Rate  float64 `json:"hits_per_second"`
}

// Place is one in the source's change stream.
type Place struct {
	// Seq is the number of the binlog file and the position in it.
	Seq string `json:"seq"`
	// Position is file:position as the source names it; empty if that is not remembered.
	Position string `json:"position"`
}

// Change is a transaction that changed something of what the result depends on.
type Change struct {
	Place
	GTID string `json:"gtid"`
	// Tables are those that the transaction changed, as far as they are remembered.
	Tables []TableChange `json:"tables"`
	// Everything says why the transaction counts as a change to everything; empty if it does not.
	Everything string `json:"everything"`
	// Committed is when, by the source's clock, and Recorded by Weir's; zero if that is not remembered.
	Committed time.Time `json:"committed"`
	Recorded  time.Time `json:"recorded"`
	// Ago is how long ago it was recorded.
	Ago Seconds `json:"seconds_ago"`
}

// TableChange is what a transaction did to one table.
type TableChange struct {
	Name string `json:"name"`
	// Kind is insert, update, delete, ddl, statement, cascade, or rows; several are joined by +.
	Kind string `json:"kind"`
	Rows int    `json:"rows"`
}

// SoFar is what is counted of all statements that differ from this one in their literals alone, whoever asked.
type SoFar struct {
	Calls  uint64 `json:"calls"`
	Hits   uint64 `json:"hits"`
	Stores uint64 `json:"stores"`
	// Refused are results that were read to be stored and were not, by reason, NotCached executions of which that was not to be.
	Refused   map[string]uint64 `json:"refused"`
	NotCached map[string]uint64 `json:"not_cached"`
}

// Staleness is how old an answer from the cache could be.
type Staleness struct {
	// Bound is how old it may be in this session.
	Bound Seconds `json:"bound_seconds"`
	// Complete is how long ago the moment was as of which every change is known; an answer now would lack nothing older. It
	// is nil if there is no such moment.
	Complete *Seconds `json:"complete_seconds"`
	// Current says that this is within the bound.
	Current bool `json:"current"`
}

// Seconds is a duration, as a number of seconds in JSON.
type Seconds float64

// SecondsOf returns d in seconds.
func SecondsOf(d time.Duration) Seconds { return Seconds(d.Seconds()) }

// Duration returns it as a duration.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }
