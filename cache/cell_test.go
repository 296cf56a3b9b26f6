package cache

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// checkCells compares what the cells keep of themselves, and what they should have: the users of each tag.
func checkCells(t *testing.T, cs *cells, users map[Tag]int) {
	t.Helper()
	found, bytes := 0, int64(0)
	for i := range cs.shards {
		s, live := &cs.shards[i], 0
		s.each(func(tag Tag, c *cell) {
			live++
			if cs.of(tag) != s || s.find(tag) != c {
				t.Errorf("tag %x is in the wrong place", tag)
			}
			if int(c.refs) != users[tag] || c.refs <= 0 || c.last.Load() == dead {
				t.Errorf("tag %x has %d users, want %d; last is %d", tag, c.refs, users[tag], c.last.Load())
			}
		})
		if live != s.live {
			t.Errorf("shard %d counts %d cells, has %d", i, s.live, live)
		}
		found += live
		bytes += int64(live)*cellSize + int64(len(s.table))*placeSize
	}
	if found != len(users) || bytes != cs.bytes.Load() {
		t.Errorf("%d cells of %d bytes, counts %d bytes; want %d cells", found, bytes, cs.bytes.Load(), len(users))
	}
}

// usersOf counts how many entries in a store depend on each tag.
func usersOf(s *Store) map[Tag]int {
	users := map[Tag]int{}
	for sh := range s.shards() {
		for _, q := range sh.queues() {
			q.each(func(it *item) {
				for _, tag := range it.entry.Tags {
					users[tag]++
				}
			})
		}
	}
	return users
}

func TestCellsSize(t *testing.T) {
	if cellSize != 16 {
		t.Errorf("a cell has %d bytes; the budget counts what the heap gives, which is 16", cellSize)
	}
}

// TestCellsAgainstModel takes, gives back and touches by chance, on tags of which many are in one shard.
func TestCellsAgainstModel(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 0))
		l, exact, users := NewLedger(2), map[Tag]Seq{}, map[Tag]int{}
		l.Restart(0)
		type user struct {
			tag  Tag
			cell *cell
		}
		var taken []user
		tag := func() Tag { return Tag(r.IntN(300)) << (r.IntN(2) * 40) }
		for seq := Seq(1); seq <= 20000; seq++ {
			growing := seq/2000%2 == 0
			switch n := r.IntN(10); {
			case n < 2:
				touched := tag()
				l.Record(seq, []Tag{touched})
				exact[touched] = seq
			case growing == (n < 8) || len(taken) == 0:
				tag := tag()
				users[tag]++
				taken = append(taken, user{tag, l.cells.take(tag, &l.history)})
			default:
				i := r.IntN(len(taken))
				u := taken[i]
				taken = slices.Delete(taken, i, i+1)
				l.cells.give(u.tag, u.cell)
				if users[u.tag]--; users[u.tag] == 0 {
					delete(users, u.tag)
					if u.cell.last.Load() != dead {
						t.Errorf("the cell of %x has no user and is not dead", u.tag)
					}
				}
			}
			if seq%500 == 0 {
				checkCells(t, &l.cells, users)
				for _, u := range taken {
					if got := Seq(u.cell.last.Load()); got < exact[u.tag] {
						t.Errorf("tag %x was touched at %d, its cell says %d", u.tag, exact[u.tag], got)
					}
				}
			}
		}
	}
}

// TestCellIsExact: a cell says when its own tag was touched, whatever the history has forgotten; a new one starts from what
// the history says.
func TestCellIsExact(t *testing.T) {
	l := NewLedger(1)
	l.Restart(0)
	const a, b = Tag(1), Tag(2)
	l.Record(5, []Tag{b})
	for i := range Seq(ways + 1) { // of which two push out b and then the first of them
		l.Record(10+i, []Tag{1000 + Tag(i)})
	}
	first := l.cells.take(b, &l.history)
	if got := first.last.Load(); got != 10 {
		t.Errorf("b's cell was made when the history had forgotten what was up to 10, says %d", got)
	}
	l.Record(28, []Tag{a})
	second := l.cells.take(a, &l.history)
	l.Record(30, []Tag{b})
	l.Record(25, []Tag{b})
	if got := first.last.Load(); got != 30 {
		t.Errorf("b's cell was touched at 30, says %d", got)
	}
	if got := second.last.Load(); got != 28 {
		t.Errorf("a's cell was made when the history said 28, says %d", got)
	}
	if again := l.cells.take(b, nil); again != first {
		t.Error("b has two cells")
	}
	l.cells.give(b, first)
	if got := first.last.Load(); got != 30 {
		t.Errorf("b's cell still has a user, says %d", got)
	}
	l.cells.give(b, first)
	l.Record(40, []Tag{b})
	if next := l.cells.take(b, &l.history); first.last.Load() != dead || next == first || next.last.Load() != 40 {
		t.Errorf("the old cell says %d, want dead; the new one %d, want 40", first.last.Load(), next.last.Load())
	}
}

func TestCellsAfterRestart(t *testing.T) {
	l := NewLedger(2)
	l.Restart(0)
	l.Record(At(9, 4), []Tag{tagA})
	c := l.cells.take(tagA, &l.history)
	l.Restart(At(1, 4))
	if got := c.last.Load(); got != 0 {
		t.Errorf("after Restart the cell says %d", got)
	}
	l.Record(At(1, 90), []Tag{tagA})
	if got := Seq(c.last.Load()); got != At(1, 90) {
		t.Errorf("the cell says %s, want what happened in the new epoch", got)
	}
}

// TestStoreGivesCellsBack: by whatever way an entry leaves, or is not let in.
func TestStoreGivesCellsBack(t *testing.T) {
	right := Mark{2, At(1, 90)}
	tests := []struct {
		name string
		do   func(t *testing.T, c *Cache)
		left int64 // entries
	}{
		{"none leaves", func(*testing.T, *Cache) {}, 3},
		{"one is replaced", func(_ *testing.T, c *Cache) { c.Put(cacheEntry("a", 1, right, tagC, tagD), cacheBound) }, 3},
		{"one is taken out", func(_ *testing.T, c *Cache) { c.store.Remove(Hash([]byte("a")), c.Get([]byte("a"), cacheBound)) }, 2},
		{"two are swept", func(t *testing.T, c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB}); c.sweep(t.Context()) }, 1},
		{"all are swept", func(t *testing.T, c *Cache) { c.Ledger().Restart(0); c.sweep(t.Context()) }, 0},
		{"all are evicted", func(_ *testing.T, c *Cache) { c.store.Resize(0) }, 0},
		{"all are cleared", func(_ *testing.T, c *Cache) { c.Clear() }, 0},
		{"one is refused as too old", func(_ *testing.T, c *Cache) { c.Put(cacheEntry("d", 1, Mark{2, 0}, tagD), cacheBound) }, 3},
		{"one is refused as too large", func(_ *testing.T, c *Cache) {
			c.Put(cacheEntry(string(make([]byte, 2<<20)), 1, right, tagD), cacheBound)
		}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
				for key, tags := range map[string][]Tag{"a": {tagA, tagB}, "b": {tagA, tagB, tagC}, "c": {tagC}} {
					if why := c.Put(cacheEntry(key, 100, right, tags...), cacheBound); why != Stored {
						t.Fatal(why)
					}
				}
				tt.do(t, c)
				if got := c.Stats().Entries; got != tt.left {
					t.Errorf("%d entries are left, want %d", got, tt.left)
				}
				checkCells(t, &c.Ledger().cells, usersOf(c.store))
			})
		})
	}
}
