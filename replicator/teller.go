package replicator

import (
	"slices"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache/dep"
	"weir/replicator/change"
)

const (
	// maxTags is how many tags a transaction may touch before the tables whose rows follow count as a whole: half a
	// mebibyte, and a touch of each.
	maxTags = 1 << 16
	// maxPlans is how many tables are remembered. Ids of tables grow with every DDL and every FLUSH TABLES.
	maxPlans = 4096
)

// teller turns events with rows into tags. It belongs to one stream. A nil teller tells every change as one to the table.
type teller struct {
	watch  *dep.Watch
	schema RowSchema
	counts toldCounters

	plans   map[uint64]*plan // by the table's id
	inflate inflater
}

func newTeller(p *Precision, counts toldCounters) *teller {
	if p == nil {
		return nil
	}
	return &teller{watch: p.Watch, schema: p.Schema, counts: counts, plans: map[uint64]*plan{}}
}

// tell notes what an event with rows, of a table that the binlog has named, changes.
func (l *teller) tell(t *change.Transaction, raw *replication.BinlogEvent, e *replication.RowsEvent) {
	if l == nil {
		n := dep.Fold(string(e.Table.Schema), string(e.Table.Table))
		touchRows(t, n)
		t.Did(n, verbOf(raw), 0)
		return
	}
	p := l.planOf(e.Table)
	if p.name.Schema == "mysql" {
		touchRows(t, p.name)
		return
	}
	l.counts[l.tellBy(p, t, raw, e)].Inc()
}

// tellBy leaves a table alone that the transaction has touched as a whole already: rows cannot add to that.
func (l *teller) tellBy(p *plan, t *change.Transaction, raw *replication.BinlogEvent, e *replication.RowsEvent) told {
	if slices.Contains(t.Tables, p.name) {
		t.Did(p.name, verbOf(raw), 0)
		return p.said
	}
	how := p.whole
	if how == toldByRows {
		how = l.rows(p, t, raw, e)
	} else {
		t.Touch(p.name)
		t.Did(p.name, verbOf(raw), 0)
	}
	p.said = how
	return how
}

// rows reads the rows of an event. What cannot be read, or is too much, touches the table as a whole, which makes the tags
// of its rows needless.
func (l *teller) rows(p *plan, t *change.Transaction, raw *replication.BinlogEvent, e *replication.RowsEvent) told {
	ev, ok := l.open(p, raw, e)
	s := saying{plan: p, kind: ev.kind, guess: ev.guess, tags: t.Tags, how: p.coarse, reached: p.children == childrenOfAny}
	for ok && len(ev.data) > 0 && !s.settled() && len(s.tags) < maxTags {
		if ok = p.next(&ev); ok {
			s.row()
		}
	}
	t.Did(p.name, verbOf(raw), s.rows)
	switch {
	case !ok:
		s.how = notRead
	case len(s.tags) >= maxTags:
		s.how = tooMany
	case !s.settled():
		t.Tags = s.tags
		s.byRows(t)
		return s.how
	}
	t.Touch(p.name)
	return s.how
}

// planOf returns the plan for a table as it is now. It asks the watch before anything else, which thereby knows that a
// transaction is open.
func (l *teller) planOf(m *replication.TableMapEvent) *plan {
	p := l.plans[m.TableID]
	if p == nil || !p.about(m) {
		p = newPlan(m)
	}
	watched, version := l.watch.Decoding(p.name), l.schema.Version()
	if p != l.plans[m.TableID] || p.watched != watched || p.version != version {
		p.compile(l.schema, watched, version)
		l.keep(m.TableID, p)
	}
	return p
}

func (l *teller) keep(id uint64, p *plan) {
	if len(l.plans) >= maxPlans {
		clear(l.plans)
	}
	l.plans[id] = p
}
