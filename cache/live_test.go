package cache

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// touching is a world in which a change at 1/95 meets entries as of 1/90 that depend on what changes, while they are
// stored, found and let go of. None of them may be served once the stream is complete as of the change, which is at 1ns
// on the clock.
type touching struct {
	broken  string // the guard that is cut out
	ledger  *Ledger
	store   *Store
	entries [2]*Entry
	found   *Entry
	wrong   bool
}

var touchingKeys = [2]string{"first", "second"}

func newTouching(broken string) *touching {
	w := &touching{broken: broken, ledger: NewLedger(4)}
	w.store = newStore(1<<20, 1<<10, &w.ledger.cells, func(*item) {})
	at := Mark{w.ledger.Restart(0), At(1, 90)}
	for i, key := range touchingKeys {
		w.entries[i] = NewEntry([]byte(key), nil, []Tag{tagA, tagB}, at)
	}
	return w
}

// The steps of the applier, in Record.
func (w *touching) past() { w.ledger.history.touch(tagA, At(1, 95)) }
func (w *touching) cell() { w.ledger.cells.touch(tagA, At(1, 95)) }
func (w *touching) head() {
	w.ledger.Advance(At(1, 95))
	w.ledger.SetComplete(w.ledger.Epoch(), 1)
}

// The steps of a fill, in Put.
func (w *touching) register(i int) {
	w.ledger.register(w.entries[i])
	if w.broken == "a new cell starts from the history" {
		empty := newHistory(1)
		for j, c := range w.entries[i].cells {
			tag := w.entries[i].Tags[j]
			w.ledger.cells.give(tag, c)
			w.entries[i].cells[j] = w.ledger.cells.take(tag, &empty)
		}
	}
}
func (w *touching) put(i int) { put(w.store, w.entries[i]) }

// The store lets go of the first entry.
func (w *touching) leave() {
	e := get(w.store, touchingKeys[0])
	if e == nil {
		return
	}
	a, b := e.cells[0].last.Load(), e.cells[1].last.Load()
	w.store.Remove(Hash(e.Key()), e)
	if w.broken == "a cell that goes is dead" {
		e.cells[0].last.Store(a)
		e.cells[1].last.Store(b)
	}
}

// The steps of a reader, in Get.
func (w *touching) find() { w.found = get(w.store, touchingKeys[0]) }
func (w *touching) look() { w.wrong = w.wrong || w.found != nil && w.ledger.Fresh(w.found, 1, 0) }

type touchingStep func(*touching)

// touchingLists are what runs at once.
func touchingLists(broken string) [][]touchingStep {
	applier := []touchingStep{(*touching).past, (*touching).cell, (*touching).head}
	switch broken {
	case "the history is touched before the cell is looked for":
		applier[0], applier[1] = applier[1], applier[0]
	case "the head moves after the cells":
		applier[1], applier[2] = applier[2], applier[1]
	}
	fill := []touchingStep{func(w *touching) { w.register(0) }, func(w *touching) { w.put(0) }}
	other := []touchingStep{func(w *touching) { w.register(1); w.put(1) }}
	return [][]touchingStep{applier, fill, other, {(*touching).leave}, {(*touching).find, (*touching).look}}
}

// TestReplayCells runs the steps in every order that can happen: with all guards, where nothing may go wrong, and
// without each, where something must.
func TestReplayCells(t *testing.T) {
	for _, broken := range []string{
		"",
		"a new cell starts from the history",
		"a cell that goes is dead",
		"the history is touched before the cell is looked for",
		"the head moves after the cells",
	} {
		t.Run(broken, func(t *testing.T) {
			orders, wrong := 0, 0
			eachMerge(nil, touchingLists(broken), func(steps []touchingStep) {
				if orders++; (broken != "" || raceEnabled) && orders%7 != 0 {
					return
				}
				w := newTouching(broken)
				for _, s := range steps {
					s(w)
				}
				for _, e := range w.entries {
					w.wrong = w.wrong || w.ledger.Fresh(e, 1, 0)
				}
				if w.wrong {
					wrong++
				}
			})
			if orders != 15120 {
				t.Errorf("%d orders, want 15120", orders)
			}
			if broken == "" && wrong != 0 {
				t.Errorf("%d orders serve an entry after what it depends on has changed", wrong)
			}
			if broken != "" && wrong == 0 {
				t.Error("without the guard nothing goes wrong: the replay proves nothing")
			}
		})
	}
}

