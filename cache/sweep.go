package cache

import (
	"context"
	"iter"
	"slices"
	"time"
)

const (
	sweepEvery = 10 * time.Second
	sweepPause = time.Millisecond
	// walkStep is how many slots of a table are looked at in one go. A table is at most three quarters full, so they are a
	// few hundred entries.
	walkStep = 512
	// restEvery is how many slots are looked at before a pause, if there was none.
	restEvery = 4096
)

// Run gives back the memory of entries that are not servable any more, until ctx ends. It never decides what is served.
func (c *Cache) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.sweep(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (c *Cache) sweep(ctx context.Context) { c.reclaim(ctx, c.worthKeeping) }

// Reclaim gives back the memory of the entries that depend on tag and are not servable any more, as the sweep does, but
// now, and returns how many there were. It takes a few hundred at a time and rests in between, a millisecond each time;
// it stops when ctx ends. It may be called from anywhere.
func (c *Cache) Reclaim(ctx context.Context, tag Tag) (gone int) {
	if c.Dependents(tag) == 0 {
		return 0
	}
	return c.reclaim(ctx, func(e *Entry) bool { return !e.dependsOn(tag) || c.worthKeeping(e) })
}

// End takes out the entries that depend on tag, servable or not, as Reclaim does, and returns how many there were. What is
// being read at the same time may be stored after. It may be called from anywhere.
func (c *Cache) End(ctx context.Context, tag Tag) (gone int) {
	if c.Dependents(tag) == 0 {
		return 0
	}
	return c.reclaim(ctx, func(e *Entry) bool { return !e.dependsOn(tag) })
}

// worthKeeping says yes to what is unservable only because the stream is not current: that passes. Once it has said no
// to an entry, it never says yes again.
func (c *Cache) worthKeeping(e *Entry) bool {
	return c.ledger.Now()-e.read <= c.maxAge && covers(e.At, c.ledger.needOf(e))
}

func (c *Cache) reclaim(ctx context.Context, keep func(*Entry) bool) (gone int) {
	gone = c.store.Sweep(keep, func() bool {
		select {
		case <-time.After(sweepPause):
			return true
		case <-ctx.Done():
			return false
		}
	})
	c.metrics.swept.Add(float64(gone))
	return gone
}

// Sweep takes out every entry that keep refuses. Keep is called without a lock, and must not change its mind about an
// entry that it has refused. Sweep takes out a few hundred at a time, and after that, and now and then in any case, it
// calls pause, which may sleep; it stops when pause returns false. It returns the number of entries that went.
//
// What keep refuses has to be there still, when it is taken out:
//
//  1. Keep refuses an entry.
//  2. Another one is stored under its key.
//  3. The sweep takes the lock, and finds that the key has another.
func (s *Store) Sweep(keep func(*Entry) bool, pause func() bool) (gone int) {
	for sh := range s.shards() {
		n, ok := s.sweep(sh, keep, pause)
		gone += n
		if !ok {
			break
		}
	}
	return gone
}

func (s *Store) sweep(sh *shard, keep func(*Entry) bool, pause func() bool) (gone int, ok bool) {
	looked := 0
	for items := range sh.walk() {
		refused := slices.DeleteFunc(items, func(it *item) bool { return keep(it.entry) })
		gone += s.takeOut(refused)
		if looked += walkStep; len(refused) == 0 && looked < restEvery {
			continue
		}
		if looked = 0; !pause() {
			return gone, false
		}
	}
	sh.compact()
	return gone, looked == 0 || pause()
}

// walk yields the items of the shard, a few hundred at a time; the slice is good until the next ones. It holds no lock:
// an item that is there all the time is among them, one that comes or goes may be.
//
// It walks over the table that is there at the beginning. An item never moves within a table. If the table is rebuilt,
// the old one still has what it had then.
func (s *shard) walk() iter.Seq[[]*item] {
	return func(yield func([]*item) bool) {
		buf := make([]*item, 0, walkStep)
		for slots := range slices.Chunk(s.table.Load().slots, walkStep) {
			items := buf
			for i := range slots {
				if it := slots[i].Load(); it != nil && it != deleted {
					items = append(items, it)
				}
			}
			if !yield(items) {
				return
			}
		}
	}
}

// takeOut takes out those of the items that are still there, from whatever shards have them now.
func (s *Store) takeOut(items []*item) (gone int) {
	for len(items) > 0 {
		slot := slotOf(items[0].hash)
		sh := s.lock(s.slots[slot].Load(), slot)
		items = slices.DeleteFunc(items, func(it *item) bool {
			owned := sh.owns(slotOf(it.hash))
			if owned && sh.takeOut(it) {
				gone++
			}
			return owned
		})
		sh.mu.Unlock()
	}
	return gone
}

func (s *shard) takeOut(it *item) bool {
	if s.table.Load().find(it.hash, it.entry.Key()) != it {
		return false
	}
	s.ended(it)
	s.drop(it)
	return true
}

// compact takes the lock, and gives back what the table takes for nothing.
func (s *shard) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t.sparse() {
		t = t.rebuilt()
		s.table.Store(t)
	}
	s.ghost.resize(len(t.slots))
}
