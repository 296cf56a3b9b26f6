package daemon

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// movingLoad is a clock that is written wherever writes are taken, and readers who look at it through Weir, while the
// source moves.
type movingLoad struct {
	*candidates
	clock clock

	mu     sync.Mutex
	writer *client   // nil for nobody
	moving time.Time // since when there may be errors, and answers as of then; zero if there may be none
	moves  int
}

// TestFailoverUnderLoad: while clients write and read, the source moves as planned, and then is killed. Before and after
// no answer is older than max_staleness, and no read fails; meanwhile none is older than that was when it began to move.
func TestFailoverUnderLoad(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		l := &movingLoad{candidates: newCandidates(t, flavor)}
		l.start(l.bothMayBe)
		l.clock.start(l.direct("app", ""))
		l.must(l.other.CatchUp(t.Context()))
		l.complete()

		stop := make(chan struct{})
		var all sync.WaitGroup
		l.writeAt(l.at(l.source))
		until(t, &all, stop, l.write)
		for range 4 {
			reader := l.proxy("app", "shop")
			until(t, &all, stop, func() (err error) { reader, err = l.read(reader); return err })
		}
		l.while(func() { l.swap(); l.writeAt(l.at(l.source)) }, "planned")
		l.must(l.other.CatchUp(t.Context()))
		l.while(l.killed, "killed")
		close(stop)
		all.Wait()
		l.complete()
		if err := l.clock.check(l.proxy("app", "shop")); err != nil {
			t.Error(err)
		}
	})
}

// while lets the load go on a little, moves the source, and lets it go on after that.
func (l *movingLoad) while(move func(), how string) {
	l.t.Helper()
	<-time.After(bound + bound/2)
	l.setMoving(time.Now())
	move()
	l.eventually("Weir serves from the cache again: "+how, l.servesAgain)
	l.t.Logf("%s: served again after %s", how, time.Since(l.promoted).Round(time.Millisecond))
	l.complete()
	hits := l.counter("weir_statements_total", "outcome", "hit")
	l.eventually("there are hits", func() bool { return l.counter("weir_statements_total", "outcome", "hit") > hits })
	l.setMoving(time.Time{})
	<-time.After(bound + bound/2)
}

// killed kills the source. What it had committed and nobody got counts as never written.
func (l *movingLoad) killed() {
	l.writeAt(nil)
	l.fails()
	c := l.at(l.source)
	n, err := clockValue(c.ask(clockQuery))
	l.must(err)
	l.clock.mu.Lock()
	l.clock.at = l.clock.at[:n+1]
	l.clock.mu.Unlock()
	l.writeAt(c)
}

func (l *movingLoad) writeAt(c *client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writer = c
}

func (l *movingLoad) setMoving(since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moving = since
	l.moves++
}

// state says how the source was at one moment: a number that changes when it begins and when it ends to move.
func (l *movingLoad) state() (moving time.Time, moves int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.moving, l.moves
}

// write counts up where writes are taken, if anywhere. It holds the lock: nobody changes the place during a write.
func (l *movingLoad) write() error {
	<-time.After(5 * time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writer == nil {
		return nil
	}
	if err := l.clock.tick(l.writer); err != nil && l.moving.IsZero() {
		return err
	}
	return nil
}

// read asks once, and reports what may not be.
func (l *movingLoad) read(c *client) (*client, error) {
	since, before := l.state()
	asked := time.Now()
	least, at := l.clock.least(asked)
	n, err := clockValue(c.ask(clockQuery))
	if began, after := l.state(); after != before || !since.IsZero() {
		if errors.Is(err, errNoValue) {
			c.hangUp()
			return l.proxy("app", "shop"), nil
		}
		if !began.IsZero() {
			least, at = l.leastOf(began, asked)
		} else {
			least = 0
		}
	}
	if err == nil && n < least {
		err = fmt.Errorf("%s gave %d, but %d was committed %s before it was asked", clockQuery, n, least, asked.Sub(at))
	}
	return c, err
}

// leastOf is for answers while the source moves.
func (l *movingLoad) leastOf(began, asked time.Time) (int, time.Time) {
	if began.Before(asked) {
		asked = began
	}
	return l.clock.least(asked)
}

var errNoValue = errors.New("the clock cannot be read")

func clockValue(a answer) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(a), "n\n")))
	if err != nil {
		return 0, fmt.Errorf("%w: %q", errNoValue, a)
	}
	return n, nil
}
