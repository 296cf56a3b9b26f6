package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

const (
	// probePause is how long the prober waits between two changes.
	probePause = 100 * time.Millisecond
	// probeRetry is how long it waits between two questions once it is clear that something is wrong.
	probeRetry = 50 * time.Millisecond
)

// prober changes a row on the source and asks through Weir until it sees the change. Nobody else writes to the row's
// table: an answer that a later change does not push out stays, and is found.
type prober struct {
	change        func(ctx context.Context, statement string) error // on the source
	weir, replica asker
	maxStaleness  time.Duration
	lag           *histogram
	findings      *findings
}

// run probes until it is told that it is enough. ctx cuts a statement off.
func (p *prober) run(ctx context.Context, enough <-chan struct{}) error {
	for value := 1; wait(ctx, enough, probePause); value++ {
		if err := p.once(ctx, enough, value); err != nil {
			return fmt.Errorf("measure the lag: %w", err)
		}
	}
	return context.Cause(ctx)
}

const probeQuestion = "SELECT value FROM probe WHERE id = 1"

// once makes one change and sees it. An old answer counts once, however often it comes.
func (p *prober) once(ctx context.Context, enough <-chan struct{}, value int) error {
	if err := p.change(ctx, fmt.Sprintf("UPDATE probe SET value = %d WHERE id = 1", value)); err != nil {
		return err
	}
	committed := time.Now()
	for noted := false; ; {
		asked := time.Now()
		seen, err := valueOf(p.weir(ctx, probeQuestion))
		switch {
		case err != nil:
			return err
		case seen >= value:
			p.lag.add(time.Since(committed))
			return nil
		case asked.Sub(committed) < p.maxStaleness:
			continue
		case !noted:
			noted = true
			if err := p.found(ctx, value, seen); err != nil {
				return err
			}
		}
		if !wait(ctx, enough, probeRetry) {
			return context.Cause(ctx)
		}
	}
}

// found notes an answer that is too old.
func (p *prober) found(ctx context.Context, value, seen int) error {
	there, err := valueOf(p.replica(ctx, probeQuestion))
	if err != nil {
		return err
	}
	p.findings.old(there <= seen, fmt.Sprintf("%s\nanswered %d through Weir more than %v after %d had been committed", probeQuestion, seen, p.maxStaleness, value))
	return nil
}

func valueOf(a answer, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(a.first())
}

// wait waits so long, and reports whether neither ctx has ended nor it has become enough.
func wait(ctx context.Context, enough <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !over(enough)
	case <-enough:
		return false
	case <-ctx.Done():
		return false
	}
}
