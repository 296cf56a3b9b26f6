package cache

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestReclaim takes what depends on the tag and is not servable any more, counts it as ended, and leaves the rest to the
// sweep.
func TestReclaim(t *testing.T) {
	p := newProtecting(t)
	l := p.cache.Ledger()
	share := []Share{{Yield: p.cache.Yield("t", "row"), Tags: 1}}
	put := func(key string, tags ...Tag) {
		e := cacheEntry(key, 100, l.Mark(), tags...)
		e.Shares = share
		p.cache.Put(e, time.Hour)
	}
	for _, k := range keys("table", 100) {
		put(k, tagA, tagB)
	}
	for _, k := range keys("other", 50) {
		put(k, tagC)
	}
	if got := p.cache.Reclaim(t.Context(), tagA); got != 0 {
		t.Errorf("nothing has changed, and %d are gone", got)
	}
	l.Record(10, []Tag{tagA, tagC})
	for _, k := range keysFrom("table", 90, 20) { // ten replaced, ten new
		put(k, tagA, tagB)
	}
	if got := p.cache.Reclaim(t.Context(), tagD); got != 0 {
		t.Errorf("Reclaim of a tag that nothing depends on takes %d", got)
	}
	if got := p.cache.Reclaim(t.Context(), tagB); got != 90 {
		t.Errorf("Reclaim = %d, want 90", got)
	}
	if live, other := p.held(keysFrom("table", 90, 20)), p.held(keys("other", 50)); live != 20 || other != 50 || p.held(keys("table", 90)) != 0 {
		t.Errorf("%d of 20 servable ones and %d of 50 others are there", live, other)
	}
	if ended, swept := testutil.ToFloat64(p.cache.metrics.ended), testutil.ToFloat64(p.cache.metrics.swept); ended != 100 || swept != 90 {
		t.Errorf("%v ended, %v swept; want 100, 90", ended, swept)
	}
	p.check()
}

// TestReclaimStops with its context, after one part.
func TestReclaimStops(t *testing.T) {
	p := newProtecting(t)
	p.cache.store.Resize(10 * protectRoom * p.size)
	p.put(keys("table", 5000), tagA)
	p.cache.Ledger().Record(10, []Tag{tagA})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := p.cache.Reclaim(ctx, tagA); got == 0 || got > 3*walkStep {
		t.Errorf("%d are gone after the context had ended", got)
	}
}

// TestSweepInParts: a few hundred at most go at a time, and those that nobody has to wait for are looked at without a
// lock: else the Put in keep would wait for itself.
func TestSweepInParts(t *testing.T) {
	s, shard := oneShard(t, 64<<20)
	all := keys("key", 20000)
	for _, k := range all {
		put(s, entryOf(k, "old"))
	}
	before, asked := s.Stats().Entries, 0
	keep := func(e *Entry) bool {
		if asked++; asked == 10000 {
			put(s, entryOf("another", ""))
		}
		return false
	}
	gone := s.Sweep(keep, func() bool {
		now := s.Stats().Entries
		if took := before - now; took > walkStep {
			t.Errorf("%d went at a time", took)
		}
		before = now
		return true
	})
	if gone < 20000 || countHeld(s, all) != 0 {
		t.Errorf("%d are gone, %d are there", gone, countHeld(s, all))
	}
	checkShard(t, shard)
}

// TestReplaySweepMeetsANewEntry replays the interleaving at [Store.Sweep]: what was refused is replaced, by Put, by Clear
// and Put, or while the table is rebuilt, before it is taken out. What is there now stays.
func TestReplaySweepMeetsANewEntry(t *testing.T) {
	for name, meanwhile := range map[string]func(s *Store, key string){
		"replaced": func(s *Store, key string) { put(s, entryOf(key, "new")) },
		"cleared":  func(s *Store, key string) { s.Clear(); put(s, entryOf(key, "new")) },
		"removed": func(s *Store, key string) {
			s.Remove(Hash([]byte(key)), get(s, key))
			put(s, entryOf(key, "new"))
		},
		"rebuilt": func(s *Store, key string) { putAll(s, keys("more", 500)); put(s, entryOf(key, "new")) },
	} {
		t.Run(name, func(t *testing.T) {
			s, shard := oneShard(t, 1<<20)
			all := keys("key", 40)
			for _, k := range all {
				put(s, entryOf(k, "old"))
			}
			ended := 0
			shard.ended = func(it *item) { ended++ }
			s.Sweep(func(e *Entry) bool { // 1: refuses all that are old; 2: the last one that it looks at is replaced
				if string(e.Wire()) != "old" {
					return true
				}
				if all = slices.DeleteFunc(all, func(k string) bool { return k == string(e.Key()) }); len(all) == 0 {
					meanwhile(s, string(e.Key()))
					all = []string{string(e.Key())}
				}
				return false
			}, goOn)
			if e := get(s, all[0]); e == nil || string(e.Wire()) != "new" { // 3
				t.Errorf("after the sweep its key has %v", e)
			}
			if name == "replaced" && ended != 40 {
				t.Errorf("%d have ended, want 40", ended)
			}
			checkShard(t, shard)
		})
	}
}

// TestEachSeesAll: every entry once, whichever queue it is in.
func TestEachSeesAll(t *testing.T) {
	p := newProtecting(t)
	defer p.cache.Protect(tagA)()
	p.put(keys("table", 300), tagA)
	p.put(keys("other", 3*protectRoom), tagC)
	seen := map[string]int{}
	p.cache.Each(func(e *Entry) { seen[string(e.Key())]++ })
	if st := p.cache.Stats(); int64(len(seen)) != st.Entries || st.Aside == 0 {
		t.Errorf("Each sees %d of %d entries", len(seen), st.Entries)
	}
	for k, n := range seen {
		if n != 1 {
			t.Errorf("Each sees %q %d times", k, n)
		}
	}
}