// TestReplayCellsInRestart: a cell that is made while the ledger starts anew knows nothing of the old epoch.
func TestReplayCellsInRestart(t *testing.T) {
	for _, cellsFirst := range []bool{false, true} {
		old := 0
		for made := range 3 { // before, between, after
			l := NewLedger(4)
			l.Restart(0)
			l.Record(At(9, 4), []Tag{tagA})
			e := NewEntry(nil, nil, []Tag{tagA}, Mark{})
			steps := []func(){l.history.clear, l.cells.reset}
			if cellsFirst {
				steps[0], steps[1] = steps[1], steps[0]
			}
			for i := range 3 {
				if i == made {
					l.register(e)
				}
				if i < 2 {
					steps[i]()
				}
			}
			if l.lastOf(e) != 0 {
				old++
			}
		}
		if (old > 0) != cellsFirst {
			t.Errorf("cells are cleared first: %v; %d of 3 cells know a Seq of the old epoch", cellsFirst, old)
		}
	}
}

// TestStressCellsInRestart is the same in Restart itself.
func TestStressCellsInRestart(t *testing.T) {
	buckets := 1 << 12 // so many that a restart takes a while
	if raceEnabled {
		buckets = 1 << 8
	}
	l := NewLedger(buckets * ways)
	tags := tagsEveryBucket(l)
	contend(300, func() {
		e := NewEntry(nil, nil, tags[len(tags)-100:], Mark{})
		l.register(e)
		l.cells.release(e)
	}, func() {
		l.Restart(0)
		for i := range l.cells.shards {
			l.cells.shards[i].each(func(_ Tag, c *cell) {
				if last := c.last.Load(); last != 0 {
					t.Errorf("after Restart a cell says %d", last)
				}
			})
		}
		l.Record(At(9, 4), tags)
	})
}

// TestRecordTouchesTheHistoryFirst holds the applier up where it looks for the cell. A cell that is made there and then
// starts from what the history says.
func TestRecordTouchesTheHistoryFirst(t *testing.T) {
	l := NewLedger(4)
	l.Restart(0)
	s := l.cells.of(tagA)
	s.mu.Lock()
	recorded := make(chan struct{})
	go func() {
		l.Record(At(1, 95), []Tag{tagA})
		close(recorded)
	}()
	for deadline := time.Now().Add(10 * time.Second); l.Last(tagA) == 0 && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if got := l.Last(tagA); got != At(1, 95) {
		t.Errorf("the applier looks for the cell, and the history says %s, want 1/95", got)
	}
	if l.Head() != 0 {
		t.Errorf("the head is %s, and the applier still looks for the cell", l.Head())
	}
	s.mu.Unlock()
	<-recorded
}

// TestStressCells has fills, readers and an applier at once in a store that is too small. An entry as of before a change
// that was recorded before the reader came must not be served. Half of the fills come with what the head was, the others
// are late.
func TestStressCells(t *testing.T) {
	l := NewLedger(64)
	c := New(Config{Size: 60000, Limit: 1000, MaxAge: time.Hour}, l, nil)
	l.SetComplete(l.Restart(0), time.Hour)
	const n = 40
	var recorded [n]atomic.Uint64
	key := func(i int) []byte { return fmt.Appendf(nil, "key %d", i) }
	tags := func(i int) []Tag { return []Tag{tagA, Tag(i) << 50, Tag(i%7) << 40} }
	rounds, served, turn := int64(20000), 0, 0
	if raceEnabled {
		rounds = 3000
	}
	contend(rounds, func() {
		turn++
		i := turn * 7 % n
		if turn%2 == 0 {
			at := Mark{1, l.Head() - Seq(turn%4)}
			c.Put(NewEntry(key(i), make([]byte, turn%900), tags(i), at), time.Hour)
		}
		for i := range n {
			last := Seq(recorded[i].Load())
			if e := c.Get(key(i), time.Hour); e != nil {
				served++
				if e.At.Seq < last {
					t.Errorf("key %d is served as of %d, what it depends on was touched at %d", i, e.At.Seq, last)
				}
			}
		}
	}, func() {
		seq := l.Head() + 1
		i := int(seq*11) % n
		l.Record(seq, []Tag{Tag(i) << 50})
		recorded[i].Store(uint64(seq))
	})
	if served == 0 {
		t.Error("nothing was served: the test does not test")
	}
	checkStore(t, c.store)
	checkCells(t, &l.cells, usersOf(c.store))
}
