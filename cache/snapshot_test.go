package cache

import (
	"slices"
	"testing"
	"time"
)

// shown is a world in which a transaction reads beside the cache. The row changes once, from old to new, at 1/95. Two
// servers show it, each from a moment of its own: one has the transaction, one answers the fills. The clock moves with
// every step.
type shown struct {
	ledger *Ledger
	clock  time.Duration

	written        bool    // in the source's binlog
	visible        [2]bool // on the server of the transaction, and of the fills
	recorded       bool
	holds          Mark // the transaction's sample
	snapshot       Snapshot
	opened         bool
	sees           string // what the transaction reads
	at             Mark   // the filler's sample
	read           string
	entry          *Entry
	asked          time.Duration
	askedOfWritten bool
	epoch          uint64
}

const (
	transactionServer = iota
	fillServer
)

func newShown() *shown {
	w := &shown{ledger: NewLedger(4)}
	w.epoch = w.ledger.Restart(At(1, 4))
	w.ledger.Advance(At(1, 90))
	w.ledger.SetComplete(w.epoch, 0)
	return w
}

func (w *shown) sampleOf(server int) Mark {
	if w.visible[server] {
		return Mark{w.ledger.Epoch(), At(1, 95)}
	}
	return Mark{w.ledger.Epoch(), At(1, 90)}
}

func (w *shown) rowOn(server int) string {
	if w.visible[server] {
		return "new"
	}
	return "old"
}

// allRead says that the transaction has read every table before all else; see TestFreshAtWantsTablesRead.
var allRead = map[Tag]time.Duration{tagA: 0, tagB: 0, tagC: 0, tagD: 0}

// The steps of the transaction.
func (w *shown) know() { w.holds = w.sampleOf(transactionServer) }
func (w *shown) open() {
	w.sees, w.opened = w.rowOn(transactionServer), true
	w.snapshot = Snapshot{Holds: w.holds, Opened: w.clock, Read: allRead}
}

// The steps of the filler.
func (w *shown) sample() { w.at = w.sampleOf(fillServer) }
func (w *shown) query()  { w.read = w.rowOn(fillServer) }
func (w *shown) store() {
	w.entry = NewEntry(worldKey, []byte(w.read), []Tag{tagA, tagB}, w.at)
	w.entry.stored = w.clock
}

// The steps of the change. It is in the binlog before anybody sees it, or hears of it.
func (w *shown) write()  { w.written = true }
func (w *shown) showT()  { w.visible[transactionServer] = true }
func (w *shown) showF()  { w.visible[fillServer] = true }
func (w *shown) show()   { w.visible = [2]bool{true, true} } // the two are one server
func (w *shown) record() { w.ledger.Record(At(1, 95), []Tag{tagA}); w.recorded = true }

// The steps of the probe: the answer contains what is in the binlog, and counts once that is recorded.
func (w *shown) ask() { w.asked, w.askedOfWritten = w.clock, w.written }
func (w *shown) complete() {
	if !w.askedOfWritten || w.recorded {
		w.ledger.SetComplete(w.epoch, w.asked)
	}
}

// serve is what the transaction gets from the cache now; empty on a miss.
func (w *shown) serve(r snapshotRule) string {
	if !w.opened || w.entry == nil || !r(w.ledger, w.entry, w.snapshot) {
		return ""
	}
	return string(w.entry.Wire())
}

type shownStep func(*shown)

// outcome plays the steps, and says whether the transaction ever got from the cache what it does not read itself, and
// whether it got anything that is right.
func outcome(r snapshotRule, steps []shownStep) (wrong, right bool) {
	w := newShown()
	for _, s := range steps {
		w.clock++
		s(w)
		switch w.serve(r) {
		case "":
		case w.sees:
			right = true
		default:
			wrong = true
		}
	}
	return wrong, right
}

// snapshotRule has the shape of Ledger.FreshAt.
type snapshotRule func(*Ledger, *Entry, Snapshot) bool

