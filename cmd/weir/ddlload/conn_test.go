package ddlload

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"weir/proxy/login"
	"weir/proxy/wire"
)

// patience is how long an answer may take: longer than any schema change here.
const patience = 10 * time.Minute

// conn is a client that costs little: it reads answers, and decodes nothing.
type conn struct {
	backend *login.Backend
	scanner wire.Scanner
	out     []byte
}

// dial logs in at addr. The connection is closed when ctx ends.
func dial(ctx context.Context, addr string) (*conn, error) {
	b, err := login.Dial(ctx, login.ClientOptions{Addr: addr, User: appUser, Password: appPassword, Database: schema})
	if err != nil {
		return nil, fmt.Errorf("log in at %s: %w", addr, err)
	}
	context.AfterFunc(ctx, func() { b.Conn.Close() })
	return &conn{backend: b}, nil
}

// query is COM_QUERY with a text.
type query string

// Append implements [wire.Message].
func (q query) Append(dst []byte) []byte { return append(append(dst, byte(wire.ComQuery)), q...) }

// rowsOf is a checksum of an answer's rows. Definitions of columns are left out: an index changes a column's flags, and
// an answer from before it is right all the same.
type rowsOf uint64

var seed = maphash.MakeSeed()

// ask runs a statement and reads its answer.
func (c *conn) ask(text string) (rowsOf, error) {
	c.out, _ = wire.AppendPacket(c.out[:0], 0, query(text))
	if err := c.backend.Conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if _, err := c.backend.Conn.Write(c.out); err != nil {
		return 0, err
	}
	c.backend.Reader.Expect(1)
	c.scanner.Begin(wire.ShapeQuery)
	return c.read()
}

func (c *conn) read() (rowsOf, error) {
	var h maphash.Hash
	h.SetSeed(seed)
	for {
		raw, continuation, err := c.backend.Reader.ReadRaw()
		if err != nil {
			return 0, err
		}
		before := c.scanner.Rows()
		done, err := c.scanner.Next(raw, continuation)
		if err != nil {
			return 0, err
		}
		if c.scanner.Rows() > before {
			h.Write(raw[wire.HeaderSize:])
		}
		if done {
			return rowsOf(h.Sum64()), c.refusal(raw)
		}
	}
}

// refusal is the error that an answer's last packet is.
func (c *conn) refusal(raw []byte) error {
	if c.scanner.Kind() != wire.KindError {
		return nil
	}
	e, err := wire.DecodeError(raw[wire.HeaderSize:])
	if err != nil {
		return err
	}
	return e
}
