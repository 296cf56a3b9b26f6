package catalog

import (
	"testing"

	"weir/cache"
	"weir/cache/dep"
)

const (
	withoutIndex = "id:int primary(id)"
	withIndex    = "id:int primary(id) unique(id)"
)

// expectShape checks the shape of s.t; empty is that nothing is known.
func expectShape(t *testing.T, c *Catalog, when, want string) {
	t.Helper()
	got := ""
	if s := c.Shape(tableT); s != nil {
		got = shapeText(s)
	}
	if got != want {
		t.Errorf("%s the shape is %q, want %q", when, got, want)
	}
}

// reindex has the source change the indexes of s.t at seq, which the stream tells at once, and the source shows later.
func (f *fakeSource) reindex(c *Catalog, seq cache.Seq, indexes ...string) {
	f.set(func() { f.position = seq })
	c.Reindexed(seq, []dep.Name{tableT})
	f.set(func() { f.head, f.indexes = seq, indexes })
}

// shows has the source show all that its binlog has.
func (f *fakeSource) shows(seq cache.Seq) { f.set(func() { f.visible = seq }) }

// Between a change of indexes and the load that has it, columns are known and keys are not.
func TestReindexedTableIsKnown(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		before := c.Version()
		f.reindex(c, 20, "k")
		settle()
		if c.Version() == before {
			t.Error("the answers have changed and the version has not")
		}
		expectShape(t, c, "after CREATE INDEX", withoutIndex)
		f.shows(20)
		settle()
		expectShape(t, c, "after a load", withIndex)

		f.reindex(c, 30)
		settle()
		expectShape(t, c, "after DROP INDEX", withoutIndex)
		if r := shapeless(c.Relation(tableT)); r != (dep.Relation{Kind: dep.BaseTable, Triggers: true, Versioned: true}) {
			t.Errorf("it is %+v", r)
		}
		if _, known := c.Triggers(tableT); !known || c.IsView(tableT) || !c.IsInnoDB(tableT) || c.Uncertain() || c.State().Settled() {
			t.Error("more than its indexes is unknown, or nothing is")
		}
		if _, known := c.Referenced(tableT); !known {
			t.Error("its foreign keys are not known")
		}
		f.shows(30)
		settle()
		if expectShape(t, c, "after a load", withoutIndex); !c.State().Settled() {
			t.Error("something is still marked")
		}
	})
}

// TestPitfall16ColumnsBehindIndexes: a load for the sake of an index has seen a change of columns that is still on its way.
//
//  1. CREATE INDEX at 20 is applied. The load begins.
//  2. ALTER TABLE ... ADD COLUMN at 30: the load has seen it, the stream has not come to it.
//  3. What was loaded must not be the answer before 30 is applied; and then the name is unknown, until it is read again.
func TestPitfall16ColumnsBehindIndexes(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.asked = func() { f.set(func() { f.position = 30 }) }
		f.set(func() { f.position = 25 })
		f.reindex(c, 20, "k")
		f.set(func() { f.position, f.visible = 30, 30 })
		settle()
		expectShape(t, c, "while the stream is at 20,", withoutIndex)
		c.Changed(30, []dep.Name{tableT}, nil, false, false)
		expectShape(t, c, "once its columns have changed", "")
		f.set(func() { f.head, f.visible = 30, 20 })
		settle()
		expectShape(t, c, "after the first load", "")
		f.shows(30)
		settle()
		expectShape(t, c, "after the second load", withIndex)
	})
}

// A change of the whole name counts for more, whichever came first.
func TestChangedAndReindexed(t *testing.T) {
	for name, marks := range map[string][2]func(*Catalog, cache.Seq){
		"first the name":    {changedT, reindexedT},
		"first its indexes": {reindexedT, changedT},
	} {
		t.Run(name, func(t *testing.T) {
			loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
				f.set(func() { f.position = 30 })
				marks[0](c, 20)
				marks[1](c, 30)
				f.set(func() { f.head, f.indexes = 30, []string{"k"} })
				settle()
				expectShape(t, c, "before the load", "")
				f.shows(30)
				settle()
				expectShape(t, c, "after it", withIndex)
			})
		})
	}
}

func changedT(c *Catalog, seq cache.Seq) { c.Changed(seq, []dep.Name{tableT}, nil, false, false) }

func reindexedT(c *Catalog, seq cache.Seq) { c.Reindexed(seq, []dep.Name{tableT}) }

// A load that ran while indexes changed once more does not settle that change.
func TestReindexedDuringALoad(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.set(func() { f.hold = hold })
		f.reindex(c, 20, "k")
		f.shows(20)
		settle() // the load waits with its query for views
		f.reindex(c, 30)
		f.set(func() { f.hold = nil })
		close(hold)
		settle()
		expectShape(t, c, "after the first load", withoutIndex)
		f.set(func() { f.indexes = []string{"other"} })
		f.shows(30)
		settle()
		expectShape(t, c, "after the second load", withIndex)
	})
}

// What else the catalogue says of columns does not depend on keys.
func TestWithoutIndexes(t *testing.T) {
	s := dep.NewShape([]dep.Column{{Name: "a"}, {Name: "b"}}, []dep.Key{{Columns: []int{1}, Primary: true, Unique: true}, {Columns: []int{0}, Unique: true}})
	bare := s.WithoutIndexes()
	if at, ok := bare.Find("B"); !ok || at != 1 || len(bare.Keys) != 1 || len(bare.Primary()) != 1 || len(s.Keys) != 2 {
		t.Errorf("got %+v of %+v", bare, s)
	}
	if none := dep.NewShape(s.Columns, s.Keys[1:]).WithoutIndexes(); len(none.Keys) != 0 {
		t.Errorf("a table without a primary key has the keys %+v", none.Keys)
	}
	if (*dep.Shape)(nil).WithoutIndexes() != nil {
		t.Error("an unknown shape becomes known")
	}
}
