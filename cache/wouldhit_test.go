package cache

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// TestGhostIsNeverServed: whoever asks for entries finds none, although the key is the same; and who asks what would be finds
// no entry.
func TestGhostIsNeverServed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		key, at := []byte("key"), Mark{2, At(1, 90)}
		ghost := NewGhost(key, 500, []Tag{tagA, tagB}, at)
		ghost.Versioned = true
		if why := c.Put(ghost, cacheBound); why != Stored {
			t.Fatal(why)
		}
		s := Snapshot{Holds: at, Read: map[Tag]time.Duration{tagA: 0, tagB: 0}}
		if c.Get(key, cacheBound) != nil || c.GetAt(key, s) != nil || c.Servable(key, cacheBound) || c.Inspect(key, cacheBound).Stored {
			t.Error("a ghost is found as an entry")
		}
		c.Each(func(*Entry) { t.Error("a ghost is among the entries") })
		if e := c.WouldHit(key, cacheBound); e != ghost || !e.Ghost() {
			t.Errorf("the ghost is not found: %v", e)
		}
		if c.Warmest(10) != nil || c.Hottest(tagA, 10) != nil {
			t.Error("a ghost is among the hottest")
		}
		real := cacheEntry("key", 10, at, tagA, tagB)
		real.Versioned = true
		c.Put(real, cacheBound)
		if e := c.Get(key, cacheBound); e != real {
			t.Errorf("beside a ghost the entry is not found: %v", e)
		}
		if c.GetAt(key, s) != real || c.WouldHit(key, cacheBound) != ghost {
			t.Error("entry and ghost of one key are in each other's place")
		}
		if c.Each(func(e *Entry) {
			if e != real {
				t.Error("a ghost is among the entries")
			}
		}); c.Stats().Entries != 2 {
			t.Errorf("%+v", c.Stats())
		}
	})
}

// TestGhostIsJudged: as an entry in its place would be, by the rule, by its size, and when it is stored.
func TestGhostIsJudged(t *testing.T) {
	key, at := []byte("key"), Mark{2, At(1, 90)}
	for name, then := range map[string]func(c *Cache){
		"changed":     func(c *Cache) { c.Ledger().Record(At(1, 95), []Tag{tagB}) },
		"too old":     func(c *Cache) { age(c, cacheAge+1) },
		"other epoch": func(c *Cache) { c.Ledger().Restart(At(1, 60)); age(c, 0) },
		"cleared":     func(c *Cache) { c.Clear() },
		"no budget":   func(c *Cache) { c.Resize(0) },
	} {
		inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
			c.Put(NewGhost(key, 10, []Tag{tagA, tagB}, at), cacheBound)
			if c.WouldHit(key, cacheBound) == nil {
				t.Fatal("it would not be a hit")
			}
			if then(c); c.WouldHit(key, cacheBound) != nil {
				t.Errorf("%s: it would still be a hit", name)
			}
		})
	}
	inBubble(t, func(t *testing.T, c *Cache, _ *prometheus.Registry) {
		for size, want := range map[int]Refusal{1000: Stored, 1001: RefusedTooLarge} {
			if got := c.Put(NewGhost(key, size, []Tag{tagA}, at), cacheBound); got != want {
				t.Errorf("a ghost of %d bytes: %q, want %q", size, got, want)
			}
		}
		if got := c.Put(NewGhost(key, 1, []Tag{tagA}, Mark{2, At(1, 79)}), cacheBound); got != RefusedBehind {
			t.Errorf("one that is behind: %q", got)
		}
	})
}

// TestGhostCounts: it takes of the budget what the entry would take.
func TestGhostCounts(t *testing.T) {
	ghost := sizeOf(NewGhost([]byte("some key"), 100000, []Tag{tagA}, Mark{}))
	if entry := sizeOf(NewEntry([]byte("some key"), make([]byte, 100000), []Tag{tagA}, Mark{})); ghost > entry || ghost < entry*9/10 {
		t.Errorf("a ghost takes %d bytes, an entry %d", ghost, entry)
	}
	s := NewStore(1<<20, 100000)
	for _, k := range keys("ghost", 100) {
		e := NewGhost([]byte(k), 100000, nil, Mark{})
		s.Put(e.storeHash(), e)
	}
	if st := s.Stats(); st.Entries != 10 || st.Bytes > st.Budget {
		t.Errorf("%+v, want ten ghosts", st)
	}
	checkStore(t, s)
}