// snapshotConditions are the parts of FreshAt, in its order.
func snapshotConditions() map[string]snapshotRule {
	complete := func(l *Ledger) time.Duration {
		c, ok := l.CompleteAsOf()
		if !ok {
			return -1
		}
		return c
	}
	return map[string]snapshotRule{
		"opened": func(l *Ledger, _ *Entry, s Snapshot) bool { return complete(l) >= s.Opened },
		"stored": func(l *Ledger, e *Entry, _ Snapshot) bool { return complete(l) >= e.stored },
		"AsOf":   func(l *Ledger, e *Entry, _ Snapshot) bool { return !l.changed(e, e.At.Seq) },
		"holds":  func(l *Ledger, e *Entry, s Snapshot) bool { return !l.changed(e, s.Holds.Seq) },
		"floor":  func(l *Ledger, e *Entry, s Snapshot) bool { return min(e.At.Seq, s.Holds.Seq) >= l.Floor() },
		"epoch": func(l *Ledger, e *Entry, s Snapshot) bool {
			return e.At.Epoch == l.Epoch() && s.Holds.Epoch == l.Epoch()
		},
	}
}

func snapshotRuleWithout(name string) snapshotRule {
	return func(l *Ledger, e *Entry, s Snapshot) bool {
		for n, holds := range snapshotConditions() {
			if n != name && !holds(l, e, s) {
				return false
			}
		}
		return true
	}
}

// The interleavings that FreshAt describes. Each is run on the rule, and on the rule without the condition that settles
// it, where it must go wrong: else the replay would prove nothing.
func TestPitfall29SnapshotReplay(t *testing.T) {
	for _, tt := range []struct {
		name, settledBy string
		steps           []shownStep
	}{
		{"S1 the snapshot is older than the entry", "holds", []shownStep{
			(*shown).know, (*shown).open, // says 90, shows old
			(*shown).write, (*shown).show, (*shown).record,
			(*shown).sample, (*shown).query, (*shown).store, // new, AsOf 95
			(*shown).ask, (*shown).complete,
		}},
		{"S2 the snapshot is newer than the entry", "AsOf", []shownStep{
			(*shown).sample, (*shown).query, (*shown).store, // old, AsOf 90
			(*shown).write, (*shown).show, (*shown).record,
			(*shown).know, (*shown).open, // says 95, shows new
			(*shown).ask, (*shown).complete,
		}},
		{"S3 the change in the snapshot is not recorded yet", "opened", []shownStep{
			(*shown).sample, (*shown).query, (*shown).store, // old, AsOf 90
			(*shown).ask, (*shown).complete,
			(*shown).know, // says 90
			(*shown).write, (*shown).show,
			(*shown).open, // shows new
			(*shown).record,
		}},
		{"S3 and the source was asked before it", "opened", []shownStep{
			(*shown).sample, (*shown).query, (*shown).store,
			(*shown).know, (*shown).ask, (*shown).write, (*shown).show, (*shown).open, (*shown).complete,
		}},
		{"S4 the change in the entry is not recorded yet", "stored", []shownStep{
			(*shown).sample,              // says 90
			(*shown).know, (*shown).open, // shows old
			(*shown).ask, (*shown).complete,
			(*shown).write, (*shown).show,
			(*shown).query, (*shown).store, // new, AsOf 90
			(*shown).record,
		}},
		{"S4 on a replica that is ahead of its sample", "stored", []shownStep{
			(*shown).know, (*shown).open, (*shown).ask, (*shown).sample,
			(*shown).write, (*shown).showF, (*shown).query, (*shown).store, (*shown).complete, (*shown).showT, (*shown).record,
		}},
		{"a replica that lags has the transaction", "holds", []shownStep{
			(*shown).write, (*shown).showF, (*shown).record,
			(*shown).sample, (*shown).query, (*shown).store, // new, AsOf 95
			(*shown).know, (*shown).open, // says 90, shows old
			(*shown).showT, (*shown).ask, (*shown).complete,
		}},
		{"a replica that lags has filled", "AsOf", []shownStep{
			(*shown).write, (*shown).showT, (*shown).record,
			(*shown).sample, (*shown).query, (*shown).store, // old, AsOf 90
			(*shown).know, (*shown).open, // says 95, shows new
			(*shown).showF, (*shown).ask, (*shown).complete,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if wrong, _ := outcome((*Ledger).FreshAt, tt.steps); wrong {
				t.Error("the transaction gets what it does not read")
			}
			if wrong, _ := outcome(snapshotRuleWithout(tt.settledBy), tt.steps); !wrong {
				t.Errorf("without the condition %q it gets nothing wrong either: the replay proves nothing", tt.settledBy)
			}
		})
	}
}

