package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// hurryPause is the least time between two questions that somebody asked for.
const hurryPause = 4 * time.Millisecond

// answerEvery is when a consumer looks for its answer although no entry has said that there is one.
const answerEvery = 100 * time.Millisecond

var (
	errUnanswered = errors.New("the relay has not answered within max_staleness")
	errNowhere    = errors.New("the consumer has no place in the relay's stream")
)

// Ask makes the consumer ask at once whether it is complete, as [replicator.Probe.Ask] does.
func (c *Consumer) Ask() {
	select {
	case c.hurry <- struct{}{}:
	default: // somebody has asked, and the question has not begun
	}
}

// askAlways asks several times within max_staleness, and whenever somebody wants it.
func (c *Consumer) askAlways(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		began := time.Now()
		select {
		case <-c.hurry: // is answered by the question that begins
		default:
		}
		err := c.question(ctx)
		if failing != (err != nil) && !errors.Is(err, errNowhere) && ctx.Err() == nil {
			failing = err != nil
			c.report(err)
		}
		c.pauseBetween(ctx, began, err == nil)
	}
}

func (c *Consumer) report(err error) {
	if err != nil {
		c.log.Warn("the ledger cannot be shown to be complete; cached results are not served until it can", "error", err)
	} else {
		c.log.Info("the ledger is complete")
	}
}

func (c *Consumer) pauseBetween(ctx context.Context, began time.Time, listen bool) {
	hurry := c.hurry
	if !listen {
		hurry = nil
	}
	select {
	case <-time.After(min(c.cfg.askEvery(), 250*time.Millisecond) - time.Since(began)):
	case <-ctx.Done():
	case <-hurry:
		c.Ask() // stays wanted until the question begins
		sleep(ctx, hurryPause-time.Since(began))
	}
}

// question is the consumer's side of completeness, see [answerer]. The moment comes before the nonce is known to anybody,
// and the epoch is that in which both were: an answer that comes in another one is worth nothing.
func (c *Consumer) question(ctx context.Context) error {
	at, asked := c.isAt(), c.ledger.Now()
	if at.n == 0 {
		return errNowhere
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.MaxStaleness, errUnanswered)
	defer cancel()
	nonce := strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
	if err := c.put(ctx, nonce); err != nil {
		return c.because(ctx, err)
	}
	incarnation, n, err := c.answer(ctx, nonce)
	if err != nil {
		return c.because(ctx, err)
	}
	if !c.awaitApplied(ctx, at.epoch, incarnation, n) {
		return c.because(ctx, errNowhere)
	}
	c.ledger.SetComplete(at.epoch, asked)
	return nil
}

func (c *Consumer) because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *Consumer) put(ctx context.Context, nonce string) error {
	_, err := c.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, c.cfg.asks(), c.id, nonce)
		pipe.Publish(ctx, c.cfg.hints(), hintAsks)
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the relay through Redis: %w", err)
	}
	return nil
}

// answer waits for the answer to a nonce: it looks when an entry says that there are answers, and now and then.
func (c *Consumer) answer(ctx context.Context, nonce string) (incarnation, n uint64, err error) {
	for {
		select {
		case <-c.answered:
		case <-time.After(answerEvery):
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
		b, err := c.redis.HGet(ctx, c.cfg.answers(), c.id).Bytes()
		if err != nil && !errors.Is(err, redis.Nil) {
			return 0, 0, fmt.Errorf("look for the relay's answer: %w", err)
		}
		to, incarnation, n, err := decodeAnswered(b)
		if err == nil && to == nonce {
			return incarnation, n, nil
		}
	}
}

// awaitApplied waits until the consumer has applied everything up to an entry, in the same epoch. It is false if that will
// not be.
func (c *Consumer) awaitApplied(ctx context.Context, epoch, incarnation, n uint64) bool {
	there, is := false, applied{}
	await(ctx, c.cfg.MaxStaleness, func() bool {
		is = c.isAt()
		there = is.epoch == epoch && is.incarnation == incarnation && is.n >= n
		return there || is.epoch != epoch || is.incarnation != incarnation
	})
	return there
}
