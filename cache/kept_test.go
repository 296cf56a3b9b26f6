package cache

import (
	"testing"
	"time"
)

// TestKeep: what is kept is known exactly, however much else is touched, and counts as nobody's entry.
func TestKeep(t *testing.T) {
	l := NewLedger(1)
	l.Restart(0)
	kept, again := l.Keep(tagA), l.Keep(tagA)
	forget := func(from Seq) {
		for i := range Seq(2 * ways) {
			l.Record(from+i, []Tag{1000 + Tag(i)})
		}
	}
	forget(10)
	if got := kept.Last(); got != 0 || l.Last(tagA) == 0 {
		t.Errorf("it was never touched, and says %d; the history says %d, which should be more", got, l.Last(tagA))
	}
	l.Record(100, []Tag{tagA})
	forget(110)
	if got, too := kept.Last(), again.Last(); got != 100 || too != 100 {
		t.Errorf("it was touched at 100, says %d and %d", got, too)
	}
	l.Restart(0)
	if got := kept.Last(); got != 0 {
		t.Errorf("after Restart it says %d", got)
	}
	l.Record(5, []Tag{tagA})
	if got := kept.Last(); got != 5 {
		t.Errorf("it was touched at 5 in the new epoch, says %d", got)
	}
}

// TestKeepIsNoEntry: entries come and go, and what is kept outlives them.
func TestKeepIsNoEntry(t *testing.T) {
	l := NewLedger(1 << 10)
	l.SetComplete(l.Restart(0), l.Now())
	kept := l.Keep(tagA)
	c := New(Config{Size: 1 << 20, Limit: 1 << 10}, l, nil)
	if got := c.Dependents(tagA); got != 0 {
		t.Errorf("%d entries depend on what is kept, want none", got)
	}
	c.Put(cacheEntry("key", 10, l.Mark(), tagA), time.Hour)
	release := c.Protect(tagA)
	if got := c.Dependents(tagA); got != 1 {
		t.Errorf("%d entries depend on it, want 1", got)
	}
	release()
	c.Clear()
	l.Record(10, []Tag{tagA})
	if got, n := kept.Last(), c.Dependents(tagA); got != 10 || n != 0 {
		t.Errorf("once the entry has gone it says %d, and %d entries depend on it; want 10, none", got, n)
	}
}
