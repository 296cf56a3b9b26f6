package proxy

import "sync"

// connections are all that a backend's server has been connected with and that are not closed, idle or not.
type connections struct {
	mu  sync.Mutex
	all map[*conn]struct{}
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

// cut ends the network connection of all of them, and returns how many there were. Whoever uses one finds it broken.
func (cs *connections) cut() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		c.net.Close()
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
