package cache

import (
	"context"
	"sync"
	"sync/atomic"
)

// Flight is a read under way that identical misses may share.
//
// A client that misses at the moment x must get an answer that contains every change recorded before x. The flight it
// finds may have read before that:
//
//  1. A misses, samples 90, reads.
//  2. A write commits at 95 and is recorded: the tag's Last is 95.
//  3. B misses on the same key. It needs 95.
//  4. A's read ends. What it read is as of 90: right for A, who asked before the write, wrong for B.
//
// So a joiner takes what the flight brings only if its AsOf covers what was recorded when the joiner came.
type Flight struct {
	hash    uint64
	key     string
	sampled atomic.Pointer[Mark] // set once the leader knows its AsOf
	waiting atomic.Int32
	done    chan struct{}
	// What it brought, or nil, and whether its leader gave it up; read after done.
	entry     *Entry
	abandoned bool
}

// Waiting returns how many wait for the flight at the moment.
func (f *Flight) Waiting() int { return int(f.waiting.Load()) }

// Abandon says, before the flight lands with nothing, that this tells nothing about the statement: its leader was
// stopped. Only the leader may call it.
func (f *Flight) Abandon() { f.abandoned = true }

// Abandoned reports whether the leader was stopped. It may be asked once Wait has returned without an error: one of
// those who waited should then lead another flight, rather than all of them read.
func (f *Flight) Abandoned() bool { return f.abandoned }

// Sampled tells those who come later whether it is worth waiting.
func (f *Flight) Sampled(at Mark) { f.sampled.Store(&at) }

// Wait returns what the flight brought if it covers need, which must be from before Wait; else nil: the caller reads
// for itself.
func (f *Flight) Wait(ctx context.Context, need Mark) (*Entry, error) {
	f.waiting.Add(1)
	defer f.waiting.Add(-1)
	select {
	case <-f.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if f.entry != nil && covers(f.entry.At, need) {
		return f.entry, nil
	}
	return nil, nil
}

func covers(at, need Mark) bool { return at.Epoch == need.Epoch && at.Seq >= need.Seq }

// Join returns the flight for key. If lead is true the caller has to read, and to call Land in every case. Otherwise
// it should Wait. A flight that is known not to cover need is replaced by a new one.
func (c *Cache) Join(key []byte, need Mark) (f *Flight, lead bool) {
	return c.flights.join(Hash(key), key, need)
}

// Land ends a flight with what it brought, or nil if there is nothing to share.
func (c *Cache) Land(f *Flight, e *Entry) { c.flights.land(f, e) }

// Joined counts a miss that a flight answered.
func (c *Cache) Joined() { c.metrics.joined.Inc() }

// flights are spread over shards so that misses of different keys seldom meet.
type flights struct {
	shards [64]struct {
		mu sync.Mutex
		m  map[string]*Flight
	}
}

func (fs *flights) init() {
	for i := range fs.shards {
		fs.shards[i].m = map[string]*Flight{}
	}
}

func (fs *flights) join(hash uint64, key []byte, need Mark) (*Flight, bool) {
	s := &fs.shards[hash%uint64(len(fs.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.m[string(key)]; f != nil && f.mayCover(need) {
		return f, false
	}
	f := &Flight{hash: hash, key: string(key), done: make(chan struct{})}
	s.m[f.key] = f
	return f, true
}

func (f *Flight) mayCover(need Mark) bool {
	at := f.sampled.Load()
	return at == nil || covers(*at, need)
}

func (fs *flights) land(f *Flight, e *Entry) {
	s := &fs.shards[f.hash%uint64(len(fs.shards))]
	s.mu.Lock()
	if s.m[f.key] == f {
		delete(s.m, f.key)
	}
	s.mu.Unlock()
	f.entry = e
	close(f.done)
}
