package cache

import (
	"slices"
	"testing"
	"time"
)

// rule has the shape of Ledger.Fresh. What tests the rule takes one, so that the same test can be run on a rule with
// something cut out of it, where it has to fail.
type rule func(l *Ledger, e *Entry, now, bound time.Duration) bool

// condition is one of the four parts of the rule.
type condition struct {
	name  string
	holds rule
}

// conditions are in the order in which Fresh looks at them.
func conditions() []condition {
	return []condition{
		{"current", func(l *Ledger, _ *Entry, now, bound time.Duration) bool { return l.Current(now, bound) }},
		{"tags", func(l *Ledger, e *Entry, _, _ time.Duration) bool { return !l.changed(e, e.At.Seq) }},
		{"floor", func(l *Ledger, e *Entry, _, _ time.Duration) bool { return e.At.Seq >= l.Floor() }},
		{"epoch", func(l *Ledger, e *Entry, _, _ time.Duration) bool { return e.At.Epoch == l.Epoch() }},
	}
}

// ruleWithout is the rule with one condition cut out.
func ruleWithout(name string) rule {
	return func(l *Ledger, e *Entry, now, bound time.Duration) bool {
		for _, c := range conditions() {
			if c.name != name && !c.holds(l, e, now, bound) {
				return false
			}
		}
		return true
	}
}

// Tags that a ledger with room for four knows exactly.
const (
	tagA = Tag(iota << 62)
	tagB
	tagC
	tagD
)

// ruleLedger is in its second epoch, which began at 3/100; A was touched at 3/500, nothing else was; everything up to
// 3/900 is recorded, which is complete as of ten seconds.
func ruleLedger() *Ledger {
	l := NewLedger(4)
	l.Restart(At(1, 4))
	epoch := l.Restart(At(3, 100))
	l.Record(At(3, 500), []Tag{tagA})
	l.Advance(At(3, 900))
	l.SetComplete(epoch, 10*time.Second)
	return l
}

func TestRule(t *testing.T) {
	const complete, bound = 10 * time.Second, time.Second
	tests := []struct {
		name   string
		at     Mark
		tags   []Tag
		now    time.Duration
		broken string // the only condition that does not hold; empty if the entry may be served
	}{
		{"read after the last change", Mark{2, At(3, 900)}, []Tag{tagA, tagB}, complete, ""},
		{"read exactly at the last change", Mark{2, At(3, 500)}, []Tag{tagA, tagB}, complete, ""},
		{"read exactly at the floor", Mark{2, At(3, 100)}, []Tag{tagB, tagC}, complete, ""},
		{"depends on nothing", Mark{2, At(3, 100)}, nil, complete, ""},
		{"as old as the bound allows", Mark{2, At(3, 900)}, []Tag{tagA}, complete + bound, ""},
		{"the clock was read before the answer of the source", Mark{2, At(3, 900)}, []Tag{tagA}, complete - 1, ""},

		{"a moment past the bound", Mark{2, At(3, 900)}, []Tag{tagA}, complete + bound + 1, "current"},
		{"long past the bound", Mark{2, At(3, 900)}, nil, time.Hour, "current"},
		{"one byte before the change", Mark{2, At(3, 499)}, []Tag{tagA}, complete, "tags"},
		{"only the last of its tags was touched", Mark{2, At(3, 499)}, []Tag{tagB, tagC, tagA}, complete, "tags"},
		{"only the first of its tags was touched", Mark{2, At(3, 100)}, []Tag{tagA, tagB, tagC}, complete, "tags"},
		{"one byte before the floor", Mark{2, At(3, 99)}, []Tag{tagB}, complete, "floor"},
		{"in a file before the floor's", Mark{2, At(2, 5000)}, nil, complete, "floor"},
		{"of the epoch before", Mark{1, At(3, 900)}, []Tag{tagA}, complete, "epoch"},
		{"of an epoch to come", Mark{3, At(3, 900)}, []Tag{tagA}, complete, "epoch"},
		{"of no epoch", Mark{0, At(3, 900)}, []Tag{tagB}, complete, "epoch"},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, e := ruleLedger(), NewEntry([]byte("k"), []byte("w"), tt.tags, tt.at)
			if got, want := l.Fresh(e, tt.now, bound), tt.broken == ""; got != want {
				t.Errorf("Fresh = %v, want %v", got, want)
			}
			live := NewEntry([]byte("k"), []byte("w"), tt.tags, tt.at)
			l.register(live)
			if got, want := l.Fresh(live, tt.now, bound), tt.broken == ""; got != want {
				t.Errorf("with cells: Fresh = %v, want %v", got, want)
			}
			for _, c := range conditions() {
				want := tt.broken == "" || tt.broken == c.name
				if got := ruleWithout(c.name)(l, e, tt.now, bound); got != want {
					t.Errorf("without the condition %q: %v, want %v", c.name, got, want)
				}
			}
		})
		covered[tt.broken] = true
	}
	for _, c := range conditions() {
		if !covered[c.name] {
			t.Errorf("no test breaks the condition %q alone", c.name)
		}
	}
}

