package catalog

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
	"weir/cache/dep"
)

var (
	tableT = nameOf("s.t")
	viewV  = nameOf("s.v")
	viewW  = nameOf("s.w")
)

// run starts a catalogue over a fake source in a bubble and hands both to the test. It ends Run at the end.
func run(t *testing.T, test func(t *testing.T, f *fakeSource, c *Catalog)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeSource()
		f.views["v"], f.views["w"] = "select 1", "select 2"
		c := New(f, f, nil, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		test(t, f, c)
		stop := errors.New("stop")
		cancel(stop)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("Run returned %v", err)
		}
	})
}

// loaded is run with a catalogue that has read the schema at Seq 10.
func loaded(t *testing.T, test func(t *testing.T, f *fakeSource, c *Catalog)) {
	t.Helper()
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(10)
		c.Restart(10)
		settle()
		expect(t, c, viewV, "select 1")
		test(t, f, c)
	})
}

// settle lets Run do all that it can, and the rest after a load pass.
func settle() {
	synctest.Wait()
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

// expect checks the definition of a view; empty is dep.Unknown.
func expect(t *testing.T, c *Catalog, view dep.Name, definition string) {
	t.Helper()
	want := dep.Relation{}
	if definition != "" {
		want = dep.Relation{Kind: dep.View, Definition: definition}
	}
	if got := c.Relation(view); got != want {
		t.Errorf("%v is %+v, want %+v", view, got, want)
	}
}

func (f *fakeSource) redefine(view, definition string) {
	f.set(func() { f.views[view] = definition })
}

func TestNothingIsKnownBeforeRestart(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(100)
		settle()
		expect(t, c, viewV, "")
		if !c.Uncertain() || !c.IsView(tableT) {
			t.Errorf("uncertain: %v, s.t may be a view: %v", c.Uncertain(), c.IsView(tableT))
		}
		if has, known := c.Triggers(tableT); !has || known {
			t.Errorf("triggers: %v, known: %v", has, known)
		}
		if n := f.loadCount(); n != 0 {
			t.Errorf("loaded %d times before it is known where the stream starts", n)
		}
	})
}

func TestFirstLoad(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		if got, want := shapeless(c.Relation(tableT)), (dep.Relation{Kind: dep.BaseTable, Triggers: true, Versioned: true}); got != want {
			t.Errorf("s.t is %+v, want %+v", got, want)
		}
		if c.Uncertain() || c.IsView(tableT) || !c.IsView(viewV) || !c.IsView(nameOf("s.nosuch")) {
			t.Error("foreign keys are uncertain, or a table is taken for a view, or a view is not")
		}
		if got := c.TimeColumns(nameOf("s.u")); len(got) != 1 || got[0] != "begins" {
			t.Errorf("TIME columns are %q", got)
		}
		if n := f.loadCount(); n != 1 {
			t.Errorf("loaded %d times", n)
		}
	})
}

// The race of the package comment, point 1: the event is here, the definition is not yet visible.
func TestPitfall1DefinitionBehindItsEvent(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.set(func() { f.position = 20 }) // the binlog has the DDL; the dictionary has not
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		expect(t, c, viewV, "") // at once
		f.set(func() { f.head = 20 })
		settle()
		expect(t, c, viewV, "")
		if n := f.loadCount(); n != 1 {
			t.Error("loaded before the change was visible")
		}
		f.redefine("v", "select 20")
		f.set(func() { f.visible = 20 })
		settle()
		expect(t, c, viewV, "select 20")
		expect(t, c, viewW, "select 2")
	})
}

// Point 2: a definition changes while a load is under way, and the load has missed it.
func TestPitfall16ChangeDuringLoad(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.at(20)
		f.set(func() { f.hold = hold })
		f.redefine("v", "select 20")
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle() // the load has read the views and waits
		f.redefine("w", "select 30")
		f.at(30)
		c.Changed(30, []dep.Name{viewW}, nil, false, false)
		next := make(chan struct{})
		f.set(func() { f.hold = next })
		close(hold)
		settle() // the first load is published, the second waits
		expect(t, c, viewV, "select 20")
		expect(t, c, viewW, "")
		close(next)
		settle()
		expect(t, c, viewW, "select 30")
	})
}

// Point 3: the load has seen a definition whose event is still on its way.
func TestPitfall16DefinitionAheadOfItsEvent(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(20)
		f.redefine("v", "select 20")
		f.redefine("w", "select 30")
		f.set(func() { f.visible, f.position = 30, 30 })
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		expect(t, c, viewV, "") // read, but the stream is at 20 and the load may be from 30
		expect(t, c, viewW, "select 2")
		c.Changed(30, []dep.Name{viewW}, nil, false, false)
		f.set(func() { f.head = 30 })
		settle()
		expect(t, c, viewV, "select 20")
		expect(t, c, viewW, "select 30")
	})
}

