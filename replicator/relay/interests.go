package relay

import (
	"context"
	"fmt"
	"time"

	"weir/cache/dep"
)

const (
	// maxInterests bounds what consumers can make a relay remember and decode. Results by what is beyond depend on tables.
	maxInterests = 1 << 16
	// interestsEvery is when interests are read although nobody has hinted at new ones.
	interestsEvery = 5 * time.Second
	// unwanted is how long an interest lives that nobody renews; consumers do it three times within.
	unwanted = time.Hour
)

// A consumer leaves each interest as a field of a hash, with a random value. Another value, by whomever, asks for an
// announcement: whoever comes late has missed the one before. The field is what appendInterests makes of it.
func decodeInterest(field string) (dep.Interests, bool) {
	r := &reader{b: []byte(field)}
	all := r.interests()
	return all, !r.failed && len(r.b) == 0 && len(all.Wants) > 0
}

// taker is the relay's side of interests: it takes up what consumers have left.
type taker struct {
	relay *Relay
	seen  map[string]seenInterest
}

type seenInterest struct {
	value string
	at    time.Time
}

func (t *taker) run(ctx context.Context) {
	var wait pause
	for ctx.Err() == nil {
		if err := t.round(ctx); err != nil {
			wait.failed(ctx, t.relay.log, "the consumers' interests cannot be read", err)
		} else {
			wait.succeeded()
		}
		select {
		case <-t.relay.hinted.interests:
			sleep(ctx, roundPause)
		case <-time.After(interestsEvery):
		case <-ctx.Done():
		}
	}
}

// round takes up what is new, and has it announced together with what was asked for again.
func (t *taker) round(ctx context.Context) error {
	left, err := t.relay.redis.HGetAll(ctx, t.relay.cfg.interests()).Result()
	if err != nil {
		return fmt.Errorf("read the consumers' interests: %w", err)
	}
	for field, value := range left {
		t.look(field, value)
	}
	t.relay.metrics.interests.Set(float64(len(t.seen)))
	t.relay.watch.Prune(unwanted)
	return t.expire(ctx, left)
}

func (t *taker) look(field, value string) {
	before, known := t.seen[field]
	if known && before.value == value || !known && len(t.seen) >= maxInterests {
		return
	}
	t.seen[field] = seenInterest{value, time.Now()}
	if wanted, ok := decodeInterest(field); ok {
		t.relay.watch.Want(wanted.Table, wanted.Wants)
		t.relay.publisher.Announce([]dep.Interests{wanted})
	}
}

// expire takes out what nobody has renewed.
func (t *taker) expire(ctx context.Context, left map[string]string) error {
	for field, seen := range t.seen {
		if time.Since(seen.at) < unwanted {
			continue
		}
		delete(t.seen, field)
		if left[field] != seen.value {
			continue
		}
		if err := t.relay.redis.HDel(ctx, t.relay.cfg.interests(), field).Err(); err != nil {
			return err
		}
	}
	return nil
}
