package ddlwatch

import (
	"context"
	"errors"
	"sync"
	"time"

	"weir/cache"
	"weir/cache/dep"
)

// ErrBehind says of a result that it cannot be read again yet: no server has applied what is recorded.
var ErrBehind = errors.New("no server has applied the change yet")

const (
	// refillFor bounds how long Weir itself reads again what a change has made unservable. What is left then is read when
	// it is asked for.
	refillFor = 30 * time.Second
	// behindPause is how long a result is left alone that no server could give.
	behindPause = 100 * time.Millisecond
	// maxRefills is how many refills are under way at one time.
	maxRefills = 8
)

// refill follows a change up: it reads again, by itself, what was asked for most of what the change has made unservable,
// and gives the memory back of all that. It passes the gates as clients do.
//
// The hottest are looked for before their memory is given back, since only there is it known how hot they were.
func (w *Watcher) refill(ctx context.Context, e Effect) (read int) {
	defer w.pool.Busy()()
	tags := e.tags()
	bounded, cancel := context.WithTimeout(ctx, refillFor)
	defer cancel()
	if !e.leavesNothing() {
		read = w.readAgain(bounded, w.hottest(tags))
	}
	for _, t := range tags {
		w.parts.Cache.Reclaim(ctx, t)
	}
	return read
}

// tags are those that all results depend on which the effect ends.
func (e Effect) tags() (tags []cache.Tag) {
	if e.Everything != "" {
		return []cache.Tag{dep.Everything()}
	}
	for _, s := range e.Schemas {
		tags = append(tags, dep.Schema(s))
	}
	for _, n := range e.Tables {
		tags = append(tags, n.Anchor())
	}
	return tags
}

// hottest are the keys of what was asked for most, the most first. Results of several tags may be there twice; the second
// time there is nothing to do.
func (w *Watcher) hottest(tags []cache.Tag) (keys [][]byte) {
	for _, t := range tags {
		for _, hot := range w.parts.Cache.Hottest(t, w.cfg.Refill-len(keys)) {
			keys = append(keys, hot.Entry.Key())
		}
	}
	return keys
}

// readAgain reads as many at a time as a gate lets in at first, and returns how many are servable now.
func (w *Watcher) readAgain(ctx context.Context, keys [][]byte) (read int) {
	next := make(chan []byte)
	var readers sync.WaitGroup
	var mu sync.Mutex
	for range min(w.cfg.Pace.Limit, len(keys)) {
		readers.Go(func() {
			for key := range next {
				if w.readKey(ctx, key) {
					mu.Lock()
					read++
					mu.Unlock()
				}
			}
		})
	}
	for _, key := range keys {
		next <- key
	}
	close(next)
	readers.Wait()
	return read
}

// readKey tries until a server has the change, and reports whether the result is servable.
func (w *Watcher) readKey(ctx context.Context, key []byte) bool {
	for ctx.Err() == nil {
		err := w.parts.Read(ctx, key)
		if !errors.Is(err, ErrBehind) {
			return err == nil
		}
		select {
		case <-time.After(behindPause):
		case <-ctx.Done():
		}
	}
	return false
}
