package ddlload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// write updates the large table, so many times a second, until it is told to stop.
func (b *bench) write(ctx context.Context) (stop func(), err error) {
	if b.writes == 0 {
		return func() {}, nil
	}
	w, err := openRoot(ctx, b.server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		tick := time.NewTicker(time.Second / time.Duration(b.writes))
		defer tick.Stop()
		for err := error(nil); ctx.Err() == nil; <-tick.C {
			if err = w.run(ctx, fmt.Sprintf("UPDATE %s.big SET amount = amount + 1 WHERE id = %d", schema, rand.IntN(b.rows)+1)); err != nil && ctx.Err() == nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
		w.close()
	}, nil
}