func TestRuleNeedsRestartAndComplete(t *testing.T) {
	tests := []struct {
		name  string
		begin func(l *Ledger)
		want  bool
	}{
		{"neither", func(*Ledger) {}, false},
		{"complete without a beginning", func(l *Ledger) { l.SetComplete(0, time.Second) }, false},
		{"a beginning without complete", func(l *Ledger) { l.Restart(0) }, false},
		{"complete before the beginning", func(l *Ledger) { l.SetComplete(0, time.Second); l.Restart(0) }, false},
		{"both", func(l *Ledger) { l.SetComplete(l.Restart(0), time.Second) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLedger(4)
			tt.begin(l)
			e := NewEntry(nil, nil, nil, Mark{Epoch: l.Epoch()})
			if got := l.Fresh(e, time.Second, time.Second); got != tt.want {
				t.Errorf("Fresh = %v, want %v", got, tt.want)
			}
		})
	}
}

// TestRuleOrder looks for the orders in which the four conditions may be checked while the stream is being written to.
// The writer comes in one piece at each place between two checks. Two things must not happen:
//
//	a restart                                  a stream that catches up
//	1. the epoch is the entry's                1. the tag looks untouched
//	2. Restart clears the history              2. a change of long ago is recorded
//	3. the tag looks untouched                 3. SetComplete: the stream is current again
//	4. served: it was touched in its epoch     4. the stream is current: served
//
// So the stream comes before the tags, and the epoch after them. Where the floor is checked does not matter.
func TestRuleOrder(t *testing.T) {
	for _, order := range permutations(conditions()) {
		current, tags, epoch := place(order, "current"), place(order, "tags"), place(order, "epoch")
		want := current < tags && tags < epoch
		got := true
		for _, s := range []scenario{afterRestart, afterCatchUp, withCells(afterRestart), withCells(afterCatchUp)} {
			got = got && !servesDuring(order, s)
		}
		if got != want {
			t.Errorf("%v: never serves what is stale = %v, want %v", names(order), got, want)
		}
	}
	if order := names(conditions()); !slices.Equal(order, []string{"current", "tags", "floor", "epoch"}) {
		t.Errorf("conditions are in the order %v, which is not that of Fresh", order)
	}
}

// scenario makes a ledger with an entry that must not be served, and what the writer does in the middle of the rule.
type scenario func() (l *Ledger, e *Entry, write func())

const orderNow, orderBound = 10 * time.Second, time.Second

func afterRestart() (*Ledger, *Entry, func()) {
	l := NewLedger(4)
	epoch := l.Restart(At(1, 4))
	l.Record(At(1, 95), []Tag{tagA})
	l.SetComplete(epoch, orderNow)
	e := NewEntry(nil, nil, []Tag{tagA}, Mark{epoch, At(1, 90)})
	return l, e, func() { l.SetComplete(l.Restart(At(1, 50)), orderNow) }
}

func afterCatchUp() (*Ledger, *Entry, func()) {
	l := NewLedger(4)
	epoch := l.Restart(At(1, 4))
	l.SetComplete(epoch, time.Second)
	e := NewEntry(nil, nil, []Tag{tagA}, Mark{epoch, At(1, 90)})
	return l, e, func() {
		l.Record(At(1, 95), []Tag{tagA})
		l.SetComplete(epoch, orderNow)
	}
}

// withCells is s, with the entry in tier 1.
func withCells(s scenario) scenario {
	return func() (*Ledger, *Entry, func()) {
		l, e, write := s()
		l.register(e)
		return l, e, write
	}
}

func servesDuring(order []condition, s scenario) bool {
	for gap := 0; gap <= len(order); gap++ {
		l, e, write := s()
		if allHold(l, e, order[:gap]) {
			write()
			if allHold(l, e, order[gap:]) {
				return true
			}
		}
	}
	return false
}

func allHold(l *Ledger, e *Entry, cs []condition) bool {
	return !slices.ContainsFunc(cs, func(c condition) bool { return !c.holds(l, e, orderNow, orderBound) })
}

func place(order []condition, name string) int {
	return slices.IndexFunc(order, func(c condition) bool { return c.name == name })
}

func names(order []condition) (all []string) {
	for _, c := range order {
		all = append(all, c.name)
	}
	return all
}

func permutations[T any](of []T) (all [][]T) {
	if len(of) == 0 {
		return [][]T{nil}
	}
	for i, first := range of {
		rest := slices.Delete(slices.Clone(of), i, i+1)
		for _, p := range permutations(rest) {
			all = append(all, append([]T{first}, p...))
		}
	}
	return all
}
