package proxy

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

// running is what a session has under way, as others see it: a session that says KILL, and the watch over clients that
// hang up. The session's goroutine calls begin, enter, leads, leave and end; interrupt may be called from anywhere.
//
// A kill must hit nobody else. The race, were the connection given back as soon as its statement has ended:
//
//  1. Client A's statement runs on the backend's connection 17.
//  2. Somebody kills A's statement. Weir finds 17, and logs in at the backend to say so.
//  3. A's statement ends. 17 goes back to its pool, and client C's statement starts on it.
//  4. The backend reads KILL QUERY 17, and ends the statement of C.
//
// So what interrupt has found stays with A until the backend has answered the kill: leave waits for that, and A's
// goroutine with it. A backend that sets the mark of a kill late, after its answer and after the end of the statement,
// would still hit whoever comes next on 17: that connection is not given to anybody else any more, see [conn.spent].
//
// A kill must not miss, either. Weir sees a statement under way before the backend does:
//
//  1. A's statement is on its way to 17.
//  2. Somebody kills it. The backend reads KILL QUERY 17 first, has nothing to end, and says OK.
//  3. The backend reads A's statement, and runs it to its end.
//
// So the kill is said again until the statement has ended, see [running.insist].
type running struct {
	since atomic.Int64 // when it began, as UnixNano; 0: nothing is under way

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of what the statement waits for while no backend works for it; may be nil
	conn   *conn                   // that works for it; nil: none does
	flight *cache.Flight           // that it leads
	kill   chan struct{}           // closed when the kill on its way to conn has been answered
	left   chan struct{}           // of a conn that was killed: closed when it has answered, or never will
	// why it shall end; nil: it goes on. It is not sent any more if it has not been.
	why *wire.Error
}

// errInterrupted is what servers say to a client whose statement was killed.
var errInterrupted = wire.Errorf(wire.CodeQueryInterrupted, "Query execution was interrupted")

// begin opens a statement that has to wait for others: a backend, a flight, a sampler. The context is for all of that,
// and has the reason as its cause once it is interrupted.
func (r *running) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	r.cancel = cancel
	r.mu.Unlock()
	r.since.Store(time.Now().UnixNano())
	return ctx, func() {
		r.end()
		cancel(nil)
	}
}

func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since.Store(0)
	r.cancel, r.flight, r.why = nil, nil, nil
}

// leads notes that others may wait for what the statement brings.
func (r *running) leads(f *cache.Flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flight = f
}

// enter notes that a command goes to c now; false: it must not, since the statement is to end.
func (r *running) enter(c *conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why != nil {
		return false
	}
	r.conn = c
	if r.cancel == nil { // a command that is no statement, such as COM_INIT_DB
		r.since.Store(time.Now().UnixNano())
	}
	return true
}

// leave notes that c has answered, or never will. It returns when no kill is on its way to c.
func (r *running) leave(c *conn) {
	r.mu.Lock()
	kill := r.kill
	r.conn = nil
	if r.left != nil {
		close(r.left)
		r.left = nil
		c.spent = true
	}
	if r.cancel == nil {
		r.since.Store(0)
		r.why = nil
	}
	r.mu.Unlock()
	if kill != nil {
		<-kill
	}
}

// interrupt ends what is under way, if anything is: by kill where a backend works for it, and otherwise by ending what
// it waits for. It returns what kill does the first time. Of two at the same time, the second waits for the first, whose
// reason it is.
func (r *running) interrupt(why *wire.Error, kill func(*conn) error) error {
	r.mu.Lock()
	if r.since.Load() == 0 {
		r.mu.Unlock()
		return nil
	}
	r.why = cmp.Or(r.why, why)
	if r.conn == nil {
		r.cancel(r.why)
		r.mu.Unlock()
		return nil
	}
	if other := r.kill; other != nil {
		r.mu.Unlock()
		<-other
		return nil
	}
	first := r.left == nil
	if first {
		r.left = make(chan struct{})
	}
	left := r.left
	answered := r.aims()
	c := r.conn
	r.mu.Unlock()
	err := kill(c)
	answered()
	if first {
		go r.insist(c, left, kill)
	}
	return err
}

// aims notes that a kill is on its way to conn, until what it returns is called. The lock is held.
func (r *running) aims() (answered func()) {
	done := make(chan struct{})
	r.kill = done
	return func() {
		r.mu.Lock()
		r.kill = nil
		r.mu.Unlock()
		close(done)
	}
}

// A kill is said again that long after the first one, then after twice as long, and so on, that many times. Together
// they take about as long as [killGrace].
const (
	killAgain  = 50 * time.Millisecond
	killsAgain = 6
)

// insist repeats a kill until the connection has been left.
func (r *running) insist(c *conn, left <-chan struct{}, kill func(*conn) error) {
	for pause := killAgain; pause < killAgain<<killsAgain; pause *= 2 {
		select {
		case <-left:
			return
		case <-time.After(pause):
		}
		if !r.killOnce(c, left, kill) {
			return
		}
	}
}

// killOnce says kill again, unless c has been left or another kill is on its way to it. It reports whether c may have
// something to end still.
func (r *running) killOnce(c *conn, left <-chan struct{}, kill func(*conn) error) bool {
	r.mu.Lock()
	select {
	case <-left:
		r.mu.Unlock()
		return false
	default:
	}
	if r.kill != nil {
		r.mu.Unlock()
		return true
	}
	answered := r.aims()
	r.mu.Unlock()
	defer answered()
	return kill(c) == nil
}

// wanted reports whether others wait for what the statement brings.
func (r *running) wanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flight != nil && r.flight.Waiting() > 0
}

// interrupted returns why the statement under way is to end; nil if it is not.
func (r *running) interrupted() *wire.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}
