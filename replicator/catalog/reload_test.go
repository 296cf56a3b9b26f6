package catalog

import (
	"fmt"
	"strings"
	"testing"

	"weir/cache"
	"weir/cache/dep"
)

// queriesSince returns the queries that the fake was asked since it had been asked so many.
func (f *fakeSource) queriesSince(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[n:]
}

// TestOnlyWhatChangedIsReadAgain: a definition that the source changed in secret shows whether its name was read.
func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	var many []dep.Name
	for i := range maxNames {
		many = append(many, nameOf(fmt.Sprintf("other.t%d", i)))
	}
	for _, tt := range []struct {
		name    string
		names   []dep.Name
		schemas []string
		all     bool
		grants  string
		whole   bool
	}{
		{name: "one name", names: []dep.Name{viewV}},
		{name: "a name that does not exist, too", names: []dep.Name{viewV, nameOf("s.nosuch"), nameOf("nowhere.v")}},
		{name: "as many as are read by themselves", names: append(many[1:], viewV)},
		{name: "more names", names: append(many, viewV), whole: true},
		{name: "a schema, too", names: []dep.Name{viewV}, schemas: []string{"other"}, whole: true},
		{name: "everything", all: true, whole: true},
		{name: "privileges have changed", names: []dep.Name{viewV}, grants: "GRANT SELECT, PROCESS, SHOW VIEW ON *.* TO `weir`@`%`", whole: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
				f.redefine("v", "select 20")
				f.redefine("w", "select 20")
				if tt.grants != "" {
					f.set(func() { f.grants = tt.grants })
				}
				f.at(20)
				c.Changed(20, tt.names, tt.schemas, tt.all, false)
				settle()
				expect(t, c, viewV, "select 20")
				expect(t, c, viewW, map[bool]string{true: "select 20", false: "select 2"}[tt.whole])
				if !c.State().Settled() {
					t.Error("something is still marked")
				}
			})
		})
	}
}

// A name that is gone is not known any more, and nothing of it is.
func TestReloadForgetsWhatIsGone(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.set(func() { delete(f.views, "v") })
		f.at(20)
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		expect(t, c, viewV, "")
		if note := c.State().Note(viewV); note != "" {
			t.Errorf("it does not exist, and %s", note)
		}
	})
}

// A name that a statement held is read again by itself, with those that have changed.
func TestReloadOfLockedNames(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.locked = []string{"busy"}
		f.at(10)
		c.Restart(10)
		settle()
		before := f.queryCount()
		f.set(func() { f.locked = nil; f.views["busy"] = "select 3" })
		f.at(20)
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		expect(t, c, nameOf("s.busy"), "select 3")
		if c.State().snapshot.Locked() != 0 {
			t.Error("it still counts as locked")
		}
		for _, sql := range f.queriesSince(before) {
			if strings.Contains(sql, "FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN") && !strings.Contains(sql, "LOWER(") {
				t.Errorf("everything was read: %s", sql)
			}
		}
	})
}

// TestPitfall16ShapeOfNow: from the moment of a change to the moment it has been read, nobody is told of columns, or
// to which of them foreign keys refer.
func TestPitfall16ShapeOfNow(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.set(func() { f.keys = [][]string{{"s/u", "s/t", "4"}} })
		for i, mark := range []func(seq cache.Seq){
			func(seq cache.Seq) { c.Changed(seq, []dep.Name{tableT}, nil, false, false) },
			func(seq cache.Seq) { c.Changed(seq, nil, []string{"s"}, false, false) },
			func(seq cache.Seq) { c.Changed(seq, nil, nil, true, true) },
		} {
			seq := cache.Seq(20 + i)
			mark(seq)
			if s := c.Shape(tableT); s != nil {
				t.Errorf("%d: while it changes its shape is %s", seq, shapeText(s))
			}
			if columns, known := c.Referenced(tableT); known || columns != nil {
				t.Errorf("%d: while it changes foreign keys refer to %q", seq, columns)
			}
			f.at(seq)
			settle()
			if got := shapeText(c.Shape(tableT)); got != "id:int primary(id)" {
				t.Errorf("%d: its shape is %s", seq, got)
			}
			if columns, known := c.Referenced(tableT); !known || strings.Join(columns, " ") != "id" {
				t.Errorf("%d: foreign keys refer to %q, known: %v", seq, columns, known)
			}
		}
		c.Changed(50, nil, nil, false, true)
		if _, known := c.Referenced(tableT); known || c.Shape(tableT) == nil {
			t.Errorf("while foreign keys are uncertain, they are known: %v; the shape is %s", known, shapeText(c.Shape(tableT)))
		}
		before := f.queryCount()
		f.set(func() { f.keys = nil })
		f.at(50)
		settle()
		if columns, known := c.Referenced(tableT); !known || len(columns) > 0 {
			t.Errorf("without foreign keys, they refer to %q, known: %v", columns, known)
		}
		for _, sql := range f.queriesSince(before) {
			if strings.Contains(sql, "information_schema.COLUMNS") {
				t.Errorf("only foreign keys may have changed, and columns were read: %s", sql)
			}
		}
	})
}
