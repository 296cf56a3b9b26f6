package catalog

import (
	"strings"
	"testing"

	"weir/cache/dep"
)

// tables reads names as in "s.a s.b".
func tables(text string) []dep.Name {
	var names []dep.Name
	for _, n := range strings.Fields(text) {
		names = append(names, nameOf(n))
	}
	return names
}

// Which names have to do with keys that are known: points 1, 2, 5, 7 and 9 of "Tables that move".
func TestPitfall4MovedTables(t *testing.T) {
	for _, tt := range []struct {
		name, child, parent, kind string
		moved                     string
		uncertain                 bool
	}{
		{"there are no keys", "", "", "", "s.t s.gho", false},
		{"keys of others", "s/a", "s/b", "33", "s.t s.gho s.del", false},
		{"a child", "s/t", "s/b", "33", "s.t s.gho", true},
		{"a parent", "s/a", "s/t", "4", "s.t s.gho", true},
		{"the last of the names", "s/a", "s/t", "33", "s.x s.y s.t", true},
		{"names in any case", "S/A", "S/T", "33", "s.t", true},
		{"the name of a parent that does not exist", "s/a", "s/missing", "33", "s.t s.missing", true},
		{"a name in between, which a list that is ahead has", "s/between", "s/p", "33", "s.t s.between s.u", true},
		{"a table that is being rebuilt", "s/#sql-alter-1dbc-71", "s/p", "33", "s.t s.u", true},
		{"a parent that is being rebuilt", "s/a", "s/#sql2-1-2", "33", "s.t s.u", true},
		{"a key that only forbids", "s/t", "s/b", "48", "s.t s.gho", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
				if tt.child != "" {
					f.keys = [][]string{{tt.child, tt.parent, tt.kind}}
				}
				f.at(10)
				c.Restart(10)
				settle()
				f.set(func() { f.position = 20 })
				c.Moved(20, tables(tt.moved))
				if c.Uncertain() != tt.uncertain {
					t.Errorf("uncertain: %v, want %v", c.Uncertain(), tt.uncertain)
				}
				for _, n := range tables(tt.moved) {
					if c.Relation(n).Kind != dep.Unknown {
						t.Errorf("%s is still believed to be what it was", n)
					}
				}
				f.at(20)
				settle()
				if c.Uncertain() || !c.State().Settled() {
					t.Error("it was not read again")
				}
			})
		})
	}
}

// MERGE tables and what they may join; a table that could not be read may be one.
func TestMovedTablesOfMerges(t *testing.T) {
	myISAM, merge, held := table{rawName{"s", "m"}, "BASE TABLE", "MyISAM"}, table{rawName{"s", "all"}, "BASE TABLE", "MRG_MyISAM"}, table{rawName{"s", "held"}, "BASE TABLE", ""}
	inno := table{rawName{"s", "t"}, "BASE TABLE", "InnoDB"}
	for _, tt := range []struct {
		all  []table
		want string
	}{
		{[]table{myISAM, inno}, ""},
		{[]table{merge, inno}, "s.all"},
		{[]table{myISAM, merge, inno}, "s.all s.m"},
		{[]table{myISAM, held, inno}, "s.held s.m"},
	} {
		s := (&facts{tables: tt.all}).assemble()
		var got []string
		for _, n := range tables("s.all s.held s.m s.t s.nosuch") {
			if s.related(n) {
				got = append(got, n.String())
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("of %v there take part %q, want %q", tt.all, got, tt.want)
		}
	}
}

// TestPitfall11SwapOfTablesWithoutKeys: what is known of others, foreign keys among it, stays so all the time while a swap
// is applied, in one statement or in several, with a shadow table that was made just before.
func TestPitfall11SwapOfTablesWithoutKeys(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.keys = [][]string{{"s/a", "s/t", "33"}}
		f.at(10)
		c.Restart(10)
		settle()
		f.set(func() { f.position = 50 })
		for _, step := range []func(){
			func() { c.Changed(20, tables("s.gho"), nil, false, false) }, // CREATE TABLE gho LIKE u
			func() { c.Moved(30, tables("s.u s.del s.gho")) },            // RENAME TABLE u TO del, gho TO u
			func() { c.Moved(40, tables("s.u s.old")) },                  // ALTER TABLE u RENAME TO old
			func() { c.Changed(50, tables("s.del"), nil, false, false) }, // DROP TABLE del
		} {
			step()
			columns, known := c.Referenced(nameOf("s.t"))
			if c.Uncertain() || !known || len(columns) != 1 || namesText(c.Cascades(nameOf("s.t"))) != "s.a" || c.Relation(viewV).Kind != dep.View {
				t.Fatalf("uncertain: %v, columns of s.t known: %v, s.v is %v", c.Uncertain(), known, c.Relation(viewV).Kind)
			}
		}
	})
}

