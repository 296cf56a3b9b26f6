package cache

import (
	"strings"
	"testing"
	"time"
)

// protecting is a cache with one shard and room for about 1,000 entries of 100 bytes, so that the numbers are exact.
type protecting struct {
	*testing.T
	cache *Cache
	shard *shard
	size  int64 // of an entry
}

const protectRoom = 1000

func newProtecting(t *testing.T) *protecting {
	t.Helper()
	l := NewLedger(1 << 10)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 1 << 30, Limit: 1 << 27}, l, nil)
	if len(shardsOf(c.store)) != 1 {
		t.Fatalf("%d shards", len(shardsOf(c.store)))
	}
	p := &protecting{t, c, shardsOf(c.store)[0], newItem(0, cacheEntry("table 000000", 100, Mark{}, tagA, tagB)).size}
	c.store.Resize(protectRoom * p.size)
	return p
}

// put stores an entry for each key, all with the same tags, and looks at the budget each time.
func (p *protecting) put(keys []string, tags ...Tag) {
	p.Helper()
	for _, k := range keys {
		if why := p.cache.Put(cacheEntry(k, 100, p.cache.Ledger().Mark(), tags...), time.Hour); why != Stored {
			p.Fatalf("%q is refused: %s", k, why)
		}
		if st := p.cache.Stats(); st.Bytes > st.Budget || st.Aside > st.Budget/4*asideShare {
			p.Fatalf("after %q: %+v", k, st)
		}
	}
}

// held counts without asking for them, which would be a use.
func (p *protecting) held(keys []string) (n int) {
	for _, k := range keys {
		if p.shard.table.Load().find(Hash([]byte(k)), []byte(k)) != nil {
			n++
		}
	}
	return n
}

func (p *protecting) check() {
	p.Helper()
	checkStore(p.T, p.cache.store)
}

// TestPitfall56ProtectedSurvive: entries of a table on which a schema change runs stay, whether they were stored before
// or after it began, though nobody asks for them and ten times the budget of others comes by. Once it has ended they go
// like all others.
func TestPitfall56ProtectedSurvive(t *testing.T) {
	p := newProtecting(t)
	before, after := keys("before", 300), keys("after", 200)
	p.put(before, tagA, tagB)
	release := p.cache.Protect(tagA)
	p.put(after, tagA, tagB)
	other := keys("other", 10*protectRoom)
	p.put(other, tagC)
	if b, a := p.held(before), p.held(after); b != 300 || a != 200 {
		t.Errorf("%d of 300 from before and %d of 200 from after are there", b, a)
	}
	if got := p.held(other); got < protectRoom/3 || got > protectRoom/2 {
		t.Errorf("%d others are there", got)
	}
	if st := p.cache.Stats(); st.Aside == 0 || st.Evictions == 0 {
		t.Errorf("%+v: the test does not test", st)
	}
	p.check()
	release()
	release()
	p.put(keysFrom("other", 10*protectRoom, 2*protectRoom), tagC)
	if b, a, aside := p.held(before), p.held(after), p.cache.Stats().Aside; b != 0 || a != 0 || aside != 0 {
		t.Errorf("long after, %d and %d are there, %d bytes set aside", b, a, aside)
	}
	p.check()
}

// TestPitfall56ProtectedShare: protected entries alone are too many. The budget holds, and others still have a cache.
func TestPitfall56ProtectedShare(t *testing.T) {
	p := newProtecting(t)
	defer p.cache.Protect(tagA)()
	all, hot := keys("table", 3*protectRoom), keys("hot", protectRoom/20)
	p.put(all, tagA, tagB)
	for round := range 5 {
		p.put(hot, tagC)
		for _, k := range hot {
			if p.cache.Get([]byte(k), time.Hour) == nil {
				t.Fatalf("round %d: %q is gone", round, k)
			}
		}
		p.put(keysFrom("table", 1000*(round+3), 500), tagA, tagB)
		p.put(keysFrom("scan", 1000*round, 500), tagD)
	}
	if got := p.held(hot); got != len(hot) {
		t.Errorf("%d of %d hot entries of another table are there", got, len(hot))
	}
	if st := p.cache.Stats(); st.Aside < st.Budget*70/100 {
		t.Errorf("%+v: less than their share is set aside", st)
	}
	p.cache.store.Resize(protectRoom * p.size / 4)
	if st := p.cache.Stats(); st.Bytes > st.Budget || st.Aside > st.Budget/4*asideShare || st.Aside < st.Budget/2 {
		t.Errorf("a quarter of the size: %+v", st)
	}
	p.put(keysFrom("last", 0, 10), tagC)
	p.check()
	p.cache.store.Resize(0)
	if st := p.cache.Stats(); st.Entries != 0 || st.Aside != 0 {
		t.Errorf("no size: %+v", st)
	}
	p.check()
}

// TestProtectionOverlaps: an entry stays as long as one of its tags is protected by somebody.
func TestProtectionOverlaps(t *testing.T) {
	p := newProtecting(t)
	first, second, other := p.cache.Protect(tagA), p.cache.Protect(tagA), p.cache.Protect(tagB)
	all, more := keys("table", 100), 0
	p.put(all, tagA, tagB)
	for i, step := range []struct {
		release func()
		want    int
	}{{func() {}, 100}, {first, 100}, {other, 100}, {second, 0}} {
		step.release()
		p.put(keysFrom("other", more, 3*protectRoom), tagC)
		more += 3 * protectRoom
		if got := p.held(all); got != step.want {
			t.Errorf("step %d: %d entries are there, want %d", i, got, step.want)
		}
	}
	p.check()
	checkCells(t, &p.cache.Ledger().cells, usersOf(p.cache.store))
}