// TestPitfall29EveryInterleavingWithASnapshot runs the steps of the transaction, of a fill, of the probe and of the
// change in every order that can happen, on one server and on two.
func TestPitfall29EveryInterleavingWithASnapshot(t *testing.T) {
	mutilated := []string{"opened", "stored", "AsOf", "holds"}
	wrongs, rights, count := map[string]int{}, 0, 0
	everyOrder(func(steps []shownStep) {
		count++
		wrong, right := outcome((*Ledger).FreshAt, steps)
		if wrong {
			wrongs[""]++
		}
		if right {
			rights++
		}
		if count%17 != 0 { // enough of them, and a prime
			return
		}
		for _, name := range mutilated {
			if wrong, _ := outcome(snapshotRuleWithout(name), steps); wrong {
				wrongs[name]++
			}
		}
	})
	t.Logf("%d interleavings, %d with a hit; wrong without a condition: %v", count, rights, wrongs)
	if wrongs[""] != 0 || rights == 0 {
		t.Errorf("the rule: %d interleavings go wrong, want 0; %d have a hit, want some", wrongs[""], rights)
	}
	for _, name := range mutilated {
		if wrongs[name] == 0 {
			t.Errorf("without the condition %q none goes wrong: the test proves nothing", name)
		}
	}
}

// everyOrder calls f with each interleaving. f must not keep the slice.
func everyOrder(f func([]shownStep)) {
	transaction := []shownStep{(*shown).know, (*shown).open}
	fill := []shownStep{(*shown).sample, (*shown).query, (*shown).store}
	probe := []shownStep{(*shown).ask, (*shown).complete}
	var changes [][]shownStep
	for _, after := range [][]shownStep{{(*shown).show, (*shown).record}, {(*shown).showT, (*shown).showF, (*shown).record}} {
		for _, order := range permutations(after) {
			changes = append(changes, slices.Concat([]shownStep{(*shown).write}, order))
		}
	}
	for _, change := range changes {
		eachMerge(nil, [][]shownStep{transaction, fill, probe, change}, f)
	}
}

