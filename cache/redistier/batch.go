package redistier

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// maxPipelines may be under way to a server at one time; who comes when there are as many waits for the next.
	maxPipelines = 4
	// maxBatch is how many lookups one pipeline takes.
	maxBatch = 64
)

// errLate is what a lookup gets that waited until its budget ended.
var errLate = errors.New("the budget ended")

// reply is what Redis says to one lookup. No value is a nil value.
type reply struct {
	value []byte
	err   error
}

// lookup is one caller, who waits for one message: the reply, or a batch that it has to ask for itself and others.
type lookup struct {
	name     string
	deadline time.Time
	turn     chan turn // of one message, so that nobody waits to send it

	// gone is set by a caller that gave up, under the batcher's lock.
	gone bool
}

type turn struct {
	reply
	lead []*lookup
}

// batcher puts the lookups of several callers into one pipeline. Whoever comes while fewer than maxPipelines are under way
// asks at once, for itself, without a goroutine between. Others wait; when a pipeline ends, the one who came last asks for
// all of them: it has the most of its budget left, and those who have none give up by themselves.
//
// There is always somebody to ask for those who wait. A place among those under way is given up only when nobody waits,
// under the lock, and is handed on under the lock, too:
//
//  1. A pipeline ends. B is chosen to ask the next one.
//  2. B's budget ends before it looks at its turn.
//  3. B takes the lock to say that it is gone, and finds that it was chosen: it hands the batch on.
//
// Had B been told after the lock was let go of, it could have left between 1 and the message, with the place.
type batcher struct {
	fetch func(ctx context.Context, names []string) []reply

	mu      sync.Mutex
	running int
	waiting []*lookup
}

// ask returns what Redis says, or errLate at the deadline.
func (b *batcher) ask(ctx context.Context, name string, deadline time.Time) reply {
	l := &lookup{name: name, deadline: deadline}
	if b.begin(l) {
		return b.lead(l, []*lookup{l})
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case t := <-l.turn:
		return b.take(l, t)
	case <-timer.C:
	case <-ctx.Done():
	}
	return b.leave(l)
}

// begin reports whether l may ask at once; else it waits for its turn.
func (b *batcher) begin(l *lookup) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running < maxPipelines {
		b.running++
		return true
	}
	l.turn = make(chan turn, 1)
	b.waiting = append(b.waiting, l)
	return false
}

func (b *batcher) take(l *lookup, t turn) reply {
	if t.lead == nil {
		return t.reply
	}
	return b.lead(l, t.lead)
}

// lead asks for all of the batch, of which l is one, and hands the place on.
func (b *batcher) lead(l *lookup, batch []*lookup) (own reply) {
	names := make([]string, len(batch))
	for i, other := range batch {
		names[i] = other.name
	}
	ctx, cancel := context.WithDeadline(context.Background(), l.deadline)
	defer cancel()
	replies := b.fetch(ctx, names)
	for i, other := range batch {
		if other == l {
			own = replies[i]
		} else {
			other.turn <- turn{reply: replies[i]}
		}
	}
	b.handOn(nil)
	return own
}

// leave is called by who does not want to wait any longer. A reply that has just come is taken; a batch is handed on.
func (b *batcher) leave(l *lookup) reply {
	b.mu.Lock()
	l.gone = true
	b.mu.Unlock()
	select {
	case t := <-l.turn:
		if t.lead == nil {
			return t.reply
		}
		b.handOn(t.lead)
	default:
	}
	return reply{err: errLate}
}

// handOn gives a place among the pipelines to the last of those who are still there, with a batch that nobody has asked for
// yet and with what waits; or it gives the place up.
func (b *batcher) handOn(batch []*lookup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(append(batch, b.waiting...), func(l *lookup) bool { return l.gone })
	n := min(len(b.waiting), maxBatch)
	if n == 0 {
		b.running--
		return
	}
	batch = slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	batch[n-1].turn <- turn{lead: batch}
}
