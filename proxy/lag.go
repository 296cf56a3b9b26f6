package proxy

import (
	"time"

	"weir/cache"
)

// heads remember when the ledger's head was first seen where, so that what a backend lacks becomes a time: how long ago,
// on the ledger's clock, a change was recorded that the backend does not have. No clocks are compared, and a source that
// is idle makes nobody lag.
//
// The time is a lower bound: a change counts from the first look after it. It is for one goroutine.
type heads struct {
	epoch uint64
	seen  []headSeen // both rise
}

type headSeen struct {
	head  cache.Seq
	first time.Duration
}

// maxHeads bounds the memory of one backend that lags. Past it every second look is forgotten, which shortens the times.
const maxHeads = 1024

// note takes a look at the head.
func (h *heads) note(head cache.Mark, now time.Duration) {
	if head.Epoch != h.epoch {
		*h = heads{epoch: head.Epoch}
	}
	if n := len(h.seen); n > 0 && h.seen[n-1].head >= head.Seq {
		return
	}
	if len(h.seen) == maxHeads {
		for i := range maxHeads / 2 {
			h.seen[i] = h.seen[2*i]
		}
		h.seen = h.seen[:maxHeads/2]
	}
	h.seen = append(h.seen, headSeen{head.Seq, now})
}

// lag is how long a server has lacked something that has everything up to the mark, and false if that cannot be told.
func (h *heads) lag(at cache.Mark, now time.Duration) (time.Duration, bool) {
	if at.Epoch != h.epoch {
		return 0, false
	}
	for _, s := range h.seen {
		if s.head > at.Seq {
			return now - s.first, true
		}
	}
	return 0, true
}
