package timeline

import (
	"maps"
	"slices"
	"time"

	"weir/cache"
)

// State is how far a schema change has come.
type State string

// The states. A change that needs no refill goes from Committed to Done.
const (
	Running   State = "running"
	Vanished  State = "vanished" // it runs no more, and no commit has been read from the binlog yet
	Committed State = "committed"
	Refilling State = "refilling" // what it made unservable is being read again
	Done      State = "done"
)

// Event is one schema change. Times are zero while unknown.
type Event struct {
	ID        uint64 // from 1, in the order in which events were made
	Statement string // its text, cut after 1 KiB
	Kind      string // alter_table and so on
	Effect    string // the class of what it does to results; empty until it is recorded
	Tables    []string
	Server    string // where it was seen first; the source for what comes from the binlog
	Source    bool   // that is the server whose binlog is read
	Tool      string // gh-ost, pt-online-schema-change, or empty
	State     State

	Seen      time.Time // by Weir, by whichever witness came first
	Started   time.Time // on Server, by what that says
	Committed time.Time // by the source's clock; MariaDB's binlog does not tell it, but when the statement began
	Recorded  time.Time // in the ledger; from here on no result from before is served, unless the effect is none
	Vanished  time.Time // when it was found to run no more, if that was before it was recorded
	Seq       cache.Seq // zero until it is recorded

	Applying map[string]time.Time // replica: when it began to apply it, if that was seen
	Applied  map[string]time.Time // server: when it was first known to have applied it

	Unservable int // entries that became unservable
	Refill     Refill
	PoolLow    map[string]float64 // server: the lowest hit ratio of its buffer pool from the beginning until the end of the refill
	Waited     time.Duration      // for metadata locks
	Blocker    string             // who held them, in words

	flew bool // it was seen to run
}

// Refill is the time in which results were read again.
type Refill struct {
	Began, Ended time.Time
	Statements   int // that were read
	PeakLimit    int // the most that were allowed at one time
}

const (
	maxStatement = 1 << 10
	maxTables    = 64
)

// bounded is e with no more than its bounds allow, in the form in which events are compared, sharing nothing with e.
func (e Event) bounded() Event {
	e = e.clone()
	if len(e.Statement) > maxStatement {
		e.Statement = e.Statement[:maxStatement]
	}
	slices.Sort(e.Tables)
	if len(e.Tables) > maxTables {
		e.Tables = e.Tables[:maxTables]
	}
	if e.Seen.IsZero() {
		e.Seen = time.Now()
	}
	return e
}

func (e Event) clone() Event {
	e.Tables = slices.Clone(e.Tables)
	e.Applying, e.Applied, e.PoolLow = maps.Clone(e.Applying), maps.Clone(e.Applied), maps.Clone(e.PoolLow)
	return e
}

// Begins is when the change began, as far as is known.
func (e Event) Begins() time.Time {
	if !e.Started.IsZero() {
		return e.Started
	}
	return e.Seen
}

// Ends is when it had no more consequences; zero if it may have some still.
func (e Event) Ends() time.Time {
	switch e.State {
	case Running, Refilling:
		return time.Time{}
	case Vanished:
		return e.Vanished
	}
	if !e.Refill.Ended.IsZero() {
		return e.Refill.Ended
	}
	return e.Recorded
}
