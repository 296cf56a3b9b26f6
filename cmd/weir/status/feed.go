package status

import (
	"encoding/json"
	"sync"
)

// maxSubscribers bounds how many streams of events there are at one time.
const maxSubscribers = 64

// backlog is how many events may wait for a subscriber. One that is slower is dropped: it connects again, and gets all
// of the history.
const backlog = 8

// Feed hands overviews to those who listen. A subscriber's first event has the whole history; the others, which are encoded
// once for all, have its last point.
//
// An overview that is published while somebody subscribes is either the first one that they get, or comes after that:
// both are done under mu.
type Feed struct {
	mu     sync.Mutex
	closed bool
	last   Overview
	any    bool
	subs   map[*subscriber]struct{}
}

// subscriber gets encoded overviews; the channel is closed when it was too slow, or when there will be no more.
type subscriber struct{ events chan []byte }

func newFeed() *Feed { return &Feed{subs: map[*subscriber]struct{}{}} }

// publish never waits.
func (f *Feed) publish(o Overview) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.any = o, true
	if len(f.subs) == 0 {
		return
	}
	o.History = o.History.Last(1)
	text := encode(o)
	for s := range f.subs {
		select {
		case s.events <- text:
		default:
			f.drop(s)
		}
	}
}

// subscribe returns nil if there are too many, or if the feed is closed.
func (f *Feed) subscribe() *subscriber {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.subs) >= maxSubscribers {
		return nil
	}
	s := &subscriber{make(chan []byte, backlog)}
	if f.any {
		s.events <- encode(f.last)
	}
	f.subs[s] = struct{}{}
	return s
}

func (f *Feed) unsubscribe(s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(s)
}

// drop is called with mu held.
func (f *Feed) drop(s *subscriber) {
	if _, there := f.subs[s]; there {
		delete(f.subs, s)
		close(s.events)
	}
}

// close ends all subscriptions, and lets nobody in any more.
func (f *Feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for s := range f.subs {
		f.drop(s)
	}
}

// encode cannot fail: there is nothing in an overview that JSON does not have.
func encode(o Overview) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return text
}
