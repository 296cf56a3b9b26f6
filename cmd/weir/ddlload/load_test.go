package ddlload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// load is readers that ask for statements of the hot set, each as likely as any other.
type load struct {
	addr    string
	hot     []statement
	readers int
	// interval is the time between two requests; 0 makes it a closed loop, in which each reader asks as soon as it has
	// its answer.
	interval time.Duration

	start   time.Time
	tickets atomic.Int64
	ended   chan struct{}
	end     time.Duration // since start; set before ended is closed
	mutex   sync.Mutex
	samples []sample
}

// sample is one request: when it was due and when its answer was there, since the load's start.
type sample struct{ due, done time.Duration }

func newLoad(addr string, hot []statement, readers int, rate float64) *load {
	l := &load{addr: addr, hot: hot, readers: readers, ended: make(chan struct{})}
	if rate > 0 {
		l.interval = time.Duration(float64(time.Second) / rate)
	}
	return l
}

// run connects, warms, and then reads while f does. What was due until f returned is asked to the end, however late.
func (l *load) run(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conns, err := l.connect(ctx)
	if err != nil {
		return err
	}
	// Twice, since Weir does not keep what it read from a moment before the change that was taken back.
	for range 2 {
		if err := l.warm(conns); err != nil {
			return fmt.Errorf("warm: %w", err)
		}
	}
	l.start = time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for i, c := range conns {
		g.Go(func() error { return l.read(c, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	g.Go(func() error {
		defer l.stop()
		return f(ctx)
	})
	return g.Wait()
}

func (l *load) stop() {
	l.end = time.Since(l.start)
	close(l.ended)
}

func (l *load) connect(ctx context.Context) ([]*conn, error) {
	conns := make([]*conn, l.readers)
	for i := range conns {
		c, err := dial(ctx, l.addr)
		if err != nil {
			return nil, err
		}
		conns[i] = c
	}
	return conns, nil
}

// warm asks for every statement once.
func (l *load) warm(conns []*conn) error {
	var g errgroup.Group
	for i, c := range conns {
		g.Go(func() error {
			for n := i; n < len(l.hot); n += len(conns) {
				if err := l.ask(c, &l.hot[n]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func (l *load) ask(c *conn, s *statement) error {
	got, err := c.ask(s.text)
	if err != nil {
		return fmt.Errorf("ask %s for %s: %w", l.addr, s.text, err)
	}
	if !s.varies && got != s.want {
		return fmt.Errorf("%s answers %s with wrong rows", l.addr, s.text)
	}
	return nil
}

// read asks until the load has ended.
func (l *load) read(c *conn, random *rand.Rand) error {
	var samples []sample
	defer func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.samples = append(l.samples, samples...)
	}()
	for {
		due, over := l.next()
		if over {
			return nil
		}
		if err := l.ask(c, &l.hot[random.IntN(len(l.hot))]); err != nil {
			return err
		}
		samples = append(samples, sample{due, time.Since(l.start)})
	}
}

// next waits until a request is due. Requests belong to whichever reader is free, so that one that has to wait long delays
// no others as long as there are readers left.
func (l *load) next() (due time.Duration, over bool) {
	if l.interval == 0 {
		return time.Since(l.start), l.over(time.Since(l.start))
	}
	due = time.Duration(l.tickets.Add(1)-1) * l.interval
	early := due - time.Since(l.start)
	if early <= 0 {
		return due, l.over(due)
	}
	timer := time.NewTimer(early)
	defer timer.Stop()
	select {
	case <-timer.C:
		return due, l.over(due)
	case <-l.ended:
		return due, true
	}
}

// over says that what is due then is after the end.
func (l *load) over(due time.Duration) bool {
	select {
	case <-l.ended:
		return due >= l.end
	default:
		return false
	}
}
