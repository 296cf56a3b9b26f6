package replicator

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Candidates are the servers that may be the source, of which one at a time is: the one that takes writes. They hold where
// the source is now, for everybody who talks to it, and find out when that changes.
//
// # An orderly promotion
//
//  1. The old source is made read-only, or has died. From here on nothing is committed on it.
//  2. A replica that has applied everything is made writable.
//
// The probe notes the time t, asks the source for its position, and then, at t' >= t, whether it takes writes. If it
// does, 1 has not happened before t', so neither has 2 before t, and everything that was committed before t, on
// whichever server, is before the position. So an answer is never older than max_staleness, however late the promotion
// is found out. If the source has become read-only, nothing is complete as of then, and a writable one is looked for at
// once.
//
// # Two that take writes
//
// That is no orderly promotion: the old source is back, the network is split, or a replica was never made read-only. If all
// but one replicate, and that one has all that the others have, it is the source. Otherwise nobody can tell: nothing is
// complete until it is clear, and statements go to the server that was followed before. It is found out within about a
// second. If none was followed yet, statements go to the first one that takes writes, for as long as it does.
//
// # A replica that was never read-only
//
// If the source cannot be reached, such a replica looks as if it had been promoted. One that still replicates is taken
// for the source only if it was seen to become writable, or if all the others answer and take no writes.
type Candidates struct {
	all     []*candidate
	log     *slog.Logger
	metrics *candidateMetrics
	look    chan struct{}

	// OnMove, if set before Run, is called when statements go to another server from then on; silent says that the one
	// before does not answer. It must not block.
	OnMove func(addr string, silent bool)

	choosing sync.Mutex   // one look at a time
	at       atomic.Int64 // when it was last clear which one is the source, in nanoseconds since born; 0 if it is not
	born     time.Time
	followed *candidate // that was found last; nil before the first

	mu    sync.Mutex
	now   *endpoint
	leave context.CancelFunc
	doubt string
}

const (
	// lookEvery is how often all candidates are looked at while all is well, and lookSoon while the source is missing.
	lookEvery, lookSoon = time.Second, 100 * time.Millisecond
	// lookTimeout bounds what one look waits for a candidate, and silentTimeout for one that did not answer the last time.
	lookTimeout, silentTimeout = time.Second, 300 * time.Millisecond
)

// NewCandidates returns the candidates at those addresses, of which none is followed before [Candidates.Choose] has found
// one; the first one stands in. The account is that of cfg. tls says how to use it towards each.
func NewCandidates(cfg Config, addrs []string, tls func(addr string) TLS, log *slog.Logger, reg prometheus.Registerer) *Candidates {
	c := &Candidates{log: log, metrics: newCandidateMetrics(reg, addrs), look: make(chan struct{}, 1), born: time.Now()}
	for _, addr := range addrs {
		c.all = append(c.all, newCandidate(cfg, addr, tls(addr)))
	}
	c.point(c.all[0])
	return c
}

// Close ends the connections by which the candidates are looked at. Nobody may be looking any more.
func (c *Candidates) Close() {
	for _, one := range c.all {
		one.session.Close()
	}
}

// Addr is where the source is.
func (c *Candidates) Addr() string { return c.endpoint().addr }

func (c *Candidates) endpoint() *endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// NewSession returns a session that talks to the source, wherever that is. What is under way when it moves fails.
func (c *Candidates) NewSession(user, password string, timeout time.Duration) *Session {
	return newSession(c.endpoint, user, password, timeout)
}

// Doubt says why nobody can tell which server is the source; empty while that is clear.
func (c *Candidates) Doubt() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.doubt
}

// Look asks that the candidates be looked at now: the source is not what it was. It does not wait.
func (c *Candidates) Look() {
	select {
	case c.look <- struct{}{}:
	default:
	}
}

// Run looks at the candidates until ctx ends, so that a promotion is found out also if nothing else shows it.
func (c *Candidates) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := lookEvery
		if c.Choose(ctx) != nil {
			pause = lookSoon
		}
		select {
		case <-time.After(pause):
		case <-c.look:
			select { // the same failure may be reported by many
			case <-time.After(lookSoon):
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
}

// clear reports whether a look has just shown which one is the source.
func (c *Candidates) clear() bool {
	at := c.at.Load()
	return at != 0 && time.Since(c.born)-time.Duration(at) < 2*lookEvery
}

// unclear says that the source does not answer as the last look showed.
func (c *Candidates) unclear() {
	c.at.Store(0)
	c.Look()
}

// Choose looks at all candidates and follows the one that is the source now. If there is none, or nobody can tell, the
// error says why, and the one before stays.
func (c *Candidates) Choose(ctx context.Context) error {
	c.choosing.Lock()
	defer c.choosing.Unlock()
	first := c.see(ctx)
	seen := first
	if first.writable() > 1 {
		seen = c.see(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	found, err := choose(first, seen, c.followed)
	for i := range seen {
		seen[i].note(found)
	}
	c.settle(seen, found, err)
	return err
}

// see asks all candidates at once.
func (c *Candidates) see(ctx context.Context) sightings {
	seen := make(sightings, len(c.all))
	var all sync.WaitGroup
	for i, one := range c.all {
		all.Go(func() { seen[i] = one.see(ctx) })
	}
	all.Wait()
	return seen
}

// settle follows what was found, and tells about it.
func (c *Candidates) settle(seen sightings, found *candidate, err error) {
	doubtful := errors.Is(err, errTwoSources)
	c.metrics.saw(seen, found, doubtful)
	switch {
	case found != nil:
		c.follow(found, seen)
		c.at.Store(int64(time.Since(c.born)))
	case doubtful && c.followed == nil:
		c.at.Store(0)
		c.move(seen.standIn(c.Addr()), seen)
	default:
		c.at.Store(0)
	}
	c.setDoubt(err)
}

// follow makes a candidate the source. The first one is no news.
func (c *Candidates) follow(found *candidate, seen sightings) {
	before := c.followed
	c.followed = found
	from, silent, moved := c.move(found, seen)
	if moved && before != nil {
		c.log.Warn("another server is the source now", "source", found.addr, "before", from, "before_answers", !silent)
		c.metrics.moves.Inc()
	}
}

// move lets statements go to a candidate, unless they do.
func (c *Candidates) move(to *candidate, seen sightings) (from string, silent, moved bool) {
	from = c.Addr()
	if from == to.addr {
		return from, false, false
	}
	silent = seen.of(from).err != nil
	c.point(to)
	if c.OnMove != nil {
		c.OnMove(to.addr, silent)
	}
	return from, silent, true
}

// point makes a candidate the one that sessions lead to.
func (c *Candidates) point(to *candidate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leave != nil {
		c.leave()
	}
	c.now = &endpoint{addr: to.addr, tls: to.tls}
	c.now.left, c.leave = context.WithCancel(context.Background())
}

// TwoSources reports whether an error says that nobody can tell which candidate is the source. That may pass.
func TwoSources(err error) bool { return errors.Is(err, errTwoSources) }

// errTwoSources wraps a doubt.
var errTwoSources = errors.New("more than one server takes writes")

func (c *Candidates) setDoubt(err error) {
	doubt := ""
	if errors.Is(err, errTwoSources) {
		doubt = err.Error()
	}
	c.mu.Lock()
	before := c.doubt
	c.doubt = doubt
	c.mu.Unlock()
	switch {
	case doubt != "" && before == "":
		c.log.Error("nobody can tell which server is the source; cached results are not served until it is clear", "error", err, "statements_go_to", c.Addr())
	case doubt == "" && before != "":
		c.log.Info("there are no two sources any more")
	}
}