// TestProtectionIsNotForWhatHasEnded: what a change has ended is not kept; what it has not, is.
func TestProtectionIsNotForWhatHasEnded(t *testing.T) {
	p := newProtecting(t)
	defer p.cache.Protect(tagA)()
	ended, alive := keys("ended", 100), keys("alive", 100)
	p.put(ended, tagA, tagD)
	p.put(alive, tagA, tagB)
	p.cache.Ledger().Record(10, []Tag{tagD})
	p.put(keys("other", 3*protectRoom), tagC)
	if e, a := p.held(ended), p.held(alive); e != 0 || a != 100 {
		t.Errorf("%d that ended and %d of 100 others are there", e, a)
	}
}

// TestProtectedAreReplaced: a new entry takes the place of one that was set aside, and is protected like that.
func TestProtectedAreReplaced(t *testing.T) {
	p := newProtecting(t)
	release := p.cache.Protect(tagA)
	all, more := keys("table", 200), 0
	for range 3 {
		p.put(all, tagA, tagB)
		p.put(keysFrom("other", more, 2*protectRoom), tagC)
		more += 2 * protectRoom
		if got := p.held(all); got != len(all) {
			t.Errorf("%d of %d are there", got, len(all))
		}
	}
	release()
	p.put(all[:100], tagA, tagB)
	p.put(keysFrom("other", more, 3*protectRoom), tagC)
	if got := p.held(all); got != 0 {
		t.Errorf("after release %d are there", got)
	}
	p.check()
	p.cache.Clear()
	if st := p.cache.Stats(); st.Entries != 0 || st.Aside != 0 {
		t.Errorf("after Clear: %+v", st)
	}
}

// TestReplayRelease: a protection ends while the eviction looks at an entry, see [shard.evict].
func TestReplayRelease(t *testing.T) {
	p := newProtecting(t)
	p.put([]string{"it"}, tagA)
	release := p.cache.Protect(tagA)
	it := p.shard.small.oldest()
	p.shard.lookAgain()                                                 // the eviction begins
	if !p.cache.Ledger().cells.protects(it.entry) || it.rounds() != 0 { // 1
		t.Fatal("it is not protected")
	}
	release()           // 2
	it.queue.unlink(it) // 3, the rest of setAside
	p.shard.aside.push(it)
	p.shard.lookAgain() // 4
	if got := queueOf(p.shard, "it"); got != "small" || p.shard.aside.len != 0 || p.shard.unsure != 0 {
		t.Errorf("it is in %s, %d are set aside", got, p.shard.aside.len)
	}
	p.check()
}

// TestProtectionIsNotServability: neither a protection that begins before or after a change nor one that ends makes
// anything servable.
func TestProtectionIsNotServability(t *testing.T) {
	for _, order := range []string{"protect store change", "store protect change", "store change protect", "protect change store", "change protect store"} {
		t.Run(order, func(t *testing.T) {
			p, release := newProtecting(t), func() {}
			l := p.cache.Ledger()
			e := cacheEntry("it", 100, l.Mark(), tagA, tagB)
			for _, step := range strings.Fields(order) {
				switch step {
				case "protect":
					release = p.cache.Protect(tagA)
				case "store":
					p.cache.Put(e, time.Hour)
				case "change":
					l.Record(l.Head()+1, []Tag{tagA})
				}
			}
			for range 2 { // before release and after
				if p.cache.Get([]byte("it"), time.Hour) != nil || l.Fresh(e, l.Now(), time.Hour) {
					t.Error("it is served after the change")
				}
				release()
			}
			p.cache.Clear()
			if l.Fresh(e, l.Now(), time.Hour) {
				t.Error("it looks servable once it has left")
			}
		})
	}
}

// TestDependents counts the entries, not those who protect them.
func TestDependents(t *testing.T) {
	p := newProtecting(t)
	expect := func(when string, a, b, c int) {
		t.Helper()
		for tag, want := range map[Tag]int{tagA: a, tagB: b, tagC: c, tagD: 0} {
			if got := p.cache.Dependents(tag); got != want {
				t.Errorf("%s: %d depend on %x, want %d", when, got, tag, want)
			}
		}
	}
	expect("empty", 0, 0, 0)
	release := p.cache.Protect(tagA)
	expect("protected", 0, 0, 0)
	p.put(keys("both", 10), tagA, tagB)
	p.put(keys("one", 5), tagA)
	expect("stored", 15, 10, 0)
	p.put(keys("both", 4), tagA, tagC)
	expect("four replaced", 15, 6, 4)
	p.cache.Ledger().Record(10, []Tag{tagC})
	expect("four ended", 15, 6, 4)
	p.cache.sweep(t.Context())
	expect("swept", 11, 6, 0)
	release()
	expect("released", 11, 6, 0)
	p.cache.Clear()
	expect("cleared", 0, 0, 0)
}
