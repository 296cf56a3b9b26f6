package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"weir/cache"
	"weir/proxy/login"
	"weir/proxy/wire"
	"weir/replicator/identity"
)

// conn is a connection to a backend, logged in as one account.
type conn struct {
	net     net.Conn
	reader  *wire.Reader
	scanner wire.Scanner
	backend *backend
	pool    *pool

	// since is when it was connected, and server which server it leads to: what a sample is compared with.
	since  time.Time
	server identity.Identity
	// version is the server's, see [versionNumber].
	version int
	// elsewhere: another server answers at the backend's address by now.
	elsewhere bool
	// odd: its capabilities are not its pool's any more.
	odd bool
	// id is the backend's number for the connection. spent: a kill was aimed at it.
	id    uint32
	spent bool
	// charsets are those of the login. waitTimeout is the session's, on the server.
	charsets    charsets
	waitTimeout time.Duration
	// accounts is a change of accounts that the server had when it let the connection in, if not doubtful.
	accounts cache.Mark
	doubtful bool
	// generation is of the server's globals, from before the login: see globals.go.
	generation uint64
	// until is when it is not used again.
	until time.Time
	// defaults are the server's settings that a session starts with and that change the bytes of answers.
	defaults defaults

	state   state
	remotes []remote // the one that was used last is last
	status  wire.Status
	broken  bool
	idle    time.Time // since when it is in the pool
}

// writeTimeout bounds how long a peer may leave what is sent to it lying.
const writeTimeout = time.Minute

// connectTimeout bounds a login at a backend: a server that takes longer is tried again later, and another one asked.
const connectTimeout = 3 * time.Second

// errLost wraps the failure of a connection to a backend, where not one byte of the response has been passed on.
var errLost = errors.New("lost the connection to the backend")

// errLocalInfile is the answer to a statement for which a server asks the client for a file. Weir never says that it could
// send one, and servers do not ask then; a server that does all the same is left, and gets nothing.
var errLocalInfile = wire.Errorf(wire.CodeNotAllowedCommand, "The used command is not allowed because Weir does not support LOAD DATA LOCAL")

