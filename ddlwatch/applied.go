package ddlwatch

import (
	"context"
	"time"

	"weir/cache"
)

const (
	// askApplied is how often a server that lacks a change is asked for it at first; the pause doubles up to slowApplied.
	askApplied  = 50 * time.Millisecond
	slowApplied = 2 * time.Second
	// maxOwed bounds the changes that a server is followed for. A server that is behind by more is not told apart.
	maxOwed = 1000
)

// owed is a change that a server has not been seen to have applied.
type owed struct {
	id   uint64 // in the timeline
	mark cache.Mark
}

// applications follow one server, which applies changes in the order of the stream or not; whether it has one is known
// by its position.
type applications struct {
	w    *Watcher
	addr string
	owed chan owed
}

// run notes when the server has applied each change, until ctx ends. A change of an epoch that is over cannot be told.
func (a *applications) run(ctx context.Context) {
	for {
		select {
		case o := <-a.owed:
			if a.await(ctx, o) {
				a.w.timeline.Applied(o.id, a.addr, time.Now())
			}
		case <-ctx.Done():
			return
		}
	}
}

// await returns true once the server has the change, false if that will never be known.
func (a *applications) await(ctx context.Context, o owed) bool {
	for pause := askApplied; ; pause = min(2*pause, slowApplied) {
		has, err := a.w.parts.Applied(ctx, a.addr, o.mark)
		switch {
		case err == nil && has:
			return true
		case ctx.Err() != nil, a.w.parts.Cache.Ledger().Epoch() != o.mark.Epoch:
			return false
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
}

// owe has all servers followed for a change.
func (w *Watcher) owe(o owed) {
	for _, a := range w.applied {
		select {
		case a.owed <- o:
		default: // it is behind by a thousand changes
		}
	}
}
