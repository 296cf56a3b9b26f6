package relay

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// appendAnswered is an answer in Redis: the question's nonce, and up to which entry of which incarnation everything has to
// be applied.
func appendAnswered(b []byte, nonce string, incarnation, n uint64) []byte {
	b = binary.LittleEndian.AppendUint64(appendString(b, nonce), incarnation)
	return binary.AppendUvarint(b, n)
}

func decodeAnswered(b []byte) (nonce string, incarnation, n uint64, err error) {
	r := &reader{b: b}
	nonce, incarnation, n = r.string(), r.fixed64(), r.uvarint()
	if r.failed || len(r.b) > 0 {
		return "", 0, 0, errUnreadable
	}
	return nonce, incarnation, n, nil
}

// Answer answers consumers: everything that was committed on the source before they asked has been applied to the
// publisher, in this incarnation. If that is over, nobody is answered. The answers go out with an entry, which tells
// consumers to look for them.
func (p *Publisher) Answer(incarnation uint64, all map[string]string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if incarnation != p.incarnation || !p.begun {
		return false
	}
	for id, nonce := range all {
		p.answers = append(p.answers, answer{id, nonce})
	}
	p.add(append(p.open, kindAnswered))
	return p.incarnation == incarnation
}

const (
	// roundPause is the least time between two rounds of answers: each is a question to the source.
	roundPause = 10 * time.Millisecond
	// roundEvery is when one looks for questions although nobody has hinted at any.
	roundEvery = 200 * time.Millisecond
	// goneAfter is when a consumer that asks nothing new is taken out of Redis.
	goneAfter = time.Minute
)

// answerer is the relay's side of completeness:
//
//  1. A consumer notes the time t0 on its ledger's clock, and writes a random nonce to Redis.
//  2. The relay reads the nonces. Whatever it does next is after t0.
//  3. It lets its own probe ask the source for its position, and waits until its own ledger is complete as of a moment
//     after 2: everything committed before t0 has gone through the publisher.
//  4. It answers: this nonce; complete up to entry n of this incarnation.
//  5. The consumer has applied the incarnation's entries up to n, one after the other: it is complete as of t0.
//
// No clock is compared with another: t0 is the consumer's, the moment of 3 the relay's. Redis may lose and delay any of it:
// then there is no answer. It may also bring back what was there before, for instance when it fails over to a replica that
// lags, and that is why the question is a random number and not a count:
//
//  1. A consumer asks its 7th question; the answer is "7, up to entry 90".
//  2. The consumer ends. Another process starts in its place, under the same name, and counts again.
//  3. It asks its 7th question, at t0. Redis fails over and has lost the question, and has the answer of 1.
//  4. "7, up to entry 90" answers: the consumer takes itself for complete as of t0, with what is older.
//
// A nonce that was not there before t0 is in no answer from before t0, whatever Redis brings back.
type answerer struct {
	relay    *Relay
	answered map[string]asked
}

type asked struct {
	nonce string
	at    time.Time
}

func (a *answerer) run(ctx context.Context) {
	var wait pause
	for ctx.Err() == nil {
		began := time.Now()
		if err := a.round(ctx); err != nil {
			wait.failed(ctx, a.relay.log, "consumers cannot be told that they are complete", err)
		} else {
			wait.succeeded()
		}
		sleep(ctx, roundPause-time.Since(began))
		select {
		case <-a.relay.hinted.asks:
		case <-time.After(roundEvery):
		case <-ctx.Done():
		}
	}
}

// round answers those who have asked.
func (a *answerer) round(ctx context.Context) error {
	incarnation := a.relay.publisher.Incarnation()
	nonces, err := a.relay.redis.HGetAll(ctx, a.relay.cfg.asks()).Result()
	if err != nil {
		return fmt.Errorf("read the consumers' questions: %w", err)
	}
	open := a.open(nonces)
	if len(open) > 0 && a.complete(ctx) && a.relay.publisher.Answer(incarnation, open) {
		for id, nonce := range open {
			a.answered[id] = asked{nonce, time.Now()}
		}
	}
	return a.prune(ctx, nonces)
}

// open are the questions that have not been answered.
func (a *answerer) open(nonces map[string]string) map[string]string {
	open := map[string]string{}
	for id, nonce := range nonces {
		if a.answered[id].nonce != nonce {
			open[id] = nonce
		}
	}
	a.relay.metrics.consumers.Set(float64(len(nonces)))
	return open
}

// complete waits until the relay's ledger is complete as of a moment after the call, in the present epoch.
func (a *answerer) complete(ctx context.Context) bool {
	ledger := a.relay.ledger
	moment := ledger.Now()
	a.relay.ask()
	return await(ctx, a.relay.cfg.MaxStaleness, func() bool {
		_, ok := ledger.MarkAsOf(moment)
		return ok
	})
}

// await looks each millisecond whether it is so, and gives up after a while.
func await(ctx context.Context, atMost time.Duration, so func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for !so() {
		if sleep(ctx, time.Millisecond); ctx.Err() != nil {
			return false
		}
	}
	return true
}

// prune takes out consumers that have not asked for long. One that is alive has written another nonce.
func (a *answerer) prune(ctx context.Context, nonces map[string]string) error {
	for id, last := range a.answered {
		if time.Since(last.at) < goneAfter {
			continue
		}
		delete(a.answered, id)
		if nonces[id] != last.nonce {
			continue
		}
		if err := a.relay.redis.HDel(ctx, a.relay.cfg.asks(), id).Err(); err != nil {
			return err
		}
		if err := a.relay.redis.HDel(ctx, a.relay.cfg.answers(), id).Err(); err != nil {
			return err
		}
	}
	return nil
}
