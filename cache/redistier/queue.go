package redistier

import (
	"context"
	"sync"

	"weir/cache"
)

// offer is an entry that waits to be written.
type offer struct {
	entry *cache.Entry
	at    cache.Mark
	read  int64 // milliseconds of the Unix time
}

// offerOverhead is about what an entry costs besides its key and its packets.
const offerOverhead = 256

func (o offer) size() int64 {
	return int64(len(o.entry.Key()) + len(o.entry.Wire()) + 8*len(o.entry.Tags) + offerOverhead)
}

// queue holds offers up to a bound, which counts those that are being written, too.
type queue struct {
	maxEntries int
	maxBytes   int64

	mu      sync.Mutex
	waiting []offer
	taken   int // that are being written
	bytes   int64
	wake    chan struct{} // has a message if something may be waiting
	idle    chan struct{} // closed when there is nothing left; nil if nobody waits for that
}

func newQueue(maxEntries int, maxBytes int64) *queue {
	return &queue{maxEntries: maxEntries, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// push never waits. It is false if there is no room.
func (q *queue) push(o offer) bool {
	size := o.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting)+q.taken >= q.maxEntries || q.bytes+size > q.maxBytes {
		return false
	}
	q.waiting = append(q.waiting, o)
	q.bytes += size
	q.signal()
	return true
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for offers and returns some of them, the oldest first: up to so many, and up to so many bytes but at least one.
// It returns none when ctx ends. Each call is followed by one of done.
func (q *queue) take(ctx context.Context, entries int, bytes int64) []offer {
	for {
		if batch := q.some(entries, bytes); len(batch) > 0 {
			return batch
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

func (q *queue) some(entries int, bytes int64) []offer {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for n < min(len(q.waiting), entries) && (n == 0 || bytes > 0) {
		bytes -= q.waiting[n].size()
		n++
	}
	if n == 0 {
		return nil
	}
	batch := append([]offer(nil), q.waiting[:n]...)
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	q.taken += n
	if rest > 0 {
		q.signal() // there may be another writer
	}
	return batch
}

// done says that a batch has been written, or given up.
func (q *queue) done(batch []offer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range batch {
		q.bytes -= o.size()
	}
	if q.taken -= len(batch); q.taken == 0 && len(q.waiting) == 0 && q.idle != nil {
		close(q.idle)
		q.idle = nil
	}
}

// drained is closed once there is nothing left.
func (q *queue) drained() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.idle != nil {
		return q.idle
	}
	idle := make(chan struct{})
	if q.taken == 0 && len(q.waiting) == 0 {
		close(idle)
		return idle
	}
	q.idle = idle
	return idle
}

func (q *queue) size() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}
