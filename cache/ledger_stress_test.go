package cache

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What readers may see while the ledger is written to. Each test makes the moment between two of the writer's or the
// reader's steps long, by many tags or many buckets, so that the other side falls into it many times.

// contend runs read and write, each on a goroutine of its own, again and again until both have run n times.
func contend(n int64, read, write func()) {
	var reads, writes atomic.Int64
	until := func(f func(), mine, other *atomic.Int64) {
		for mine.Add(1) <= n || other.Load() < n {
			f()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { until(read, &reads, &writes) })
	wg.Go(func() { until(write, &writes, &reads) })
	wg.Wait()
}

// tagsEveryBucket returns a tag for each bucket of a ledger's history, in the order of the buckets.
func tagsEveryBucket(l *Ledger) []Tag {
	tags := make([]Tag, len(l.history.buckets))
	for i := range tags {
		n := uint64(len(tags))
		first, _ := bits.Div64(uint64(i), n-1, n)
		tags[i] = Tag(first)
	}
	return tags
}

func TestStressHeadAfterTags(t *testing.T) {
	l := NewLedger(128 * ways)
	l.Restart(0)
	tags := tagsEveryBucket(l)
	seq := Seq(0)
	contend(5000, func() {
		if head, last := l.Head(), l.Last(tags[len(tags)-1]); last < head {
			t.Errorf("head is %d, a tag of that transaction was touched at %d", head, last)
		}
		if mark, last := l.Mark(), l.Last(tags[0]); last < mark.Seq {
			t.Errorf("mark is %d, a tag of that transaction was touched at %d", mark.Seq, last)
		}
	}, func() {
		seq++
		l.Record(seq, tags)
	})
}

// longTags are so many that a good deal can happen while Fresh looks at them. The one at index is tagD, the others are
// never touched.
func longTags(index int) []Tag {
	tags := make([]Tag, 1000)
	tags[index] = tagD
	return tags
}

// TestStressFreshDuringRestart: the last of many tags was touched after the entry was read. A restart while Fresh is
// on its way through the tags forgets that, and must be noticed.
func TestStressFreshDuringRestart(t *testing.T) {
	const now = 10 * time.Second
	l, tags := NewLedger(2), longTags(999)
	var entry atomic.Pointer[Entry]
	touched := func(epoch uint64) {
		l.Record(At(1, 95), []Tag{tagD})
		entry.Store(NewEntry(nil, nil, tags, Mark{epoch, At(1, 90)}))
		l.LastOf(tags) // as long as Fresh takes
	}
	touched(l.Restart(At(1, 50)))
	contend(1000, func() {
		if e := entry.Load(); l.Fresh(e, now, 0) {
			t.Errorf("an entry of epoch %d is served, although it was touched in it; now it is epoch %d", e.At.Epoch, l.Epoch())
		}
	}, func() {
		epoch := l.Restart(At(1, 50))
		l.SetComplete(epoch, now)
		l.LastOf(tags)
		touched(epoch)
	})
}

// TestStressFreshDuringCatchUp: the first of many tags is touched, and then the stream becomes current, while Fresh is
// on its way through the tags. While the tag looked untouched, the stream was not current.
func TestStressFreshDuringCatchUp(t *testing.T) {
	type ask struct {
		entry *Entry
		now   time.Duration
	}
	l, tags := NewLedger(2), longTags(0)
	epoch := l.Restart(0)
	var last atomic.Pointer[ask]
	write := func(seq Seq) {
		now := time.Duration(seq)
		last.Store(&ask{NewEntry(nil, nil, tags, Mark{epoch, seq - 1}), now})
		l.LastOf(tags) // as long as Fresh takes
		l.Record(seq, []Tag{tagD})
		l.SetComplete(epoch, now)
		l.LastOf(tags)
	}
	seq := Seq(1)
	write(seq)
	contend(1000, func() {
		if a := last.Load(); l.Fresh(a.entry, a.now, 0) {
			t.Errorf("an entry as of %d is served at %d, when a change at %d had long been made", a.entry.At.Seq, a.now, a.now)
		}
	}, func() { seq++; write(seq) })
}

// TestStressMarkDuringRestart: in epoch n all changes are in file n. A mark with the head of another epoch would be a
// snapshot that contains what nobody has seen.
func TestStressMarkDuringRestart(t *testing.T) {
	l := NewLedger(1 << 10)
	l.Restart(0)
	contend(1000, func() {
		if m := l.Mark(); m.Seq != 0 && uint64(m.Seq.File()) != m.Epoch {
			t.Errorf("mark of epoch %d is at %s", m.Epoch, m.Seq)
		}
	}, func() {
		epoch := l.Restart(0)
		l.Advance(At(uint32(epoch), 4))
	})
}

// TestStressCompleteAfterRestart: somebody who asked the source before a restart says that it is complete, during the
// restart and after it. That must not count.
func TestStressCompleteAfterRestart(t *testing.T) {
	l := NewLedger(2)
	var asked atomic.Uint64 // the epoch in which the source was asked
	asked.Store(l.Restart(0))
	moment := time.Duration(0)
	contend(100000, func() {
		moment++
		l.SetComplete(asked.Load(), moment)
	}, func() {
		epoch := l.Restart(0)
		for range 3 {
			if at, ok := l.CompleteAsOf(); ok {
				t.Errorf("complete as of %d after a restart, before anybody asked", at)
			}
		}
		asked.Store(epoch)
	})
}