// Changes that never stop do not keep others from being settled.
func TestTrickleOfChangesDoesNotStarve(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(20)
		f.redefine("v", "select 20")
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		for seq := cache.Seq(21); seq < 30; seq++ {
			hold := make(chan struct{})
			f.set(func() { f.hold = hold })
			settle()
			f.at(seq)
			c.Changed(seq, []dep.Name{viewW}, nil, false, false)
			close(hold)
		}
		synctest.Wait()
		expect(t, c, viewV, "select 20")
	})
}

func TestChangesDuringALoadAreReadTogether(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.set(func() { f.hold = hold })
		for seq := cache.Seq(20); seq < 120; seq++ {
			f.at(seq)
			c.Changed(seq, []dep.Name{viewV}, nil, false, false)
			synctest.Wait()
		}
		close(hold)
		settle()
		expect(t, c, viewV, "select 1")
		if n := f.loadCount(); n != 3 { // the first, that of the first change, that of all others
			t.Errorf("loaded %d times", n)
		}
	})
}

// After a load Run rests for as long as the load took.
func TestRunRestsBetweenLoads(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.set(func() { f.hold = hold })
		f.at(20)
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		time.Sleep(3 * time.Second)
		f.set(func() { f.hold = nil })
		close(hold)
		synctest.Wait()
		f.at(30)
		c.Changed(30, []dep.Name{viewV}, nil, false, false)
		time.Sleep(3*time.Second - time.Millisecond)
		synctest.Wait()
		expect(t, c, viewV, "")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		expect(t, c, viewV, "select 1")
	})
}

func TestPitfall6WholeSchemasAndEverything(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.set(func() { f.fail = errors.New("not now") })
		c.Changed(20, nil, []string{"other"}, false, false)
		expect(t, c, viewV, "select 1")
		c.Changed(21, nil, []string{"S"}, false, false)
		expect(t, c, viewV, "")
		if has, known := c.Triggers(tableT); !has || known {
			t.Errorf("triggers: %v, known: %v", has, known)
		}
		f.set(func() { f.fail = nil })
		f.at(21)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, c, viewV, "select 1")
		c.Changed(22, nil, nil, true, false)
		expect(t, c, viewV, "")
		if c.State().Note(viewV) == "" {
			t.Error("EXPLAIN has no reason to give")
		}
	})
}

func TestPitfall4ForeignKeysStayInForce(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		parent := nameOf("s.t")
		f.set(func() { f.keys = [][]string{{"s/a", "s/t", "33"}} })
		f.at(20)
		c.Changed(20, []dep.Name{nameOf("s.a")}, nil, false, true)
		if !c.Uncertain() {
			t.Error("a key may be new, and nothing is uncertain")
		}
		settle()
		if got := namesText(c.Cascades(parent)); got != "s.a" || c.Uncertain() {
			t.Errorf("changes of the parent reach %q, uncertain: %v", got, c.Uncertain())
		}
		// The key is gone on the source, and the stream is not there yet: changes before may still have used it.
		f.set(func() { f.keys, f.visible, f.position = nil, 30, 30 })
		c.Changed(25, []dep.Name{viewV}, nil, false, false)
		f.set(func() { f.head = 25 })
		settle()
		if got := namesText(c.Cascades(parent)); got != "s.a" {
			t.Errorf("before the stream has come to it, the key counts for %q", got)
		}
		f.set(func() { f.head = 30 })
		settle()
		if got := namesText(c.Cascades(parent)); got != "" {
			t.Errorf("after the stream has come to it, the key counts for %q", got)
		}
	})
}

// A change of foreign keys that a load may have missed keeps things uncertain.
func TestPitfall4UncertainUntilReadAgain(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.at(20)
		f.set(func() { f.hold = hold })
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		f.at(30)
		c.Changed(30, []dep.Name{tableT}, nil, false, true)
		next := make(chan struct{})
		f.set(func() { f.hold = next })
		close(hold)
		settle()
		expect(t, c, viewV, "select 1")
		if !c.Uncertain() {
			t.Error("the load of before is believed to have the new foreign keys")
		}
		f.set(func() { f.keys = [][]string{{"s/a", "s/t", "33"}} })
		close(next)
		settle()
		if got := namesText(c.Cascades(tableT)); got != "s.a" || c.Uncertain() {
			t.Errorf("changes of the parent reach %q, uncertain: %v", got, c.Uncertain())
		}
	})
}

