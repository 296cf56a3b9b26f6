package proxy

import (
	"context"
	"errors"
	"sync"
)

// connections are all that a backend's server has been connected with and that are not closed, idle or not.
type connections struct {
	mu  sync.Mutex
	all map[*conn]struct{}
	// logins are under way: they have no connection yet that could be cut.
	logins map[*context.CancelCauseFunc]struct{}
}

var errGivenUp = errors.New("the server does not answer, and its connections are given up")

// login returns the context of a login, which ends when connections are cut, and what ends it in any case.
func (cs *connections) login(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.logins == nil {
		cs.logins = map[*context.CancelCauseFunc]struct{}{}
	}
	cs.logins[&cancel] = struct{}{}
	return ctx, func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.logins, &cancel)
		cancel(nil)
	}
}

func (cs *connections) add(c *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.all == nil {
		cs.all = map[*conn]struct{}{}
	}
	cs.all[c] = struct{}{}
}

func (cs *connections) remove(c *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.all, c)
}

// has reports whether the server's connection of that number is one of them.
func (cs *connections) has(id uint64) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		if uint64(c.id) == id {
			return true
		}
	}
	return false
}

// cut ends the network connection of all of them, and returns how many there were. Whoever uses one finds it broken. Logins
// that are under way fail.
func (cs *connections) cut() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		c.net.Close()
	}
	for cancel := range cs.logins {
		(*cancel)(errGivenUp)
	}
	n := len(cs.all)
	clear(cs.all)
	return n
}

func (cs *connections) count() int64 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return int64(len(cs.all))
}

// Ours reports whether a connection to the server at addr, of the number that the server gave it, is one that clients of
// this proxy share. It may be called from anywhere, and does not wait for a server.
func (s *Server) Ours(addr string, id uint64) bool {
	for _, b := range s.everyBackend() {
		if b.addr == addr {
			return b.conns.has(id)
		}
	}
	return false
}