// The conditions one by one, at their edges. In ruleLedger A was touched at 3/500 and the epoch is 2.
func TestFreshAt(t *testing.T) {
	const complete = 10 * time.Second
	tests := []struct {
		name           string
		at             Mark
		holds          Mark
		opened, stored time.Duration
		broken         string
	}{
		{"both after the last change", Mark{2, At(3, 900)}, Mark{2, At(3, 800)}, complete - 1, 1, ""},
		{"both exactly at the last change", Mark{2, At(3, 500)}, Mark{2, At(3, 500)}, complete - 1, 1, ""},
		{"complete as of the very moment", Mark{2, At(3, 900)}, Mark{2, At(3, 900)}, complete, complete, ""},
		{"opened a moment later", Mark{2, At(3, 900)}, Mark{2, At(3, 900)}, complete + 1, 1, "opened"},
		{"stored a moment later", Mark{2, At(3, 900)}, Mark{2, At(3, 900)}, 1, complete + 1, "stored"},
		{"read one byte before the change", Mark{2, At(3, 499)}, Mark{2, At(3, 900)}, 1, 1, "AsOf"},
		{"opened one byte before the change", Mark{2, At(3, 900)}, Mark{2, At(3, 499)}, 1, 1, "holds"},
		{"nothing is known of the snapshot", Mark{2, At(3, 900)}, Mark{}, 1, 1, "several"},
		{"the entry is of the epoch before", Mark{1, At(3, 900)}, Mark{2, At(3, 900)}, 1, 1, "epoch"},
		{"the snapshot is of the epoch before", Mark{2, At(3, 900)}, Mark{1, At(3, 900)}, 1, 1, "epoch"},
		{"both are", Mark{1, At(3, 900)}, Mark{1, At(3, 900)}, 1, 1, "epoch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, e := ruleLedger(), NewEntry(nil, nil, []Tag{tagA, tagB}, tt.at)
			e.stored = tt.stored
			s := Snapshot{Holds: tt.holds, Opened: tt.opened, Read: allRead}
			if got, want := l.FreshAt(e, s), tt.broken == ""; got != want {
				t.Errorf("FreshAt = %v, want %v", got, want)
			}
			for name := range snapshotConditions() {
				if got, want := snapshotRuleWithout(name)(l, e, s), tt.broken == "" || tt.broken == name; got != want {
					t.Errorf("without the condition %q: %v, want %v", name, got, want)
				}
			}
		})
	}
	t.Run("before the floor", func(t *testing.T) {
		l := ruleLedger()
		for _, s := range []struct{ at, holds Seq }{{At(3, 99), At(3, 900)}, {At(3, 900), At(3, 99)}} {
			e := NewEntry(nil, nil, []Tag{tagB}, Mark{2, s.at})
			if l.FreshAt(e, Snapshot{Holds: Mark{2, s.holds}, Read: allRead}) {
				t.Errorf("served although of %v one is before the floor", s)
			}
		}
	})
	t.Run("a ledger that is complete as of no moment", func(t *testing.T) {
		l := NewLedger(4)
		at := Mark{l.Restart(0), At(1, 4)}
		if l.FreshAt(NewEntry(nil, nil, nil, at), Snapshot{Holds: at}) {
			t.Error("served")
		}
	})
}

// A restart of the ledger, at each place in the middle of FreshAt's checks in their order, as in TestRuleOrder.
func TestFreshAtOrder(t *testing.T) {
	all := snapshotConditions()
	order := []string{"opened", "AsOf", "epoch"}
	for _, names := range permutations(order) {
		stream, tags, epoch := slices.Index(names, "opened"), slices.Index(names, "AsOf"), slices.Index(names, "epoch")
		want := stream < tags && tags < epoch
		wrong := false
		for _, begin := range []scenario{afterRestart, afterCatchUp, withCells(afterRestart), withCells(afterCatchUp)} {
			for gap := 0; gap <= len(names); gap++ {
				l, e, write := begin()
				s := Snapshot{Holds: Mark{e.At.Epoch, At(1, 95)}, Opened: 2 * time.Second, Read: allRead}
				holds := func(ns []string) bool {
					return !slices.ContainsFunc(ns, func(n string) bool { return !all[n](l, e, s) })
				}
				if holds(names[:gap]) {
					write()
					wrong = wrong || holds(names[gap:])
				}
			}
		}
		if wrong == want {
			t.Errorf("%v: never serves what is wrong = %v, want %v", names, !wrong, want)
		}
	}
}

// S5: only of tables that the transaction has read, with the ledger complete as of after that.
func TestFreshAtWantsTablesRead(t *testing.T) {
	const complete = 10 * time.Second
	for _, tt := range []struct {
		name string
		read map[Tag]time.Duration
		want bool
	}{
		{"both", map[Tag]time.Duration{tagA: 1, tagB: complete}, true},
		{"none", nil, false},
		{"one of them", map[Tag]time.Duration{tagA: 1}, false},
		{"the other", map[Tag]time.Duration{tagB: 1, tagC: 1}, false},
		{"one a moment after the ledger is complete", map[Tag]time.Duration{tagA: 1, tagB: complete + 1}, false},
	} {
		at := Mark{2, At(3, 900)}
		s := Snapshot{Holds: at, Read: tt.read}
		if got := ruleLedger().FreshAt(NewEntry(nil, nil, []Tag{tagA, tagB}, at), s); got != tt.want {
			t.Errorf("read %s: served: %v", tt.name, got)
		}
	}
}