// connect logs in and sets up the state.
func (p *pool) connect(ctx context.Context, want state, accounts cache.Mark) (*conn, error) {
	doubtful := !p.backend.hasSoon(ctx, accounts)
	generation, _ := p.backend.globals.now(time.Time{})
	dialing, dialed := p.backend.conns.login(ctx)
	l, err := login.Dial(dialing, p.options(want))
	dialed()
	if err != nil {
		return nil, err
	}
	c := &conn{
		net: l.Conn, reader: l.Reader, backend: p.backend, pool: p, status: l.Status,
		since: time.Now(), state: state{schema: want.schema}, accounts: accounts, doubtful: doubtful,
		id: l.ConnectionID, version: versionNumber(l.Version),
		generation: generation, until: time.Now().Add(lifetime()),
	}
	c.backend.conns.add(c)
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err = c.identify(l.Version)
	if err == nil {
		err = c.setUp(want)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (p *pool) options(want state) login.ClientOptions {
	return login.ClientOptions{
		Addr: p.backend.addr, User: p.key.user, Password: string(p.key.password), Database: want.schema,
		TLS: p.backend.tls, Collation: p.key.collation, Timeout: connectTimeout,
		Capabilities: login.Offered&^poolFlags | p.key.flags,
	}
}

// setUp makes of a connection that is as after a login one with the wanted settings.
func (c *conn) setUp(want state) error {
	rows, err := c.query(defaultsQuery)
	if err != nil {
		return err
	}
	c.defaults = readDefaults(rows)
	if err := c.lookAtGlobals(); err != nil {
		return err
	}
	if err := c.readStart(); err != nil {
		return err
	}
	if c.pool.readOnly {
		if err := c.exec("SET SESSION TRANSACTION READ ONLY"); err != nil {
			return err
		}
	}
	if sql := want.settings.sql(); sql != "" {
		if err := c.exec(sql); err != nil {
			return err
		}
	}
	c.state.settings = want.settings
	c.takeSettings()
	return nil
}

func (c *conn) identify(version string) error {
	flavor := identity.FlavorOf(version)
	rows, err := c.query(identity.Query(flavor))
	if err != nil {
		return err
	}
	c.server, err = identity.Parse(flavor, rows)
	return err
}

// exec runs a statement of Weir's own.
func (c *conn) exec(sql string) error {
	_, err := c.query(sql)
	return err
}

// query runs a statement of Weir's own and returns its rows.
func (c *conn) query(sql string) (rows [][]string, err error) {
	r := response{hold: maxOwn}
	if err := c.roundTrip(wire.ComQuery, []byte(sql), &r); err != nil {
		return nil, err
	}
	if !r.whole {
		return nil, fmt.Errorf("the answer of %s to %q is too long", c.backend.addr, sql)
	}
	return r.textRows()
}

// send writes a command that has no response.
func (c *conn) send(command wire.Command, args []byte) error {
	buf := getBuffer()
	defer putBuffer(buf)
	*buf, _ = wire.AppendPacket((*buf)[:0], 0, commandPacket{command, args})
	c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := c.net.Write(*buf); err != nil {
		c.broken = true
		return fmt.Errorf("%w %s: %w", errLost, c.backend.addr, err)
	}
	return nil
}

// roundTrip sends a command and reads the response to its end.
func (c *conn) roundTrip(command wire.Command, args []byte, r *response) error {
	if err := c.send(command, args); err != nil {
		return err
	}
	shape, ok := wire.ResponseTo(command)
	if !ok {
		return fmt.Errorf("%s has no response that could be followed", command)
	}
	return c.receive(shape, firstReply(len(args)+1), r)
}

// firstReply is the sequence number of the response to a command of size bytes, which took one packet or several.
func firstReply(size int) uint8 { return uint8(size/wire.MaxPayload) + 1 }

func (c *conn) receive(shape wire.Shape, seq uint8, r *response) error {
	c.reader.Expect(seq)
	c.scanner.Begin(shape)
	for {
		raw, continuation, err := c.reader.ReadRaw()
		if err != nil {
			c.broken = true
			return fmt.Errorf("%w %s: %w", errLost, c.backend.addr, err)
		}
		done, err := c.scanner.Next(raw, continuation)
		if err != nil {
			c.broken = true
			return err
		}
		if c.scanner.Kind() == wire.KindLocalInfile {
			c.broken = true
			return errLocalInfile
		}
		if err := r.add(raw); err != nil {
			c.broken = true // the rest of the response is still in it
			return err
		}
		if done {
			c.note(r)
			return nil
		}
	}
}

// note keeps what the end of a response says about the connection.
func (c *conn) note(r *response) {
	c.backend.heard()
	r.kind, r.warnings, r.results = c.scanner.Kind(), c.scanner.Warnings(), c.scanner.Results()
	r.whole = !r.started
	if r.kind == wire.KindOK || r.kind == wire.KindResultSet {
		c.status = c.scanner.Status() &^ wire.StatusSessionStateChanged // which is about that one response
	}
	if r.whole {
		r.offsets = c.scanner.StatusOffsets()
	}
}

// doubt is how long a connection is used again if the server was not known to have the last change of accounts.
const doubt = time.Second

// trusted reports whether the server let the connection in with the accounts as they are since the given change. Servers
// look at what an account may do with all schemas when it logs in, and with one schema when it makes that the default;
// REVOKE and DROP USER are not felt on a connection that is there.
func (c *conn) trusted(accounts cache.Mark, now time.Time) bool {
	if c.doubtful && now.Sub(c.since) > doubt {
		return false
	}
	return c.accounts.Epoch == accounts.Epoch && c.accounts.Seq >= accounts.Seq
}

// inTransaction reports whether the next statement runs in a transaction that is already open, or opens one that
// stays open.
func (c *conn) inTransaction() bool {
	return c.status.Has(wire.StatusInTrans) || !c.status.Has(wire.StatusAutocommit)
}

func (c *conn) close() {
	c.broken = true
	c.backend.conns.remove(c)
	c.net.Close()
}

// commandPacket is a command byte and its arguments.
type commandPacket struct {
	command wire.Command
	args    []byte
}

// Append implements [wire.Message].
func (m commandPacket) Append(dst []byte) []byte {
	return append(append(dst, byte(m.command)), m.args...)
}
