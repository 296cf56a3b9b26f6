package recent

import (
	"slices"
	"strings"
	"time"

	"weir/cache/dep"
	"weir/replicator/change"
)

// MaxTables is how many tables are counted one by one. Those that come when there are so many are counted together.
const MaxTables = 1 << 12

// Others is the name under which these are.
var others = dep.Name{Table: "others"}

// TableTally counts how often one table changed since the start.
type TableTally struct {
	// Name is the table's; {"", "others"} stands for all that are not counted one by one.
	Name dep.Name
	// Transactions are those that changed it. RowChanges are the rows of it that were counted, see [TableChange].
	Transactions, RowChanges uint64
	// Touches are the transactions that changed it in a way that rows do not tell: DDL, statements in text, foreign keys.
	Touches uint64
	// Last is when it changed last.
	Last time.Time
}

type tally struct {
	tables map[dep.Name]*TableTally
	others TableTally
}

func newTally() tally {
	return tally{tables: map[dep.Name]*TableTally{}, others: TableTally{Name: others}}
}

// wholly are the verbs that are not told by rows.
const wholly = change.DDL | change.InText | change.Cascade

// count notes that a table changed, and returns its name, always the same copy for those that are counted one by one.
func (ts *tally) count(d change.Deed, now time.Time) dep.Name {
	t, name := ts.of(d.Name), d.Name
	if t != &ts.others {
		name = t.Name
	}
	t.Transactions++
	t.RowChanges += uint64(d.Rows)
	if d.Verb&wholly != 0 {
		t.Touches++
	}
	t.Last = now
	return name
}

func (ts *tally) of(n dep.Name) *TableTally {
	t := ts.tables[n]
	if t != nil {
		return t
	}
	if len(ts.tables) >= MaxTables {
		return &ts.others
	}
	n = dep.Name{Schema: strings.Clone(n.Schema), Table: strings.Clone(n.Table)}
	t = &TableTally{Name: n}
	ts.tables[n] = t
	return t
}

// Tables returns the counts of all tables, by name, and last those of the others if there are any.
func (l *Log) Tables() []TableTally {
	l.mu.Lock()
	all := make([]TableTally, 0, len(l.tally.tables)+1)
	for _, t := range l.tally.tables {
		all = append(all, *t)
	}
	rest := l.tally.others
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b TableTally) int { return strings.Compare(a.Name.String(), b.Name.String()) })
	if rest.Transactions > 0 {
		all = append(all, rest)
	}
	return all
}
