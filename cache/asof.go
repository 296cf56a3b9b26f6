package cache

import (
	"context"
	"time"
)

// MarkAsOf returns a mark: whatever contains every change up to it contains every change that was committed before the
// moment, on the ledger's clock. It is false while the ledger is not known to be complete as of that moment.
//
// A Restart may come in between, and its head says nothing of the moment:
//
//  1. The ledger is complete as of the moment.
//  2. Restart says that it is not, and takes the head back to zero.
//  3. The mark is taken: it contains nothing.
//
// So the ledger has to be complete before the mark is taken, for the mark to contain the change, and still after it, and
// all of that in one epoch.
func (l *Ledger) MarkAsOf(moment time.Duration) (Mark, bool) {
	epoch := l.Epoch()
	if !l.completeAsOf(moment) {
		return Mark{}, false
	}
	m := l.Mark()
	return m, m.Epoch == epoch && l.stillAsOf(moment, epoch)
}

// provedPause is how long provedMark waits between two looks.
const provedPause = 10 * time.Millisecond

// provedMark takes a mark, and returns it once the ledger is complete as of a moment after that. It is false if ctx ends
// before, or another epoch begins.
func (l *Ledger) provedMark(ctx context.Context) (Mark, bool) {
	m, moment := l.Mark(), l.Now()
	for ctx.Err() == nil && l.Epoch() == m.Epoch {
		if l.completeAsOf(moment) {
			return m, l.Epoch() == m.Epoch
		}
		select {
		case <-time.After(provedPause):
		case <-ctx.Done():
		}
	}
	return Mark{}, false
}

// stillAsOf reports, after a mark was taken, whether the ledger had anything to take it from: step 2 would show.
func (l *Ledger) stillAsOf(moment time.Duration, epoch uint64) bool {
	return l.completeAsOf(moment) && l.Epoch() == epoch
}

func (l *Ledger) completeAsOf(moment time.Duration) bool {
	c, ok := l.CompleteAsOf()
	return ok && c >= moment
}
