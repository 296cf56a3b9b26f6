package proxy

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"weir/proxy/wire"
)

const (
	// maxOwn bounds the answers to Weir's own statements, in bytes.
	maxOwn = 1 << 20
	// passHold is how much of a response that nobody wants to keep is collected before it is written.
	passHold = 64 << 10
)

// response collects what a backend answers. Up to hold bytes are kept back; once there are more, they and everything
// after go to out as they come, so that a result of any size needs little memory.
type response struct {
	hold int
	out  func([]byte) error // nil: what does not fit is dropped

	buf     []byte // what is not written yet
	started bool   // something was written or dropped

	// Known at the end.
	took     time.Duration // from sending the statement to the end
	kind     wire.Kind
	warnings uint16
	results  int
	whole    bool  // buf is all of it
	offsets  []int // of the status flags in buf, if whole; valid until the connection's next command
}

func (r *response) add(raw []byte) error {
	if len(r.buf)+len(raw) > r.hold {
		r.started = true
		if err := r.flush(); err != nil {
			return err
		}
		if len(raw) > r.hold {
			return r.write(raw)
		}
	}
	r.buf = append(r.buf, raw...)
	return nil
}

// flush writes what was kept back.
func (r *response) flush() error {
	err := r.write(r.buf)
	r.buf = r.buf[:0]
	return err
}

func (r *response) write(b []byte) error {
	if r.out == nil || len(b) == 0 {
		return nil
	}
	return r.out(b)
}

// normalize gives a stored copy the status flags that every session has to which it may be served: outside a
// transaction, with autocommit; NO_BACKSLASH_ESCAPES and ANSI_QUOTES follow from sql_mode, which is in the key. What
// else the flags say is about the run that filled the entry.
func (r *response) normalize() {
	const keep = wire.StatusAutocommit | wire.StatusNoBackslashEscapes | wire.StatusANSIQuotes
	for _, at := range r.offsets {
		flags := binary.LittleEndian.Uint16(r.buf[at:])
		binary.LittleEndian.PutUint16(r.buf[at:], flags&uint16(keep))
	}
}

// err returns the server's error, if the response is one.
func (r *response) err() error {
	if r.kind != wire.KindError || !r.whole {
		return nil
	}
	raw, _, err := wire.Split(r.buf)
	if err != nil {
		return err
	}
	e, err := wire.DecodeError(raw[wire.HeaderSize:])
	if err != nil {
		return err
	}
	return e
}

// textRows decodes a result set in the text protocol, NULL as the empty string.
func (r *response) textRows() (rows [][]string, err error) {
	if err := r.err(); err != nil {
		return nil, err
	}
	if r.kind != wire.KindResultSet {
		return nil, nil
	}
	columns, rest, err := skipDefinitions(r.buf)
	if err != nil {
		return nil, err
	}
	for {
		raw, after, err := wire.Split(rest)
		if err != nil {
			return nil, err
		}
		if len(after) == 0 { // the last packet is the EOF
			return rows, nil
		}
		row, err := wire.DecodeRow(nil, raw[wire.HeaderSize:], columns)
		if err != nil {
			return nil, err
		}
		rows, rest = append(rows, texts(row)), after
	}
}

// skipDefinitions returns the number of columns and what follows the EOF packet after their definitions.
func skipDefinitions(b []byte) (columns int, rest []byte, err error) {
	raw, rest, err := wire.Split(b)
	if err != nil {
		return 0, nil, err
	}
	n, err := wire.DecodeColumnCount(raw[wire.HeaderSize:])
	for i := 0; err == nil && i <= int(n); i++ {
		_, rest, err = wire.Split(rest)
	}
	return int(n), rest, err
}

func texts(row wire.Row) []string {
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = string(v)
	}
	return out
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

// putBuffer gives a buffer back, unless a large result has made it worth more to the garbage collector.
func putBuffer(b *[]byte) {
	if cap(*b) <= 4<<20 {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// saysInterrupted reports whether the whole response is that the statement was killed.
func (r *response) saysInterrupted() bool {
	var said *wire.Error
	return !r.started && errors.As(r.lastError(), &said) && said.Code == wire.CodeQueryInterrupted
}

// interrupted makes an answer of Weir's own: what a backend would say of a statement that was killed before it began.
func (r *response) interrupted(seq uint8) error {
	b, _ := wire.AppendPacket(nil, seq, errInterrupted)
	err := r.add(b)
	r.kind, r.results, r.whole = wire.KindError, 1, !r.started
	return err
}
