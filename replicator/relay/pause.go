package relay

import (
	"context"
	"log/slog"
	"time"
)

// pause waits a little longer after each failure, up to half a second: Redis comes back soon, or not.
type pause struct {
	last time.Duration
}

// failed waits, and logs the first failure of a row.
func (p *pause) failed(ctx context.Context, log *slog.Logger, message string, err error) {
	if p.last == 0 && ctx.Err() == nil {
		log.Warn(message, "error", err) //nolint:sloglint // each caller gives a constant
	}
	p.last = min(max(2*p.last, 10*time.Millisecond), 500*time.Millisecond)
	sleep(ctx, p.last)
}

func (p *pause) succeeded() { p.last = 0 }

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
