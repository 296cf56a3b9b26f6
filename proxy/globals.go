package proxy

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// # SET GLOBAL
//
// A new session starts with the server's global values, and SET GLOBAL is not in the binlog. So a connection to a
// backend is of a generation: all connections of one were logged in while the globals that matter were the same.
//
//  1. The generation is noted, then the connection logs in (pool.connect). It starts with the globals of that
//     generation, or of a later one; never of an earlier one.
//  2. Whoever takes a connection looks at the globals first if nobody has done so for globalsEvery. If they are not what
//     they were, a new generation begins.
//  3. A connection of an earlier generation is not taken again. One that logged in between the SET GLOBAL and its
//     discovery goes, too, which costs a login and nothing else.
//
// So a client that connects globalsEvery after a SET GLOBAL starts with the new values, as with the server itself. Those
// who are there keep what they have set; what they have not set follows the new values, where a session of the server
// would keep the old ones. In every case the values that a session starts with are a part of its keys.

// globalsEvery is how long it may take until SET GLOBAL is felt by sessions that begin.
const globalsEvery = time.Second

// globals is what a backend's sessions start with at the moment, for all that is known.
type globals struct {
	mu         sync.Mutex
	text       string
	known      bool
	generation uint64
	due        time.Time // when to look again; somebody is about to, if it is in the future
}

// now returns the generation, and whether the caller has to look at the globals before it goes by that.
func (g *globals) now(now time.Time) (generation uint64, look bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	look = !now.Before(g.due)
	if look {
		g.due = now.Add(globalsEvery)
	}
	return g.generation, look
}

// saw takes in what a connection has been told.
func (g *globals) saw(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known && g.text != text {
		g.generation++
	}
	g.text, g.known, g.due = text, true, time.Now().Add(globalsEvery)
}

// again says that the globals may just have changed.
func (g *globals) again() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.due = time.Time{}
}

// recheckGlobals is called after a SET GLOBAL that went through here.
func (s *Server) recheckGlobals() {
	for _, b := range s.everyBackend() {
		b.globals.again()
	}
}

// current reports whether the connection started as one would that logs in now; it may ask the server for that. A
// connection that fails is not current.
func (c *conn) current(ctx context.Context, now time.Time) bool {
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_, look := c.backend.globals.now(now)
	if look && c.lookAtGlobals() != nil {
		c.backend.globals.again()
		return false
	}
	generation, _ := c.backend.globals.now(time.Time{})
	return c.generation == generation
}

func (c *conn) lookAtGlobals() error {
	rows, err := c.query(globalsQuery)
	if err != nil {
		return err
	}
	c.backend.globals.saw(readDefaults(rows).text)
	return nil
}

// globalsQuery asks for the same names as defaultsQuery.
var globalsQuery = strings.Replace(defaultsQuery, "SHOW SESSION", "SHOW GLOBAL", 1)

const (
	minLifetime = 4 * time.Hour
	maxLifetime = 8 * time.Hour
)

// lifetime is how long a connection is used. Connections that began together do not end together: each end costs the
// server the clean-up of a session.
func lifetime() time.Duration { return minLifetime + rand.N(maxLifetime-minLifetime) }