// TestFreshAtAnchors: what the transaction must have read are the anchors, which are all tags if nobody says how many;
// what must not have changed are all tags. In ruleLedger A was touched at 3/500.
func TestFreshAtAnchors(t *testing.T) {
	const complete = 10 * time.Second
	late, early := At(3, 900), At(3, 499)
	for _, tt := range []struct {
		name      string
		tags      []Tag
		anchors   int
		read      []Tag
		at, holds Seq
		want      bool
	}{
		{"the anchor is read", []Tag{tagB, tagA}, 1, []Tag{tagB}, late, late, true},
		{"the anchors are read", []Tag{tagB, tagC, tagA}, 2, []Tag{tagC, tagB}, late, late, true},
		{"one of the anchors is not", []Tag{tagB, tagC, tagA}, 2, []Tag{tagB, tagA}, late, late, false},
		{"the other tag is read, the anchor is not", []Tag{tagB, tagA}, 1, []Tag{tagA}, late, late, false},
		{"nobody says how many", []Tag{tagB, tagA}, 0, []Tag{tagB}, late, late, false},
		{"nobody says how many, and all are read", []Tag{tagB, tagA}, 0, []Tag{tagA, tagB}, late, late, true},
		{"fewer than none", []Tag{tagB, tagA}, -1, []Tag{tagB}, late, late, false},
		{"more than there are", []Tag{tagB, tagA}, 3, []Tag{tagB}, late, late, false},
		{"a tag that is no anchor changed after the entry", []Tag{tagB, tagA}, 1, []Tag{tagB}, early, late, false},
		{"a tag that is no anchor changed after the snapshot", []Tag{tagB, tagA}, 1, []Tag{tagB}, late, early, false},
		{"an anchor changed after the snapshot", []Tag{tagA, tagB}, 1, []Tag{tagA}, late, early, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Snapshot{Holds: Mark{2, tt.holds}, Read: map[Tag]time.Duration{}}
			for _, tag := range tt.read {
				s.Read[tag] = complete
			}
			for _, live := range []bool{false, true} {
				l, e := ruleLedger(), NewEntry(nil, nil, tt.tags, Mark{2, tt.at})
				e.Anchors = tt.anchors
				if live {
					l.register(e)
				}
				if got := l.FreshAt(e, s); got != tt.want {
					t.Errorf("with cells: %v; served: %v", live, got)
				}
			}
		})
	}
}

func TestGetAtWantsVersionedEntries(t *testing.T) {
	for _, versioned := range []bool{true, false} {
		l := NewLedger(4)
		at := Mark{l.Restart(At(1, 4)), At(1, 90)}
		l.Advance(At(1, 90))
		l.SetComplete(at.Epoch, l.Now())
		c := New(DefaultConfig(), l, nil)
		e := NewEntry(worldKey, []byte("w"), []Tag{tagA}, at)
		e.Versioned = versioned
		c.Put(e, time.Hour)
		s := Snapshot{Holds: at, Opened: l.Now(), Read: allRead}
		if c.GetAt(worldKey, s) != nil {
			t.Error("served before the ledger is complete as of the snapshot")
		}
		l.SetComplete(at.Epoch, l.Now())
		if got := c.GetAt(worldKey, s) != nil; got != versioned {
			t.Errorf("an entry whose Versioned is %v is served: %v", versioned, got)
		}
		if n := testing.AllocsPerRun(100, func() { c.GetAt(worldKey, s) }); n != 0 {
			t.Errorf("GetAt allocates %v times", n)
		}
	}
}
