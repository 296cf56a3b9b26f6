package proxy

import (
	"context"
	"sync"
	"time"
)

const (
	// watchEvery is how often those sessions are looked at for which a backend works, or that wait at the gate: a statement of a client that hangs
	// up ends no later than twice that, plus what a login at the backend takes.
	watchEvery = 100 * time.Millisecond
	// idleEvery is how often all are looked at, for clients that have been silent, or not reading, for too long.
	idleEvery = time.Second
)

// watch looks after the sessions until ctx ends, with no goroutine and no timer for each of them.
func (s *Server) watch(ctx context.Context) {
	var ending sync.WaitGroup
	defer ending.Wait()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	checked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if s.outstanding() > 0 || s.atGate.Load() > 0 {
			s.endDeserted(ctx, &ending, now)
		}
		if now.Sub(checked) >= idleEvery {
			checked = now
			s.endSilent(now)
		}
	}
}

// outstanding counts the statements that backends work on.
func (s *Server) outstanding() (n int64) {
	for _, b := range s.everyBackend() {
		n += b.outstanding.Load()
	}
	return n
}

// endDeserted ends the statements of clients that have hung up.
func (s *Server) endDeserted(ctx context.Context, ending *sync.WaitGroup, now time.Time) {
	for _, sess := range s.busySince(now.Add(-watchEvery)) {
		if !hungUp(sess.net) || sess.running.wanted() || sess.deserted.Swap(true) {
			continue
		}
		ending.Go(func() {
			err := sess.interrupt(ctx, false)
			if err != nil {
				s.log.Warn("cannot end the statement of a client that has hung up", "connection", sess.id, "error", err)
			}
			sess.cut(errHungUp, err != nil)
		})
	}
}

// busySince returns the sessions whose statement has been under way since t or longer.
func (s *Server) busySince(t time.Time) (busy []*session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		if since := sess.running.since.Load(); since != 0 && since <= t.UnixNano() {
			busy = append(busy, sess)
		}
	}
	return busy
}

// endSilent closes the clients that have been idle for too long, and those that do not take an answer from the cache.
func (s *Server) endSilent(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		sess.silence.look(sess, now)
	}
}
