package proxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"weir/proxy/wire"
)

// # How serving ends
//
// It begins with Serve's context. Nobody is let in any more; sessions end as they become quiet; whoever waits at the gate is
// told errShutdown, and its session ends. Statements that servers work on, and transactions, may go on.
//
// What is left when Config.DrainTimeout is over is cut off. Clients that have nothing under way are closed. Statements are
// ended, for errShutdown, where they wait, and by KILL QUERY where a server works on them: a server does not notice that
// the client of a statement has gone as long as the statement waits for a lock. What has not ended within endTime is given
// up. So nothing of Weir's stays at a server that answers.
//
// D1, a statement that begins while all others are being ended:
//
//  1. A session reads a statement. It has nothing under way yet.
//  2. The cut begins: the session has nothing under way, so that its client is closed and nothing is ended.
//  3. The statement goes to a server, and stays there when Weir has ended.
//
// So the cut sets its flag before it looks at what sessions have under way, and a session looks at the flag after it has
// said that it has something under way, before anything is sent: one of the two sees the other. See [session.run1].

// errShutdown is what servers say to clients that are connected while they stop.
var errShutdown = wire.Errorf(wire.CodeServerShutdown, "Server shutdown in progress")

const (
	// endTime is how long the backends may take, all together, to end what is left there.
	endTime = 2 * time.Second
	// lastWords is how long clients may take after that to be told.
	lastWords = 500 * time.Millisecond
	// enders is how many statements are being ended at a time; each needs a connection.
	enders = 32
)

var errNotEnded = errors.New("the backend did not answer in time")

// stopping is how far the end of serving has come.
type stopping struct {
	begun atomic.Bool // quiet sessions end
	cut   atomic.Bool // all sessions end

	// noWait ends when it begins: whoever waits at a gate does so no longer than that.
	noWait context.Context
	begin  context.CancelFunc
}

func newStopping() stopping {
	noWait, begin := context.WithCancel(context.Background())
	return stopping{noWait: noWait, begin: begin}
}

// unlessBegun returns a context that has ended, with the cause errShutdown, once stopping has begun.
func (s *stopping) unlessBegun(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.noWait, func() { cancel(errShutdown) })
	return ctx, func() { stop(); cancel(nil) }
}

// drain ends sessions as they become quiet, and the rest when the time is over.
func (s *Server) drain(all *sync.WaitGroup, cut context.CancelCauseFunc) {
	s.stopping.begun.Store(true)
	s.stopping.begin()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	if !s.quieten(done) {
		s.log.Warn("sessions are still busy; cutting them off", "drain_timeout", s.cfg.DrainTimeout)
		s.cutOff(done, cut)
	}
}

// quieten wakes sessions that wait for a command outside a transaction, until all have ended; false: the time is over.
func (s *Server) quieten(done <-chan struct{}) bool {
	deadline, tick := time.NewTimer(s.cfg.DrainTimeout), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		s.endQuiet()
		select {
		case <-done:
			return true
		case <-tick.C:
		case <-deadline.C:
			return false
		}
	}
}

// cutOff ends all sessions, and returns when they have ended.
func (s *Server) cutOff(done <-chan struct{}, cut context.CancelCauseFunc) {
	s.stopping.cut.Store(true)
	ctx, cancel := context.WithTimeoutCause(context.Background(), endTime, errNotEnded)
	defer cancel()
	busy, ended := s.closeIdle(), make(chan struct{})
	go func() { defer close(ended); s.endStatements(ctx, busy) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	cut(errShutdown)
	select {
	case <-done:
	case <-time.After(lastWords):
	}
	s.closeSessions()
	<-ended
	<-done
}

// endStatements ends what the sessions have under way.
func (s *Server) endStatements(ctx context.Context, of []*session) {
	var all errgroup.Group
	all.SetLimit(enders)
	for _, sess := range of {
		all.Go(func() error {
			err := sess.running.interrupt(errShutdown, func(c *conn) error { return s.killQueryWithin(ctx, c, false) })
			if err != nil {
				s.log.Warn("cannot end a statement at its backend", "connection", sess.id, "error", err)
			}
			return nil
		})
	}
	_ = all.Wait() // they return none
}

// endQuiet wakes those that wait for a command outside a transaction.
func (s *Server) endQuiet() {
	s.eachSession(func(sess *session) {
		if sess.quiet.Load() {
			sess.net.SetReadDeadline(time.Unix(1, 0))
		}
	})
}

// closeIdle closes those that have nothing under way, and returns the others.
func (s *Server) closeIdle() (busy []*session) {
	s.eachSession(func(sess *session) {
		if sess.running.since.Load() == 0 {
			sess.net.Close()
		} else {
			busy = append(busy, sess)
		}
	})
	return busy
}

func (s *Server) closeSessions() { s.eachSession(func(sess *session) { sess.net.Close() }) }

func (s *Server) eachSession(f func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		f(sess)
	}
}
