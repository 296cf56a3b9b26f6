package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weir/proxy/wire"
)

// A connection is reset with COM_RESET_CONNECTION (MySQL since 5.7.3, MariaDB since 10.2.4), which ends transactions,
// locks, temporary tables, prepared statements and user variables, and sets session variables to the server's own. Two
// things are not as after a login then: the character sets, which a login takes from the handshake, and what
// init_connect does. The first are set again; with the second there is no reset.

// charsets are the character sets that a login has established: client, results, and the collation of the connection.
type charsets [3]string

// sql returns the statement that sets them again. A login, like SET NAMES, gives the collation to what columns of results
// are said to have, too; to set character_set_results alone would give them the default collation.
func (cs charsets) sql() string {
	if cs[0] == cs[1] && fitsCharset(cs[2], cs[0]) {
		return "SET NAMES " + cs[0] + " COLLATE " + cs[2]
	}
	return fmt.Sprintf("SET SESSION character_set_client = %s, SESSION character_set_results = %s, SESSION collation_connection = %s",
		cs[0], cs[1], cs[2])
}

var errNoReset = errors.New("init_connect is set on the server, and only runs at a login")

// readStart asks what a login has made of the character sets, of wait_timeout, and of the account.
func (c *conn) readStart() error {
	rows, err := c.query(c.startQuery())
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) < 5 {
		return fmt.Errorf("%s does not say how its sessions start", c.backend.addr)
	}
	c.charsets = charsets(rows[0][1:4])
	c.defaults.account = strings.Join(rows[0][4:], "\x00")
	return c.takeWaitTimeout(rows[0][0])
}

// reset makes the connection as it was after its login, but for its default database, and then as wanted. After an
// error it must not be used any more.
func (c *conn) reset(want state) error {
	if !c.resettable() {
		return errNoReset
	}
	c.generation, _ = c.backend.globals.now(time.Time{})
	r := response{hold: maxOwn}
	if err := c.roundTrip(wire.ComResetConnection, nil, &r); err != nil {
		return err
	}
	if err := r.err(); err != nil {
		return err
	}
	c.remotes = nil
	if err := c.exec(c.charsets.sql()); err != nil {
		return err
	}
	c.state = state{schema: c.state.schema}
	if err := c.setUp(want); err != nil {
		return err
	}
	return c.use(want.schema)
}

// resettable: character_set_results is nothing if the handshake says so.
func (c *conn) resettable() bool {
	return c.charsets[0] != "" && c.charsets[1] != "" && c.charsets[2] != "" &&
		(strings.Contains(c.defaults.text, "init_connect=\x00") || !strings.Contains(c.defaults.text, "init_connect="))
}

// recycle takes back a connection on which a session may have left something.
func (p *pool) recycle(ctx context.Context, c *conn) {
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	err := c.reset(c.state)
	if !stop() {
		c.broken = true
	}
	switch {
	case err != nil && !c.broken:
		c.quit()
	default:
		p.put(c)
	}
}

// enough is how many idle connections a pool has when it rather resets one of them than makes another.
const enough = maxIdle / 2

// takeOther removes the connection that has been idle for the longest, if there are enough and none fits: sessions with
// many different settings would otherwise have a login and a disconnect for each statement.
func (p *pool) takeOther(want state) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < enough {
		return nil
	}
	for i, c := range p.idle {
		if c.resettable() && (want.schema != "" || c.state.schema == "") {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return c
		}
	}
	return nil
}

// refit resets a connection of the pool that does not fit; nil if none can be.
func (p *pool) refit(ctx context.Context, want state) *conn {
	c := p.takeOther(want)
	if c == nil {
		return nil
	}
	if !alive(c.net) {
		c.close()
		return nil
	}
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if c.reset(want) == nil {
		return c
	}
	if c.broken {
		c.close()
	} else {
		c.quit()
	}
	return nil
}
