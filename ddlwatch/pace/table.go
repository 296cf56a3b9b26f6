package pace

import (
	"slices"
	"time"

	"weir/cache/dep"
)

// table is what is known of the reads of one table. The lock guards all of it but what never changes.
type table struct {
	name  dep.Name
	leave func() // for a read of this table alone; made once, so that such a read allocates nothing

	inside  int       // reads at servers
	waiting int       // readers that read this table and wait, at whichever table
	moved   time.Time // when a read came back last, or fewer than StallReads were at servers
	trusted time.Time // until when slow reads of it are no suspicion, and its window is no limit
	width   int       // of its window, see window; never below StallReads
	used    time.Time // when more than half of a window above StallReads was used last
	round   uint64    // the round of RefillAll that it has seen
	gate    *gate     // nil if none is up
}

// idle says that nobody has a pointer to it.
func (t *table) idle() bool { return t.inside == 0 && t.waiting == 0 && t.gate == nil }

// manyTables is up to how many tables are kept without a look at whether anybody reads them.
const manyTables = 4096

// find appends the tables with the given names, each once: a read that counted twice could wait for itself. The lock is
// held.
func (g *Gates) find(dst []*table, names []dep.Name) []*table {
	for _, n := range names {
		t := g.table(n)
		if slices.Contains(dst, t) {
			continue
		}
		g.joinRound(t)
		dst = append(dst, t)
	}
	return dst
}

// table returns the table of a name. Until the lock is given back, it is not forgotten. The lock is held.
func (g *Gates) table(n dep.Name) *table {
	if t := g.tables[n]; t != nil {
		return t
	}
	t := &table{name: n, width: g.cfg.StallReads}
	t.leave = func() { g.leave(t) }
	g.tables[n] = t
	return t
}

// forget forgets tables that nobody reads, if there are many: clients may ask for any name. The lock is held, and only
// by who has no pointer to an idle table.
func (g *Gates) forget() {
	if len(g.tables) < g.crowded {
		return
	}
	for n, t := range g.tables {
		if t.idle() {
			delete(g.tables, n)
		}
	}
	g.crowded = max(manyTables, 2*len(g.tables))
}
