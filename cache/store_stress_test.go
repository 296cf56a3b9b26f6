package cache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestStressStore has readers and writers at once on a store that is too small. Each result tells its key, so that a
// reader sees what does not belong together.
func TestStressStore(t *testing.T) {
	s := NewStore(16<<20, 1<<10)
	s.Resize(60000)
	all := keys("key", 300)
	writer := func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range 3000 {
			k := all[r.IntN(len(all))]
			e := entryOf(k, fmt.Sprintf("%s by %d", k, seed))
			switch p := r.IntN(100); {
			case p < 80:
				put(s, e)
			case p < 95:
				s.Remove(Hash([]byte(k)), foundOr(s, k, e))
			case p < 97:
				s.Resize(40000 + r.Int64N(40000))
			case p < 99:
				s.Sweep(func(e *Entry) bool { return e.data[len(e.data)-1] != byte('0'+i%3) }, goOn)
			default:
				s.Clear()
			}
		}
	}
	reader := func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		for range 10000 {
			k := all[r.IntN(len(all))]
			e := get(s, k)
			if e != nil && (string(e.Key()) != k || !bytes.HasPrefix(e.Wire(), []byte(k+" by "))) {
				t.Errorf("%q finds %q: %q", k, e.Key(), e.Wire())
			}
		}
	}
	var wg sync.WaitGroup
	for i := range uint64(3) {
		wg.Go(func() { writer(i) })
		wg.Go(func() { reader(i) })
	}
	wg.Wait()
	checkStore(t, s)
}

// foundOr returns what key finds, or otherwise.
func foundOr(s *Store, key string, otherwise *Entry) *Entry {
	if e := get(s, key); e != nil {
		return e
	}
	return otherwise
}

// TestStressRebuild: what stays is found at every moment, although others come and go around it, all in one
// neighbourhood of the table, which grows, fills with deleted marks and is rebuilt many times.
func TestStressRebuild(t *testing.T) {
	s := NewStore(1<<20, 1<<10)
	shard := shardsOf(s)[0]
	const hash = 5
	stay := keys("stay", 20)
	for i, k := range stay {
		s.Put(hash+uint64(i%3), entryOf(k, k))
	}
	round, rebuilds := 0, 0
	contend(300, func() {
		for i, k := range stay {
			if e := s.Get(hash+uint64(i%3), []byte(k)); e == nil || string(e.Wire()) != k {
				t.Errorf("%q finds %v", k, e)
			}
		}
	}, func() {
		before := shard.table.Load()
		round++
		come := make([]*Entry, round%40+1)
		for i := range come {
			come[i] = entryOf(fmt.Sprintf("come %d %d", round, i), "")
			s.Put(hash+uint64(i%3), come[i])
		}
		for i, e := range come {
			s.Remove(hash+uint64(i%3), e)
		}
		if shard.table.Load() != before {
			rebuilds++
		}
	})
	if rebuilds < 10 {
		t.Errorf("the table was rebuilt %d times", rebuilds)
	}
	if st := s.Stats(); st.Entries != int64(len(stay)) || st.Evictions != 0 {
		t.Errorf("%+v, want just those that stay", st)
	}
	checkStore(t, s)
}
