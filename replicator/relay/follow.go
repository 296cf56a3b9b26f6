package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/replicator"
)

const (
	// readBlock is how long one read waits for the next entry.
	readBlock = 500 * time.Millisecond
	// readCount is how many entries are read at once.
	readCount = 64
	// silence is how long the stream may be still, which has a checkpoint each second, until one looks whether it is still
	// the same.
	silence = 3 * time.Second
)

// follow reads the stream, and looks at it anew after each error.
func (c *Consumer) follow(ctx context.Context) {
	var wait pause
	for ctx.Err() == nil {
		began := time.Now()
		err := c.attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		var lost lostError
		if errors.As(err, &lost) {
			c.lose(lost)
		}
		if time.Since(began) > silence/2 {
			wait.succeeded()
		}
		c.setState(replicator.State{Err: err})
		c.metrics.reconnects.Inc()
		wait.failed(ctx, c.log, "the relay's stream cannot be followed; trying again", err)
	}
}

// attempt reads on from where it was left, until something ends it.
func (c *Consumer) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.setInterrupt(cancel)
	defer c.setInterrupt(nil)
	if err := c.look(ctx); err != nil {
		return err
	}
	for quiet := time.Now(); ; {
		got, err := c.read(ctx)
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("read the relay's stream: %w", err)
		case got:
			quiet = time.Now()
		case time.Since(quiet) > silence:
			return errSilent
		}
	}
}

func (c *Consumer) setInterrupt(f context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt = f
}

// look compares the end of the stream with where the consumer is. Ids only grow as long as Redis keeps what it has taken;
// if it has not, entries may come whose ids are before the consumer's place, and which it would never be given.
//
// Whoever begins, begins at the oldest entry of the last incarnation, so that it knows the past as far as it is kept.
func (c *Consumer) look(ctx context.Context) error {
	top, _, err := last(ctx, c.redis, c.cfg.stream())
	switch {
	case err != nil:
		return err
	case top == place{}:
		c.at = place{}
		c.lose(lostError{"the relay's stream is gone", "gone"})
		return errNoStream
	case c.at == place{}:
		c.at = place{base: top.base}
	case top.before(c.at):
		c.lose(lostError{"the relay's stream ends before what was read of it", "rollback"})
		c.at = place{base: top.base}
	}
	return nil
}

func (p place) before(o place) bool { return p.base < o.base || p.base == o.base && p.n < o.n }

// read reads and applies what comes next. It is false if nothing has come for a while.
func (c *Consumer) read(ctx context.Context) (bool, error) {
	streams, err := c.redis.XRead(ctx, &redis.XReadArgs{
		Streams: []string{c.cfg.stream(), c.at.String()}, Count: readCount, Block: readBlock,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.delivered = time.Now()
	for _, s := range streams {
		for _, m := range s.Messages {
			if err := c.take(ctx, m); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func (c *Consumer) take(ctx context.Context, m redis.XMessage) error {
	at, err := parsePlace(m.ID)
	if err != nil {
		return err
	}
	c.at = at
	c.metrics.entries.Inc()
	c.entry(ctx, at, payload(m))
	return nil
}
