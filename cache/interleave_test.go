package cache

import (
	"slices"
	"testing"
	"time"
)

// world is a row that changes once, from "old" to "new" in a transaction that ends at 1/95, and a result that is read
// from it and cached. Its moments are steps, so that a test can put them in any order.
type world struct {
	ledger   *Ledger
	store    *Store
	row      string // what a SELECT finds now
	applied  Seq    // what the server says it has applied
	recorded bool   // the reader of the binlog has seen the change

	at   Mark   // the filler's sample
	read string // the filler's result
}

func newWorld() *world {
	w := &world{ledger: NewLedger(4), store: NewStore(1<<20, 1<<10), row: "old", applied: At(1, 90)}
	epoch := w.ledger.Restart(At(1, 4))
	w.ledger.Advance(At(1, 90))
	w.ledger.SetComplete(epoch, 0)
	return w
}

var worldKey = []byte("SELECT v FROM t WHERE id = 1")

// The filler's steps.
func (w *world) sample() { w.at = Mark{w.ledger.Epoch(), w.applied} }
func (w *world) query()  { w.read = w.row }
func (w *world) fill() {
	w.store.Put(Hash(worldKey), NewEntry(worldKey, []byte(w.read), []Tag{tagA, tagB}, w.at))
}

// The change: commit is the moment at which the storage engine of the server that answers lets others see it, which
// on a replica is when it is applied; record is when its event has come through the binlog. Either may be first.
func (w *world) commit() { w.row, w.applied = "new", At(1, 95) }
func (w *world) record() {
	w.ledger.Record(At(1, 95), []Tag{tagA})
	w.recorded = true
}

// serve is what a client gets from the cache now; empty on a miss.
func (w *world) serve(r rule) string {
	e := w.store.Get(Hash(worldKey), worldKey)
	if e == nil || !r(w.ledger, e, 0, time.Second) {
		return ""
	}
	return string(e.Wire())
}

type step func(*world)

// play runs the steps and says what was served from the cache after the change had been recorded.
func play(r rule, steps []step) (served []string) {
	w := newWorld()
	for _, s := range steps {
		s(w)
		if got := w.serve(r); w.recorded && got != "" {
			served = append(served, got)
		}
	}
	return served
}

// The races that doc.go describes, step by step. Each is run on the rule, and on the rule without the comparison of
// AsOf, where it must go wrong: else the replay would prove nothing.
func TestReplay(t *testing.T) {
	for _, tt := range replays {
		t.Run(tt.name, func(t *testing.T) { replay(t, tt.steps) })
	}
}

var replays = []struct {
	name  string
	steps []step
}{
	{"fill loses the race", []step{
		(*world).sample, // says 90
		(*world).query,  // reads old
		(*world).commit, // at 95
		(*world).record,
		(*world).fill, // AsOf 90
	}},
	{"fill loses the race by less", []step{
		(*world).sample,
		(*world).query,
		(*world).commit,
		(*world).fill, // right at this moment, and only until the next step
		(*world).record,
	}},
	{"the write is first, but after the sample", []step{
		(*world).sample,
		(*world).commit,
		(*world).record,
		(*world).query, // reads new, which nobody can prove
		(*world).fill,
	}},
}

// TestPitfall1EventBeforeVisibility: the event of a transaction arrives before its rows are visible.
func TestPitfall1EventBeforeVisibility(t *testing.T) {
	replay(t, []step{
		(*world).record, // at 95
		(*world).sample, // says 90: the engine has not committed yet
		(*world).query,  // reads old
		(*world).fill,   // AsOf 90
		(*world).commit,
	})
}

// TestPitfall2LaggingReplica: the replica applies the change long after the ledger has recorded it.
func TestPitfall2LaggingReplica(t *testing.T) {
	fill := []step{(*world).sample, (*world).query, (*world).fill}
	lagging := slices.Concat([]step{(*world).record}, fill, fill)
	replay(t, lagging)
	caughtUp := slices.Concat(lagging, []step{(*world).commit}, fill)
	if got := play((*Ledger).Fresh, caughtUp); !slices.Equal(got, []string{"new"}) {
		t.Errorf("once the replica has caught up, served %q, want the new row", got)
	}
}

func replay(t *testing.T, steps []step) {
	t.Helper()
	if got := play((*Ledger).Fresh, steps); len(got) > 0 {
		t.Errorf("served %q after the change was recorded, want nothing", got)
	}
	if got := play(ruleWithout("tags"), steps); len(got) == 0 {
		t.Error("without the comparison of AsOf nothing was served either: the replay proves nothing")
	}
}

// TestEveryInterleaving runs the filler's three steps against the two of the change, in every order that can happen.
func TestEveryInterleaving(t *testing.T) {
	filler := []step{(*world).sample, (*world).query, (*world).fill}
	var all [][]step
	for _, change := range permutations([]step{(*world).commit, (*world).record}) {
		all = append(all, interleavings(filler, change)...)
	}
	if len(all) != 20 {
		t.Fatalf("%d interleavings, want 20", len(all))
	}
	if old, fresh := countServed((*Ledger).Fresh, all); old != 0 || fresh == 0 {
		t.Errorf("the rule: %d interleavings served the old row, want 0; %d served the new one, want some", old, fresh)
	}
	if old, _ := countServed(ruleWithout("tags"), all); old == 0 {
		t.Error("without the comparison of AsOf no interleaving served the old row: the test proves nothing")
	}
}

// TestSampleAfterReadIsWrong shows why the sample comes before the query.
func TestSampleAfterReadIsWrong(t *testing.T) {
	filler := []step{(*world).query, (*world).sample, (*world).fill}
	all := interleavings(filler, []step{(*world).commit, (*world).record})
	if old, _ := countServed((*Ledger).Fresh, all); old == 0 {
		t.Error("no interleaving served the old row, although the sample was taken after it had been read")
	}
}

func countServed(r rule, all [][]step) (old, fresh int) {
	for _, steps := range all {
		served := play(r, steps)
		if slices.Contains(served, "old") {
			old++
		}
		if slices.Contains(served, "new") {
			fresh++
		}
	}
	return old, fresh
}

// interleavings returns every merge of a and b that keeps the order within each.
func interleavings[T any](a, b []T) (all [][]T) {
	if len(a) == 0 || len(b) == 0 {
		return [][]T{slices.Concat(a, b)}
	}
	for _, rest := range interleavings(a[1:], b) {
		all = append(all, append([]T{a[0]}, rest...))
	}
	for _, rest := range interleavings(a, b[1:]) {
		all = append(all, append([]T{b[0]}, rest...))
	}
	return all
}

// eachMerge calls f with every merge of the lists that keeps the order within each.
func eachMerge[T any](done []T, lists [][]T, f func([]T)) {
	ended := true
	for i, list := range lists {
		if len(list) == 0 {
			continue
		}
		ended = false
		lists[i] = list[1:]
		eachMerge(append(done, list[0]), lists, f)
		lists[i] = list
	}
	if ended {
		f(done)
	}
}
