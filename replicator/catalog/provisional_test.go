package catalog

import (
	"testing"

	"weir/cache/dep"
)

// foreseen is run with a catalogue whose stream begins at 10, while the source, and with it what was foreseen, is at 50.
// There is a foreign key from s.a to s.t.
func foreseen(t *testing.T, test func(t *testing.T, f *fakeSource, c *Catalog)) {
	t.Helper()
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(50)
		f.set(func() { f.head = 0; f.keys = [][]string{{"s/a", "s/t", "33"}} })
		if err := c.Foresee(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Restart(10)
		settle()
		f.set(func() { f.head = 10 })
		settle()
		test(t, f, c)
	})
}

// foretold checks whether rows are told by something.
func foretold(t *testing.T, c *Catalog, when string, want bool) {
	t.Helper()
	r := c.Rows()
	columns, known := r.Referenced(tableT)
	all := r.Shape(tableT) != nil && !r.Uncertain() && known && len(columns) == 1 && namesText(r.Cascades(tableT)) == "s.a"
	none := r.Shape(tableT) == nil && r.Uncertain() && !known
	if want && !all || !want && !none {
		t.Errorf("%s: of s.t rows know %v, uncertain %v, referenced %v (%v), cascades %v; want all: %v",
			when, r.Shape(tableT), r.Uncertain(), columns, known, r.Cascades(tableT), want)
	}
}

// Case 1 of the package comment. Only who tells rows is told anything.
func TestRowsOfThenAreToldByTheSchemaOfNow(t *testing.T) {
	foreseen(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		foretold(t, c, "before the stream is in the present", true)
		expect(t, c, viewV, "")
		if has, known := c.Triggers(tableT); c.Relation(tableT).Kind != dep.Unknown || !c.IsView(tableT) || !c.Uncertain() || !has || known {
			t.Error("the analysis of statements, or of texts in the binlog, knows what was foreseen")
		}
		f.set(func() { f.head = 50 })
		settle()
		expect(t, c, viewV, "select 1")
		foretold(t, c, "when the catalogue has published", true)
		if c.State().provisional != nil || c.Fell() {
			t.Error("what was foreseen is still there, or has fallen")
		}
	})
}

// Cases 2 to 5, and 7.
func TestPitfall16WhatIsForeseenEndsWithTheFirstRedefinition(t *testing.T) {
	for name, change := range map[string]func(c *Catalog){
		"a table":    func(c *Catalog) { c.Changed(20, []dep.Name{nameOf("s.u")}, nil, false, false) },
		"a schema":   func(c *Catalog) { c.Changed(20, nil, []string{"other"}, false, false) },
		"everything": func(c *Catalog) { c.Changed(20, nil, nil, true, true) },
		"a name":     func(c *Catalog) { c.Moved(20, []dep.Name{viewV, viewW}) },
	} {
		foreseen(t, func(t *testing.T, f *fakeSource, c *Catalog) {
			c.Reindexed(15, []dep.Name{tableT})
			foretold(t, c, "7. after a change of indexes", true)
			if c.Fell() {
				t.Errorf("%s: it has fallen with the indexes", name)
			}
			version := c.Version()
			change(c)
			if !c.Fell() || c.Fell() {
				t.Errorf("%s: it has not fallen, or more than once", name)
			}
			foretold(t, c, name, false)
			if c.Version() == version {
				t.Errorf("%s: the version is the same", name)
			}
			change(c)
			if c.Fell() {
				t.Errorf("%s: 5. it has fallen twice", name)
			}
			f.set(func() { f.head = 50 })
			settle()
			foretold(t, c, "when the catalogue has published", true)
		})
	}
}

// What was foreseen for one epoch is not used in the next.
func TestPitfall14ForeseenForOneEpoch(t *testing.T) {
	foreseen(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		c.Restart(30)
		if c.Fell() {
			t.Error("it has fallen in another epoch")
		}
		foretold(t, c, "in the next epoch", false)
		c.Changed(40, []dep.Name{viewV}, nil, false, false)
		if c.Fell() {
			t.Error("nothing was foreseen, and it has fallen")
		}
	})
}
