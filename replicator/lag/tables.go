package lag

import (
	"math/bits"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
)

const (
	// busiest is how many tables have labels of their own, if they change most.
	busiest = 20
	// maxNamed is how many ever get one: a label, once exported, stays, so that no counter falls.
	maxNamed = 100
	// maxCounted bounds the tables that are counted at all.
	maxCounted = 4096
	// others is the label of all other tables. No table's name is without a dot.
	others = "others"
)

// Tables counts changes, and how long they took until they were recorded, by table. A table gets a label of its own when it
// is among the 20 that change most; what it had before stays with the others. It is for any number of goroutines.
type Tables struct {
	seconds *prometheus.SummaryVec

	mu     sync.Mutex
	counts map[dep.Name]*tally
	named  []*tally
}

type tally struct {
	changes uint64
	label   string // others, or the table's own
}

// NewTables returns one that has counted nothing. A nil registerer counts without exporting.
func NewTables(reg prometheus.Registerer) *Tables {
	t := &Tables{counts: map[dep.Name]*tally{}, seconds: prometheus.NewSummaryVec(prometheus.SummaryOpts{
		Name: "weir_table_commit_to_ledger_seconds",
		Help: "Sum and number of the times from a commit on the source to its record in the ledger, by table that the transaction changed: the 20 that change most, and others.",
	}, []string{"table", "clock"})}
	if reg != nil {
		reg.MustRegister(t.seconds)
	}
	return t
}

// Observe counts a transaction that changed the tables of both lists; a table may be in both. clock says how finely the
// source tells when it committed.
func (t *Tables) Observe(took time.Duration, clock string, lists ...[]dep.Name) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, names := range lists {
		for _, n := range names {
			if !inAny(lists[:i], n) {
				t.seconds.WithLabelValues(t.label(n), clock).Observe(took.Seconds())
			}
		}
	}
}

func inAny(lists [][]dep.Name, n dep.Name) bool {
	for _, names := range lists {
		for _, other := range names {
			if other == n {
				return true
			}
		}
	}
	return false
}

// label counts a change of the table. Whether it deserves a label of its own is looked at each time that its changes have
// doubled.
func (t *Tables) label(n dep.Name) string {
	c := t.counts[n]
	switch {
	case c == nil && len(t.counts) >= maxCounted:
		return others
	case c == nil:
		c = &tally{label: others}
		t.counts[n] = c
	}
	c.changes++
	if c.label == others && bits.OnesCount64(c.changes) == 1 && t.deserves(c.changes) {
		c.label = n.String()
		t.named = append(t.named, c)
	}
	return c.label
}

// deserves reports whether fewer than 20 tables that have a label have at least so many changes.
func (t *Tables) deserves(changes uint64) bool {
	busier := 0
	for _, c := range t.named {
		if c.changes >= changes {
			busier++
		}
	}
	return busier < busiest && len(t.named) < maxNamed
}
