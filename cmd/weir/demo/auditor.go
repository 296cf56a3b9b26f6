package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// asker answers a statement.
type asker func(ctx context.Context, text string) (answer, error)

// auditor compares answers that Weir gives with what the source says, while others write:
//
//  1. It asks the source, and the answer has come at the moment t: it contains only what was committed before t.
//  2. At t + max_staleness, or later, it asks Weir.
//  3. It asks the source again.
//
// If the source said the same twice, then nothing changed in between that this statement sees, since no change is ever
// taken back ([actions]; whoever changes the shop by hand should not do so either). So Weir must have said the same,
// too: it promises everything that was committed before t. If the source said something else, the sample decides
// nothing, and step 3 is step 1 of the next try.
//
// A replica that has not applied what the source had at t gives old answers, and Weir passes these on. So an old answer
// that the replica still gives, too, is the replica's and not Weir's.
type auditor struct {
	weir, source, replica asker
	maxStaleness          time.Duration
	findings              *findings
}

// findings of the auditor, and of the prober, who may find old answers, too.
type findings struct {
	compared, undecided, behind atomic.Int64
	stale                       wrongs
}

// old notes an answer that is older than max_staleness.
func (f *findings) old(replicaToo bool, what string) {
	if replicaToo {
		f.behind.Add(1)
		return
	}
	f.stale.note(what)
}

// tries are how often a sample is taken again that decides nothing.
const tries = 3

// run audits samples, so many at a time, until it is told that it is enough. ctx cuts a statement off.
func (a *auditor) run(ctx context.Context, enough <-chan struct{}, samples <-chan string, parallel int) error {
	g, ctx := errgroup.WithContext(ctx)
	for range parallel {
		g.Go(func() error {
			for {
				select {
				case text := <-samples:
					if err := a.sample(ctx, enough, text); err != nil {
						return err
					}
				case <-enough:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		})
	}
	return g.Wait()
}

// sample tries until one decides. A sample that it becomes enough in is dropped.
func (a *auditor) sample(ctx context.Context, enough <-chan struct{}, text string) error {
	before, err := a.ask(ctx, "the source", a.source, text)
	for try := 0; err == nil && try < tries; try++ {
		if !wait(ctx, enough, a.maxStaleness) {
			return context.Cause(ctx)
		}
		var after answer
		var decided bool
		if after, decided, err = a.compare(ctx, text, before); decided {
			return err
		}
		before = after
	}
	if err == nil {
		a.findings.undecided.Add(1)
	}
	return err
}

// compare does steps 2 and 3.
func (a *auditor) compare(ctx context.Context, text string, before answer) (after answer, decided bool, err error) {
	got, err := a.ask(ctx, "Weir", a.weir, text)
	if err != nil {
		return "", false, err
	}
	if after, err = a.ask(ctx, "the source", a.source, text); err != nil {
		return "", false, err
	}
	if before != after {
		return after, false, nil
	}
	return after, true, a.judge(ctx, text, got, after)
}

// judge counts an answer of Weir's where the source's is known.
func (a *auditor) judge(ctx context.Context, text string, got, want answer) error {
	a.findings.compared.Add(1)
	if got == want {
		return nil
	}
	there, err := a.ask(ctx, "the replica", a.replica, text)
	if err != nil {
		return err
	}
	a.findings.old(there == got, describe(text, got, want))
	return nil
}

// final compares each question once. The load has stopped and the replica has caught up, max_staleness ago at least, so
// there is no excuse.
func (a *auditor) final(ctx context.Context, all []question) error {
	for _, q := range all {
		want, err := a.ask(ctx, "the source", a.source, q.text)
		if err != nil {
			return err
		}
		got, err := a.ask(ctx, "Weir", a.weir, q.text)
		if err != nil {
			return err
		}
		a.findings.compared.Add(1)
		if got != want {
			a.findings.old(false, "after the load had stopped:\n"+describe(q.text, got, want))
		}
	}
	return nil
}

func (a *auditor) ask(ctx context.Context, whom string, asker asker, text string) (answer, error) {
	got, err := asker(ctx, text)
	if err != nil {
		return "", fmt.Errorf("compare answers: ask %s: %q: %w", whom, text, err)
	}
	return got, nil
}

func describe(text string, got, want answer) string {
	return fmt.Sprintf("%s\nWeir answered:\n%sthe source, before and after:\n%s", text, got, want)
}
