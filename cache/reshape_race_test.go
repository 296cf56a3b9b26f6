package cache

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestWriterMeetsSplit replays the race of [Store.lock]: who has found a shard that is split or joined before he locks it gets
// the one that has the slot now.
func TestWriterMeetsSplit(t *testing.T) {
	const hash = 200 << 56
	for name, sizes := range map[string][2]int64{"split": {8 << 20, 4 << 30}, "joined": {4 << 30, 8 << 20}} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(sizes[0], 1<<10)
			found := s.shard(hash) // 1
			s.Resize(sizes[1])     // 2
			if found == s.shard(hash) {
				t.Fatal("the shard is the same")
			}
			sh := s.lock(found, slotOf(hash)) // 3
			sh.put(hash, entryOf("key", "x"))
			sh.mu.Unlock()
			if s.Get(hash, []byte("key")) == nil || s.Stats().Entries != 1 {
				t.Errorf("what was put is not found: %+v", s.Stats())
			}
			checkStore(t, s)
		})
	}
}

// TestReaderMeetsSplit: a reader who has found a shard before it is split finds what it had, and what he notes counts.
func TestReaderMeetsSplit(t *testing.T) {
	s := NewStore(8<<20, 1<<10)
	const hash = 200 << 56
	e := entryOf("key", "x")
	s.Put(hash, e)
	found := s.shard(hash)
	s.Resize(4 << 30)
	it := found.table.Load().find(hash, e.Key())
	if it == nil || it.entry != e {
		t.Fatal("the reader has lost the entry")
	}
	it.hit()
	if now := s.find(hash, e.Key()); now.hits() != 1 {
		t.Error("the hit does not count")
	}
}

// TestSweepMeetsSplit: a sweep that has looked at items takes them out of the shards that have them now, and walks see each
// entry once.
func TestSweepMeetsSplit(t *testing.T) {
	for name, sizes := range map[string][2]int64{"split": {8 << 20, 4 << 30}, "joined": {4 << 30, 8 << 20}} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(sizes[0], 1<<10)
			fillWith(s, 1000)
			seen, reshaped := 0, false
			for range s.all() {
				if seen++; !reshaped && seen >= 10 {
					s.Resize(sizes[1])
					reshaped = true
				}
			}
			if seen != 1000 {
				t.Errorf("%d of 1000 entries are seen", seen)
			}
			s = NewStore(sizes[0], 1<<10)
			fillWith(s, 1000)
			reshaped = false
			gone := s.Sweep(func(*Entry) bool {
				if !reshaped {
					s.Resize(sizes[1])
					reshaped = true
				}
				return false
			}, goOn)
			if st := s.Stats(); gone != 1000 || st.Entries != 0 || st.Bytes != 0 {
				t.Errorf("the sweep took %d of 1000: %+v", gone, st)
			}
			checkStore(t, s)
		})
	}
}

// TestPartsMeetResize replays the race of [Store.reshapeTo]: cells that come while somebody changes the size, and who leaves it
// to him to make room, are seen by him.
func TestPartsMeetResize(t *testing.T) {
	l := NewLedger(1 << 10)
	c := New(Config{Size: 1 << 20, Limit: 1 << 10}, l, nil)
	fillWith(c.store, 2000)
	c.store.room.begin(1<<20, c.store.entryBytes())
	e := NewEntry([]byte("key"), nil, make([]Tag, 0, 3000), Mark{})
	for i := range 3000 {
		e.Tags = append(e.Tags, Tag(i)<<40)
	}
	l.register(e)
	c.store.makeRoom() // 1
	for !c.store.settled() {
		c.store.approach() // 2
	}
	if st := c.Stats(); st.Bytes > st.Budget {
		t.Errorf("the budget does not hold: %+v", st)
	}
}

// reshaped is a cache whose size and limit are changed all the time, and results that say how new they are.
type reshaped struct {
	*testing.T
	cache *Cache
	truth [400]atomic.Uint64 // the Seq of the last change to each key's tag, once it is recorded
	head  atomic.Uint64
}

