package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"weir/proxy/wire"
)

// maxRemotes is how many statements stay prepared on one connection. Servers bound all of them together, by
// max_prepared_stmt_count.
const maxRemotes = 64

// remote is a statement that is prepared on a connection to a backend, for whoever needs it next. Servers derive types
// of a statement from those of its first parameters, so that it is used again with the same ones only. MySQL does not
// look at the type of a NULL, so that NULL has to meet NULL.
type remote struct {
	id           uint32
	schema, text string
	types, nulls []byte
	executed     bool
}

// fits reports whether the statement may be executed with the parameters.
func (m *remote) fits(x *execution) bool {
	return !m.executed || bytes.Equal(m.types, x.Types) && bytes.Equal(m.nulls, x.Nulls)
}

// take notes with what parameters the statement is executed.
func (m *remote) take(x *execution) {
	m.types, m.nulls, m.executed = bytes.Clone(x.Types), bytes.Clone(x.Nulls), true
}

// execute runs a statement, which it prepares first if it has to. If the server refuses that, this is the response.
//
// MySQL prepares a statement anew whose tables have changed since, and gives up, with error 1615, if they change again
// meanwhile, three times in a row: while other DDL goes on. Nothing has run then, so that it is prepared and run once more.
func (c *conn) execute(x *execution, flags wire.CursorFlag, r *response) error {
	for attempt := 0; ; attempt++ {
		id, err := c.remoteFor(x, r)
		if err != nil || id == 0 {
			return err
		}
		if err := c.executeAs(id, x, flags, r); err != nil || attempt == maxPrepareAgain || !r.saysPrepareAgain() {
			return err
		}
		if c.forgetRemote(id) {
			if err := c.closeRemote(id); err != nil {
				return err
			}
		}
		r.buf = r.buf[:0]
	}
}

// maxPrepareAgain is how often a statement is prepared anew because the server could not.
const maxPrepareAgain = 3

// saysPrepareAgain reports whether the whole response is that the server could not prepare the statement anew.
func (r *response) saysPrepareAgain() bool {
	var said *wire.Error
	return !r.started && errors.As(r.lastError(), &said) && said.Code == wire.CodeNeedReprepare
}

// executeAs runs a statement that is prepared on the connection. One that was given values ahead is not used again: it
// would still have them. Nor is one for a single execution, unless that has left a cursor: see [session.opened].
func (c *conn) executeAs(id uint32, x *execution, flags wire.CursorFlag, r *response) error {
	for _, l := range x.long {
		l.StatementID = id
		if err := c.send(wire.ComStmtSendLongData, l.Append(nil)[1:]); err != nil {
			return err
		}
	}
	m := x.Execute
	m.StatementID, m.Flags = id, flags
	err := c.roundTrip(wire.ComStmtExecute, m.Append(nil)[1:], r)
	done := len(x.long) > 0 || x.once && !c.scanner.Cursor()
	if done && err == nil && c.forgetRemote(id) {
		err = c.closeRemote(id)
	}
	return err
}

// remoteFor returns the id under which the statement is prepared for such parameters, or zero if the server has refused
// it, and then r is the refusal.
func (c *conn) remoteFor(x *execution, r *response) (uint32, error) {
	h := x.handle
	for i := range c.remotes {
		m := &c.remotes[i]
		if m.schema == h.schema && m.text == string(h.text) && m.fits(x) {
			m.take(x)
			found := *m
			c.remotes = append(slices.Delete(c.remotes, i, i+1), found)
			return found.id, nil
		}
	}
	p := response{hold: maxOwn}
	if err := c.prepare(h, &p); err != nil {
		return 0, err
	}
	if p.kind == wire.KindError {
		r.take(&p)
		return 0, nil
	}
	m := &c.remotes[len(c.remotes)-1]
	m.take(x)
	return m.id, nil
}

// prepare prepares a statement, with the default database that it was prepared with for the client, and remembers it
// as the last of the connection's.
func (c *conn) prepare(h *handle, r *response) error {
	after := c.state.schema
	if h.schema != "" && h.schema != after {
		if err := c.use(h.schema); err != nil {
			return r.refusal(err)
		}
	}
	if err := c.roundTrip(wire.ComStmtPrepare, h.text, r); err != nil {
		return err
	}
	if r.kind == wire.KindPrepared {
		p, err := r.prepared()
		if err != nil {
			c.broken = true
			return err
		}
		c.remotes = append(c.remotes, remote{id: p.StatementID, schema: h.schema, text: string(h.text)})
	}
	if after != "" {
		if err := c.use(after); err != nil {
			return err
		}
	}
	return c.dropRemotes(maxRemotes)
}

// prepared decodes the first packet of the response to COM_STMT_PREPARE.
func (r *response) prepared() (wire.Prepared, error) {
	if !r.whole {
		return wire.Prepared{}, fmt.Errorf("the description of the prepared statement is longer than %d bytes", maxOwn)
	}
	raw, _, err := wire.Split(r.buf)
	if err != nil {
		return wire.Prepared{}, err
	}
	return wire.DecodePrepared(raw[wire.HeaderSize:])
}

// refusal makes r of what a server has said against something, and returns every other error.
func (r *response) refusal(err error) error {
	var said *wire.Error
	if !errors.As(err, &said) {
		return err
	}
	r.buf, _ = wire.AppendPacket(r.buf[:0], 1, said)
	r.kind, r.whole, r.results = wire.KindError, true, 1
	return nil
}

// take makes r what from is: a response that was read in its place.
func (r *response) take(from *response) {
	r.buf = append(r.buf[:0], from.buf...)
	r.kind, r.warnings, r.results, r.whole, r.offsets = from.kind, from.warnings, from.results, from.whole, from.offsets
}

// dropRemotes closes the statements that were not used for the longest time, until no more than n are left.
func (c *conn) dropRemotes(n int) error {
	for len(c.remotes) > n {
		id := c.remotes[0].id
		c.remotes = slices.Delete(c.remotes, 0, 1)
		if err := c.closeRemote(id); err != nil {
			return err
		}
	}
	return nil
}

// forgetRemote takes a statement out of the list, and reports whether it was there.
func (c *conn) forgetRemote(id uint32) bool {
	before := len(c.remotes)
	c.remotes = slices.DeleteFunc(c.remotes, func(m remote) bool { return m.id == id })
	return len(c.remotes) < before
}

// closeRemote closes a statement on the server, which does not answer.
func (c *conn) closeRemote(id uint32) error {
	return c.send(wire.ComStmtClose, binary.LittleEndian.AppendUint32(nil, id))
}