func TestFailuresAreTriedAgain(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(20)
		f.set(func() { f.fail = errors.New("gone away"); f.queries = nil })
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		time.Sleep(100*time.Millisecond + 200*time.Millisecond + 400*time.Millisecond)
		synctest.Wait()
		if n := f.queryCount(); n != 4 { // at 0, 100, 300 and 700 ms
			t.Errorf("tried %d times", n)
		}
		expect(t, c, viewV, "")
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := f.queryCount(); n > 140 {
			t.Errorf("tried %d times in an hour", n)
		}
		f.set(func() { f.fail = nil })
		time.Sleep(lastRetry)
		synctest.Wait()
		expect(t, c, viewV, "select 1")
	})
}

// What a statement held is looked at again though no change of it comes: the statement may have failed.
func TestLockedNamesAreReadAgain(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.locked = []string{"busy"}
		f.at(10)
		c.Restart(10)
		settle()
		busy := nameOf("s.busy")
		if c.Relation(busy).Kind != dep.Unknown || c.State().Note(busy) == "" {
			t.Errorf("busy is %+v", c.Relation(busy))
		}
		time.Sleep(firstRevisit + 2*firstRevisit)
		synctest.Wait()
		if n := f.loadCount(); n != 3 {
			t.Errorf("loaded %d times", n)
		}
		f.set(func() { f.locked = nil; f.views["busy"] = "select 3" })
		time.Sleep(lastRevisit)
		synctest.Wait()
		expect(t, c, busy, "select 3")
		before := f.loadCount()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if n := f.loadCount(); n != before {
			t.Errorf("loaded %d times more, with nothing to look at", n-before)
		}
	})
}

func TestPitfall14Restart(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		hold := make(chan struct{})
		f.set(func() { f.hold = hold })
		f.at(20)
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle() // a load is under way
		f.set(func() { f.head, f.visible, f.position = 0, 0, 5 })
		f.set(func() { f.views = map[string]string{"v": "select another server"}; f.hold = nil })
		c.Restart(5)
		expect(t, c, viewV, "")
		expect(t, c, viewW, "")
		if !c.Uncertain() || c.State().Note(viewW) == "" {
			t.Error("the old foreign keys are believed")
		}
		close(hold)
		settle()
		expect(t, c, viewV, "") // the stream has not come to the floor
		f.at(5)
		settle()
		expect(t, c, viewV, "select another server")
		expect(t, c, viewW, "")
	})
}

// The stream starts anew at smaller Seqs: what a round waited for will never come.
func TestPitfall14RestartEndsWaiting(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(20)
		f.set(func() { f.position = 1000 })
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		f.at(5)
		c.Restart(5)
		settle()
		expect(t, c, viewV, "select 1")
	})
}

// The stream starts anew when a round has waited for all it has to wait for.
func TestPitfall14RestartBeforePublishing(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		f.at(20)
		f.set(func() { f.asked = func() { c.Restart(500) } })
		c.Changed(20, []dep.Name{viewV}, nil, false, false)
		settle()
		expect(t, c, viewV, "")
		expect(t, c, viewW, "")
	})
}

func TestVersion(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		last := c.Version()
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"Changed", func() { c.Changed(20, []dep.Name{viewV}, nil, false, false) }},
			{"Changed again", func() { c.Changed(21, []dep.Name{viewV}, nil, false, false) }},
			{"a load", func() { f.at(21); settle() }},
			{"Restart", func() { c.Restart(30) }},
		} {
			step.do()
			if v := c.Version(); v <= last {
				t.Errorf("%s: the version goes from %d to %d", step.name, last, v)
			}
			last = c.Version()
		}
	})
}

// A state that was taken before a change answers as before.
func TestStateDoesNotChange(t *testing.T) {
	loaded(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		before := c.State()
		c.Changed(20, []dep.Name{viewV}, nil, false, true)
		if got := before.Relation(viewV).Kind; got != dep.View || before.Uncertain() {
			t.Errorf("s.v is %v, uncertain: %v", got, before.Uncertain())
		}
	})
}

func TestMetrics(t *testing.T) {
	c := New(script{}, newFakeSource(), nil, nil)
	reg := prometheus.NewPedanticRegistry()
	c.metrics = newMetrics(reg, c)
	for _, metric := range []string{"weir_catalog_loads_total", "weir_catalog_load_seconds", "weir_catalog_reload_seconds", "weir_catalog_names", "weir_catalog_changing", "weir_catalog_uncertain"} {
		if n, err := testutil.GatherAndCount(reg, metric); err != nil || n == 0 {
			t.Errorf("%s: %d series, error %v", metric, n, err)
		}
	}
	problems, err := testutil.GatherAndLint(reg)
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}