func (r *reshaped) key(k int) []byte { return fmt.Appendf(nil, "key %d", k) }
func (r *reshaped) tag(k int) Tag    { return Tag(k+1) << 33 }

// put stores a result that contains every change to its key up to the head.
func (r *reshaped) put(rng *rand.Rand) {
	k := rng.IntN(len(r.truth))
	at := r.cache.Ledger().Mark()
	wire := binary.LittleEndian.AppendUint64(nil, uint64(at.Seq))
	r.cache.Put(NewEntry(r.key(k), slices.Grow(wire, rng.IntN(2000)), []Tag{1, r.tag(k)}, at), benchBound)
}

// get: a result that was read before a change which was recorded before it was asked for is one too many.
func (r *reshaped) get(rng *rand.Rand) {
	k := rng.IntN(len(r.truth))
	changed := r.truth[k].Load()
	e := r.cache.Get(r.key(k), benchBound)
	if e == nil {
		return
	}
	if seq := binary.LittleEndian.Uint64(e.Wire()); seq < changed || string(e.Key()) != string(r.key(k)) {
		r.Errorf("key %d: got %q as of %d, changed at %d", k, e.Key(), seq, changed)
	}
}

func (r *reshaped) change(rng *rand.Rand) {
	k := rng.IntN(len(r.truth))
	seq := r.head.Add(1)
	r.cache.Ledger().Record(Seq(seq), []Tag{r.tag(k)})
	r.truth[k].Store(seq)
}

func (r *reshaped) resize(rng *rand.Rand) {
	if size := []int64{0, 50 << 10, 200 << 10, 16 << 20, 4 << 30}[rng.IntN(5)]; rng.IntN(3) > 0 {
		r.cache.Resize(size)
	} else {
		r.cache.SetLimit([]int64{100, 4 << 10, 64 << 20}[rng.IntN(3)])
	}
	if rng.IntN(20) == 0 {
		r.cache.Tidy()
	}
}

// TestStressResize: no result is served that is older than what was recorded before, whatever happens to sizes; and in the end
// the store is in order and the budget holds.
func TestStressResize(t *testing.T) {
	l := NewLedger(1 << 10)
	l.SetComplete(l.Restart(0), l.Now())
	r := &reshaped{T: t, cache: New(Config{Size: 1 << 20, Limit: 4 << 10}, l, nil)}
	var wg sync.WaitGroup
	for i, f := range []func(*rand.Rand){r.put, r.put, r.get, r.get, r.change, r.resize} {
		n := 6000
		if i == 5 {
			n = 60
		}
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			for range n {
				f(rng)
			}
		})
	}
	wg.Wait()
	r.cache.Resize(100 << 10)
	r.cache.SetLimit(4 << 10)
	if st := r.cache.Stats(); st.Bytes > st.Budget {
		t.Errorf("the budget does not hold: %+v", st)
	}
	checkStore(t, r.cache.store)
	checkCells(t, &l.cells, usersOf(r.cache.store))
}

// TestStressFoundWhileReshaped: what there is room for is found at every moment, although the shards are split and joined.
func TestStressFoundWhileReshaped(t *testing.T) {
	s := NewStore(16<<20, 1<<10)
	all := keys("stay", 500)
	for _, k := range all {
		put(s, entryOf(k, k))
	}
	sizes := []int64{8 << 20, 4 << 30, 64 << 20}
	i := 0
	contend(100, func() {
		for _, k := range all {
			if e := get(s, k); e == nil || string(e.Wire()) != k {
				t.Errorf("%q finds %v", k, e)
			}
		}
	}, func() {
		s.Resize(sizes[i%len(sizes)])
		i++
	})
	if st := s.Stats(); st.Entries != int64(len(all)) || st.Evictions != 0 {
		t.Errorf("%+v, want just those that stay", st)
	}
}
