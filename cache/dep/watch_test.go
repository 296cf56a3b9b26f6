package dep

import (
	"maps"
	"testing"
	"time"

	"weir/cache"
)

var (
	orders  = Fold("shop", "orders")
	byID    = Want{Column: "id", Interest: InValue}
	byState = Want{Column: "state", Interest: InChange}
)

// watching is a watch on a ledger whose head is at 10.
func watching() (*Watch, *cache.Ledger) {
	l := cache.NewLedger(1 << 10)
	l.Restart(1)
	l.Advance(10)
	return NewWatch(l), l
}

func wantSince(t *testing.T, w *Watch, when string, want cache.Seq, wants ...Want) {
	t.Helper()
	if got := w.Want(orders, wants); got != want {
		t.Errorf("%s: followed since %s, want %s", when, got, want)
	}
}

func wantColumns(t *testing.T, w *Watch, when string, want map[string]Interest) {
	t.Helper()
	var got map[string]Interest
	if d := w.Decoding(orders); d != nil {
		got = d.Columns
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v is decoded, want %v", when, got, want)
	}
}

func TestInterestCountsFromTheHead(t *testing.T) {
	w, l := watching()
	wantSince(t, w, "at first", 10, byID)
	l.Record(20, nil)
	w.Recorded(20)
	wantSince(t, w, "the same again", 10, byID)
	wantSince(t, w, "a second one", 20, byState)
	wantSince(t, w, "both", 20, byID, byState)
	wantSince(t, w, "none", 0)
	wantColumns(t, w, "then", map[string]Interest{"id": InValue, "state": InChange})
}

// The steps of the comment on Watch.
func TestInterestInAnOpenTransactionCountsFromItsEnd(t *testing.T) {
	w, l := watching()
	wantColumns(t, w, "1. the first rows", nil)
	wantSince(t, w, "2. a fill, in the middle", notYet, byID)
	wantColumns(t, w, "3. the rest", map[string]Interest{"id": InValue})
	l.Record(20, []cache.Tag{orders.Tag(), orders.Anchor()})
	wantSince(t, w, "3. between the ledger and the watch", notYet, byID, byState)
	w.Recorded(20)
	wantSince(t, w, "4. afterwards", 20, byID)
	wantSince(t, w, "4. afterwards, the other", 20, byState)
}

// A change past 4 GiB of a file is rounded up and the head stays before it: interests count from the change.
func TestInterestCountsFromTheLastChange(t *testing.T) {
	w, l := watching()
	seq := cache.After(7, 1<<32)
	l.Record(seq, nil)
	w.Recorded(seq)
	if l.Head() >= seq {
		t.Fatalf("the head is at %s, which is not before %s", l.Head(), seq)
	}
	wantSince(t, w, "after the change", seq, byID)
	w.Decoding(orders)
	w.Want(orders, []Want{byState})
	l.Record(seq, nil)
	w.Recorded(seq)
	wantSince(t, w, "after the next one", seq, byState)
}

// What a broken stream has decoded of a transaction comes again: the progress with which the next one begins ends it.
func TestProgressEndsWhatABrokenStreamLeftOpen(t *testing.T) {
	w, _ := watching()
	w.Decoding(orders)
	wantSince(t, w, "in the middle", notYet, byID)
	w.Recorded(10)
	wantSince(t, w, "at the start of the next stream", 10, byID)
	wantSince(t, w, "and new ones", 10, byState)
}

func TestRestartFollowsFromTheBeginning(t *testing.T) {
	w, l := watching()
	wantSince(t, w, "before", 10, byID)
	w.Decoding(orders)
	wantSince(t, w, "in the middle", notYet, byState)
	w.Forget(Fold("shop", "customers")) // of which nobody has heard
	l.Record(500, nil)
	w.last = 500
	l.Restart(5)
	w.Restart()
	wantSince(t, w, "in the new epoch", 0, byID, byState)
	wantSince(t, w, "a new one", 0, Want{Column: "id", Interest: InRange})
	l.Record(6, nil)
	w.Recorded(6)
	wantSince(t, w, "and later", 6, Want{Column: "paid", Interest: InChange})
}

// An entry from before a table was forgotten depends on tags of interests that nobody takes up again. They come back all
// together, or its change would touch neither them nor the anchor.
func TestForgottenInterestsComeBackTogether(t *testing.T) {
	w, l := watching()
	w.Want(orders, []Want{byID})
	before := w.Decoding(orders)
	w.Forget(orders)
	wantColumns(t, w, "forgotten", nil)
	l.Record(20, nil)
	w.Recorded(20)
	wantSince(t, w, "one is wanted again", 20, byState)
	wantColumns(t, w, "then", map[string]Interest{"id": InValue, "state": InChange})
	w.Recorded(20)
	wantSince(t, w, "the former one", 20, byID)
	if !maps.Equal(before.Columns, map[string]Interest{"id": InValue}) {
		t.Errorf("what was handed out has changed to %v", before.Columns)
	}
	w.Forget(orders)
	w.Forget(orders)
	wantSince(t, w, "what was there all along counts anew", 20, byID)
}

// In the middle of a transaction too, of which the first rows have touched only the anchor.
func TestForgottenAndWantedInOneTransaction(t *testing.T) {
	w, l := watching()
	w.Want(orders, []Want{byID})
	w.Forget(orders)
	wantColumns(t, w, "the first rows", nil)
	wantSince(t, w, "wanted again", notYet, byID)
	l.Record(30, nil)
	w.Recorded(30)
	wantSince(t, w, "afterwards", 30, byID)
}

// The version is what tells that rows which were decoded earlier may lack tags.
func TestVersionOfTheWatch(t *testing.T) {
	w, _ := watching()
	for _, step := range []struct {
		name    string
		do      func()
		changes bool
	}{
		{"an interest", func() { w.Want(orders, []Want{byID}) }, true},
		{"the same", func() { w.Want(orders, []Want{byID}) }, false},
		{"another column", func() { w.Want(orders, []Want{byState}) }, true},
		{"another interest in a column", func() { w.Want(orders, []Want{{Column: "id", Interest: InRange}}) }, true},
		{"another table", func() { w.Want(Fold("shop", "customers"), []Want{byID}) }, true},
		{"a transaction", func() { w.Decoding(orders); w.Recorded(20) }, false},
		{"forgotten", func() { w.Forget(orders) }, true},
		{"forgotten twice", func() { w.Forget(orders) }, false},
		{"wanted again", func() { w.Want(orders, []Want{byID}) }, true},
	} {
		before := w.Version()
		step.do()
		if changed := w.Version() != before; changed != step.changes {
			t.Errorf("%s: the version has changed: %v, want %v", step.name, changed, step.changes)
		}
	}
}

func TestPruneForgetsWhatNobodyWants(t *testing.T) {
	w, _ := watching()
	w.Want(orders, []Want{byID})
	w.Prune(time.Hour)
	wantColumns(t, w, "wanted within the hour", map[string]Interest{"id": InValue})
	w.Prune(0)
	wantColumns(t, w, "wanted by nobody", nil)
	w.Prune(0)
	wantSince(t, w, "wanted again", notYet, byID) // wantColumns has opened a transaction
	w.Recorded(50)
	wantColumns(t, w, "from then on", map[string]Interest{"id": InValue})
}
