package proxy

import (
	"fmt"
	"strconv"
	"time"
)

// A server closes what is idle for longer than the session's wait_timeout, and counts an aborted client for each. A pool
// must be earlier: it gives an idle connection up after half of that, or after idleTimeout, and takes leave.

// expireEvery is how often pools are looked through for connections to be given up.
const expireEvery = time.Second

// shortest is the shortest wait_timeout with which a connection is put into a pool at all.
const shortest = 4 * expireEvery

// takeWaitTimeout notes what the server says, in seconds.
func (c *conn) takeWaitTimeout(said string) error {
	seconds, err := strconv.ParseInt(said, 10, 32)
	if err != nil {
		return fmt.Errorf("read the wait_timeout of %s: %w", c.backend.addr, err)
	}
	c.waitTimeout = time.Duration(seconds) * time.Second
	return nil
}

// keepable reports whether the server leaves the connection alone for long enough to be worth keeping.
func (c *conn) keepable() bool { return c.waitTimeout >= shortest }

// expired reports whether an idle connection is to be given up.
func (c *conn) expired(now time.Time) bool {
	return now.Sub(c.idle) > min(idleTimeout, c.waitTimeout/2)
}

// takeSettings notes what the settings that the connection has say of wait_timeout.
func (c *conn) takeSettings() {
	if _, set := c.state.settings.value("wait_timeout"); set {
		c.waitTimeout, _ = c.state.settings.waitTimeout()
	}
}
