package relay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/cache/dep"
)

const (
	// missingEvery is how often a consumer looks for interests that nobody has announced.
	missingEvery = 100 * time.Millisecond
	// againAfter is when it asks again for one that is not announced yet.
	againAfter = 2 * time.Second
	// renewEvery is when it says again that it wants all of them.
	renewEvery = unwanted / 3
	// leaveCount is how many are left at once.
	leaveCount = 1000
)

// leaving remembers when interests were last left, by their fields.
type leaving struct {
	at      map[string]time.Time
	renewed time.Time
}

// leaveInterests leaves in Redis what this Weir's results depend on, so that the relay decodes it.
func (c *Consumer) leaveInterests(ctx context.Context) {
	var wait pause
	l := &leaving{at: map[string]time.Time{}, renewed: time.Now()}
	for ctx.Err() == nil {
		sleep(ctx, missingEvery)
		fields := l.due(c.watch)
		if len(fields) == 0 {
			continue // which says nothing of Redis
		}
		if err := c.leave(ctx, fields); err != nil {
			wait.failed(ctx, c.log, "interests cannot be left for the relay; results depend on whole tables until they can", err)
		} else {
			wait.succeeded()
		}
	}
}

// due returns the fields of the interests that are to be left now.
func (l *leaving) due(w *dep.Watch) (fields []string) {
	all := w.Unfollowed()
	if time.Since(l.renewed) > renewEvery {
		all, l.renewed = w.Wanted(), time.Now()
		clear(l.at)
	}
	if len(all) == 0 {
		clear(l.at)
	}
	for _, i := range all {
		for _, want := range i.Wants {
			field := string(appendInterests(nil, dep.Interests{Table: i.Table, Wants: []dep.Want{want}}))
			if time.Since(l.at[field]) > againAfter {
				l.at[field] = time.Now()
				fields = append(fields, field)
			}
		}
	}
	return fields
}

func (c *Consumer) leave(ctx context.Context, fields []string) error {
	for len(fields) > 0 {
		n := min(len(fields), leaveCount)
		values := make([]any, 0, 2*n)
		for _, f := range fields[:n] {
			values = append(values, f, strconv.FormatUint(rand.Uint64(), 36))
		}
		_, err := c.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.HSet(ctx, c.cfg.interests(), values...)
			pipe.Publish(ctx, c.cfg.hints(), hintInterests)
			return nil
		})
		if err != nil {
			return fmt.Errorf("leave interests for the relay: %w", err)
		}
		fields = fields[n:]
	}
	return nil
}
