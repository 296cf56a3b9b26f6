package redistier

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache"
)

// Find implements [cache.Tier].
func (t *Tier) Find(ctx context.Context, key []byte, class cache.Class) (cache.Copy, bool) {
	start := time.Now()
	source := t.places.Source()
	if source == "" {
		t.metrics.lookup(lookupOther)
		return cache.Copy{}, false
	}
	if t.costs.cheap(class) {
		t.metrics.lookup(lookupCheap)
		return cache.Copy{}, false
	}
	r := t.nodes.get(ctx, t.names.value(source, key), start.Add(t.cfg.Budget))
	if errors.Is(r.err, errOut) {
		t.metrics.lookup(lookupOpen)
		return cache.Copy{}, false
	}
	took := time.Since(start)
	t.costs.looked(took)
	t.metrics.asked(took, len(r.value))
	c, outcome := t.judge(key, r)
	t.metrics.lookup(outcome)
	return c, outcome == lookupHit
}

// judge makes a copy of what Redis said, unless that is nothing, or nothing that means anything here.
func (t *Tier) judge(key []byte, r reply) (cache.Copy, lookupOutcome) {
	switch {
	case wrongType(r.err):
		t.metrics.unread(notAString)
		return cache.Copy{}, lookupUnreadable
	case r.err != nil && late(r.err):
		return cache.Copy{}, lookupLate
	case r.err != nil && !errors.Is(r.err, redis.Nil):
		return cache.Copy{}, lookupError
	case len(r.value) == 0:
		return cache.Copy{}, lookupMiss
	}
	v, why := t.codec.parse(r.value)
	if why == readable && (!bytes.Equal(v.key, key) || string(v.dialect) != t.codec.dialect) {
		why = otherKey
	}
	if why != readable {
		t.metrics.unread(why)
		return cache.Copy{}, lookupUnreadable
	}
	return t.copy(v)
}

// copy translates the place before it unpacks, which is the larger part of the work.
func (t *Tier) copy(v value) (cache.Copy, lookupOutcome) {
	at, ok := t.places.Mark(v.place)
	if !ok {
		return cache.Copy{}, lookupOther
	}
	age := time.Since(time.UnixMilli(v.read))
	if age < -maxAhead {
		t.metrics.unread(ahead)
		return cache.Copy{}, lookupUnreadable
	}
	wire, why := t.codec.unpack(v)
	if why != readable {
		t.metrics.unread(why)
		return cache.Copy{}, lookupUnreadable
	}
	return cache.Copy{
		Wire: wire, Tags: v.tags, At: at,
		Age:       max(0, age),
		Versioned: v.flags&flagVersioned != 0,
	}, lookupHit
}

// maxAhead is how far another machine's clock may be ahead. A result that seems to be younger than that would be served for
// longer than max_age.
const maxAhead = 5 * time.Second

// late tells a budget that has ended from a server that fails.
func late(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, errLate) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}