// TestPitfall4MovedWhileAKeyIsAdded is point 3: the load has seen the key under its old name only.
func TestPitfall4MovedWhileAKeyIsAdded(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.set(func() { f.keys, f.hold = [][]string{{"s/u", "s/t", "33"}}, hold })
		f.at(20)
		c.Changed(20, tables("s.u"), nil, false, true)
		settle() // the load waits
		f.at(30)
		c.Moved(30, tables("s.u s.b"))
		next := make(chan struct{})
		f.set(func() { f.hold = next })
		close(hold)
		settle()
		if got := namesText(c.Cascades(tableT)); got != "s.u" || !c.Uncertain() {
			t.Errorf("with the keys of before RENAME, which reach %q, uncertain: %v", got, c.Uncertain())
		}
		f.set(func() { f.keys = [][]string{{"s/b", "s/t", "33"}} })
		close(next)
		settle()
		if got := namesText(c.Cascades(tableT)); got != "s.b s.u" || c.Uncertain() { // both lists count
			t.Errorf("with the keys of after RENAME, which reach %q, uncertain: %v", got, c.Uncertain())
		}
	})
}

// TestPitfall4MovedDuringALoad is point 2 with a load that was under way: it has the key under its old name, and does not
// settle the RENAME.
func TestPitfall4MovedDuringALoad(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.keys = [][]string{{"s/a", "s/t", "33"}}
		f.at(10)
		c.Restart(10)
		settle()
		hold := make(chan struct{})
		f.set(func() { f.hold = hold })
		f.at(20)
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		f.at(30)
		c.Moved(30, tables("s.t s.t2"))
		next := make(chan struct{})
		f.set(func() { f.hold = next })
		close(hold)
		settle()
		if !c.Uncertain() {
			t.Error("the load of before is believed to have the new name of the parent")
		}
		f.set(func() { f.keys = [][]string{{"s/a", "s/t2", "33"}} })
		close(next)
		settle()
		if got := namesText(c.Cascades(nameOf("s.t2"))); got != "s.a" || c.Uncertain() {
			t.Errorf("changes of the parent reach %q, uncertain: %v", got, c.Uncertain())
		}
	})
}

// TestPitfall4DroppedTables is point 8: what was known of keys counts until they have been read again, and is enough.
func TestPitfall4DroppedTables(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.keys = [][]string{{"s/a", "s/t", "33"}}
		f.at(10)
		c.Restart(10)
		settle()
		f.set(func() { f.keys, f.position = nil, 20 })
		c.Changed(20, tables("s.a"), nil, false, false)
		if got := namesText(c.Cascades(tableT)); got != "s.a" || c.Uncertain() {
			t.Errorf("changes of the parent reach %q, uncertain: %v", got, c.Uncertain())
		}
		f.at(20)
		settle()
		if got := namesText(c.Cascades(tableT)); got != "" || !c.State().Settled() {
			t.Errorf("after the load, changes of the parent reach %q", got)
		}
	})
}

// A table of which it is not certain that it has a primary key has none.
func TestHasPrimaryKey(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		if !c.HasPrimaryKey(tableT) || c.HasPrimaryKey(nameOf("s.u")) || c.HasPrimaryKey(viewV) || c.HasPrimaryKey(nameOf("s.nosuch")) {
			t.Error("only s.t has a primary key")
		}
		f.set(func() { f.position = 30 })
		c.Reindexed(20, tables("s.t"))
		if !c.HasPrimaryKey(tableT) {
			t.Error("other indexes leave the primary key")
		}
		c.Changed(30, tables("s.t"), nil, false, false)
		if c.HasPrimaryKey(tableT) {
			t.Error("the statement may have dropped it")
		}
	})
}
