package relay

import (
	"context"
	"log/slog"
	"time"
)

// tellEvery is how often the same trouble is told that comes again and again.
const tellEvery = time.Minute

// pause waits a little longer after each failure, up to half a second: Redis comes back soon, or not.
type pause struct {
	last time.Duration
	told bool      // this row of failures
	at   time.Time // when one was last told
}

// failed waits, and logs one failure of a row: the first, or if another row was told just before, one that comes when
// tellEvery is over.
func (p *pause) failed(ctx context.Context, log *slog.Logger, message string, err error) {
	if now := time.Now(); !p.told && now.Sub(p.at) >= tellEvery && ctx.Err() == nil {
		p.told, p.at = true, now
		log.Warn(message, "error", err) //nolint:sloglint // each caller gives a constant
	}
	p.last = min(max(2*p.last, 10*time.Millisecond), 500*time.Millisecond)
	sleep(ctx, p.last)
}

func (p *pause) succeeded() { p.last, p.told = 0, false }

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
