package replicator

import (
	"context"
	"time"
)

// hurryPause is the least time between two questions that somebody asked for: each takes the lock under which the
// source writes its binlog.
const hurryPause = 4 * time.Millisecond

// hurry gathers requests for a question. Any number of them that come before a question begins are one:
//
//  1. A asks; the question begins at t.
//  2. B asks, after t. The answer of 1 says nothing of what happened between t and B, so B's request stays.
//  3. The answer of 1 comes; the next question begins, after B.
//
// begin and pause are for the one goroutine that puts the questions.
type hurry struct {
	wanted chan struct{}
	began  time.Time
}

func newHurry() *hurry { return &hurry{wanted: make(chan struct{}, 1)} }

func (h *hurry) ask() {
	select {
	case h.wanted <- struct{}{}:
	default: // somebody has asked, and the question has not begun
	}
}

// begin takes the request: whoever has asked by now is answered by the question that begins.
func (h *hurry) begin() {
	select {
	case <-h.wanted:
	default:
	}
	h.began = time.Now()
}

// pause returns when the last question began a regular while ago, or, if hurried requests are listened to, when there is
// one and the last question began long enough ago for that.
func (h *hurry) pause(ctx context.Context, regular time.Duration, listen bool) {
	wanted := h.wanted
	if !listen {
		wanted = nil
	}
	select {
	case <-time.After(regular - time.Since(h.began)):
	case <-ctx.Done():
	case <-wanted:
		select {
		case <-time.After(hurryPause - time.Since(h.began)):
		case <-ctx.Done():
		}
	}
}
