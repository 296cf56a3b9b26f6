package cache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// pressed is a cache that is too small, of which all is asked at once.
type pressed struct {
	*testing.T
	cache    *Cache
	ledger   *Ledger
	recorded []atomic.Uint64 // by tag, after the ledger
	applying sync.Mutex      // Record is for one at a time
	served   atomic.Uint64
}

const pressedKeys = 400

func pressedTags(key int) []Tag { return []Tag{Tag(key%7) << 50, Tag(7+key%5) << 50} }
func pressedKey(key int) []byte { return fmt.Appendf(nil, "key %d;", key) }

func (p *pressed) put(r *rand.Rand) {
	k := r.IntN(pressedKeys)
	at := p.ledger.Mark()
	at.Seq -= min(at.Seq, Seq(r.IntN(3)))
	p.cache.Put(NewEntry(pressedKey(k), append(pressedKey(k), make([]byte, r.IntN(300))...), pressedTags(k), at), time.Hour)
	if st := shardsOf(p.cache.store)[0].figures(); st.Bytes > st.Budget || st.Aside > st.Budget/4*asideShare {
		p.Errorf("a shard has %+v", st)
	}
}

// figures are those of one shard, at one moment.
func (s *shard) figures() (st Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{Bytes: s.bytes(), Aside: s.aside.bytes, Budget: s.budget}
}

// get checks the rule, and that key and result belong together.
func (p *pressed) get(r *rand.Rand) {
	k := r.IntN(pressedKeys)
	var last uint64
	for _, tag := range pressedTags(k) {
		last = max(last, p.recorded[tag>>50].Load())
	}
	e := p.cache.Get(pressedKey(k), time.Hour)
	if e == nil {
		return
	}
	p.cache.Served(e, p.served.Add(1))
	if uint64(e.At.Seq) < last || !bytes.HasPrefix(e.Wire(), pressedKey(k)) {
		p.Errorf("key %d: %q as of %d, what it depends on was touched at %d", k, e.Wire(), e.At.Seq, last)
	}
}

func (p *pressed) change(r *rand.Rand) {
	p.applying.Lock()
	defer p.applying.Unlock()
	tag, seq := r.IntN(12), p.ledger.Head()+1
	p.ledger.Record(seq, []Tag{Tag(tag) << 50})
	p.recorded[tag].Store(uint64(seq))
}

func (p *pressed) look(r *rand.Rand) {
	tag := Tag(r.IntN(12)) << 50
	if n := p.cache.Dependents(tag); n < 0 || n > pressedKeys {
		p.Errorf("%d of %d depend on a tag", n, pressedKeys)
	}
	for _, h := range p.cache.Hottest(tag, 10) {
		if !h.Entry.dependsOn(tag) || h.Rate <= 0 {
			p.Errorf("%q is among the hottest of %x, rate %v", h.Entry.Key(), tag, h.Rate)
		}
	}
}

func (p *pressed) reclaim(r *rand.Rand) { p.cache.Reclaim(p.Context(), Tag(r.IntN(12))<<50) }

func (p *pressed) resize(r *rand.Rand) { p.cache.store.Resize(60000 + r.Int64N(60000)) }

// TestStressProtect has fills, hits, changes, protections that come and go, and those who look and reclaim, at once.
func TestStressProtect(t *testing.T) {
	l := NewLedger(64)
	l.SetComplete(l.Restart(0), l.Now())
	p := &pressed{T: t, ledger: l, cache: New(Config{Size: 16 << 20, Limit: 1 << 10}, l, nil), recorded: make([]atomic.Uint64, 12)}
	p.cache.store.Resize(100000)
	var aside atomic.Int64
	protect := func(r *rand.Rand) {
		release := p.cache.Protect(Tag(r.IntN(12)) << 50)
		for range 100 {
			p.put(r)
		}
		aside.Store(max(aside.Load(), p.cache.Stats().Aside))
		release()
	}
	var wg sync.WaitGroup
	for seed, what := range []struct {
		times int
		do    func(*rand.Rand)
	}{{100, protect}, {100, protect}, {5000, p.put}, {20000, p.get}, {20000, p.get}, {500, p.change}, {200, p.look}, {20, p.reclaim}, {50, p.resize}} {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		wg.Go(func() {
			for range what.times {
				what.do(r)
			}
		})
	}
	wg.Wait()
	if p.served.Load() == 0 || aside.Load() == 0 {
		t.Errorf("%d served, %d bytes aside: the test does not test", p.served.Load(), aside.Load())
	}
	checkStore(t, p.cache.store)
	checkCells(t, &l.cells, usersOf(p.cache.store))
	for tag := range Tag(12) {
		l.Record(l.Head()+1, []Tag{tag << 50})
		p.cache.Reclaim(t.Context(), tag<<50)
	}
	if got := p.cache.Stats().Entries; got != 0 {
		t.Errorf("everything was touched and reclaimed, and %d entries are there", got)
	}
	checkCells(t, &l.cells, map[Tag]int{})
}
