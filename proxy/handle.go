package proxy

import (
	"bytes"
	"encoding/binary"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

const (
	// maxHandles is how many statements a client may hold at one time: the servers' max_prepared_stmt_count.
	maxHandles = 16382
	// maxHandleBytes is how much memory their texts may take for one client.
	maxHandleBytes = 64 << 20
)

// handle is a statement that a client has prepared. It is Weir's own and lives on no connection: what has to run is
// prepared on whichever connection serves it, see [conn.execute].
type handle struct {
	id     uint32
	text   []byte
	params int
	// schema is the default database in which it was prepared: names in the text stay names of that one.
	schema string
	// within is Weir's own schema, if that was the default one.
	within string
	// types are those of the parameters, as the client has bound them last.
	types []byte
	// long are values that were sent ahead of the execution, in pieces; tooLong says that they were more than may be.
	long    []wire.LongData
	tooLong bool
	// wrongLong says that a value was sent ahead for a parameter that is not there; it stays so until COM_STMT_RESET.
	wrongLong bool

	// prefix is the part of its keys that does not depend on values; made for the session's state of that generation.
	prefix     []byte
	generation uint64

	// held is the connection on which it is prepared for good, under remoteID; nil if none. See [session.hold].
	held *conn
	// rows are those of an open cursor over a result that Weir has; nil if there is none.
	rows *rowsHeld
	// cursor is the connection on which a cursor of it is open, under remoteID; nil if none.
	cursor   *conn
	remoteID uint32
}

// handles are the statements that a session holds.
type handles struct {
	byID   map[uint32]*handle
	lastID uint32  // that was given out
	last   *handle // what the last COM_STMT_PREPARE has made, nil if it failed
	bytes  int     // of texts
	ahead  int     // bytes of values that were sent ahead
}

// add gives a statement an id; it is false if there are too many.
func (hs *handles) add(h *handle) bool {
	if len(hs.byID) >= maxHandles || hs.bytes+len(h.text) > maxHandleBytes {
		return false
	}
	if hs.byID == nil {
		hs.byID = map[uint32]*handle{}
	}
	hs.lastID++
	for hs.byID[hs.lastID] != nil || hs.lastID == 0 || hs.lastID == wire.LastPrepared {
		hs.lastID++
	}
	h.id, hs.last = hs.lastID, h
	hs.byID[h.id] = h
	hs.bytes += len(h.text)
	return true
}

func (hs *handles) remove(h *handle) {
	hs.forgetLong(h)
	delete(hs.byID, h.id)
	if hs.last == h {
		hs.last = nil
	}
	hs.bytes -= len(h.text)
}

// addLong takes a piece of a value. All of them together may take as much memory as one packet.
func (hs *handles) addLong(h *handle, m wire.LongData, limit int) {
	if hs.ahead+len(m.Data) > limit {
		hs.forgetLong(h)
		h.tooLong = true
	}
	if h.tooLong {
		return
	}
	hs.ahead += len(m.Data)
	for i := range h.long {
		if h.long[i].Param == m.Param {
			h.long[i].Data = append(h.long[i].Data, m.Data...)
			return
		}
	}
	h.long = append(h.long, wire.LongData{Param: m.Param, Data: bytes.Clone(m.Data)})
}

func (hs *handles) forgetLong(h *handle) {
	for _, l := range h.long {
		hs.ahead -= len(l.Data)
	}
	h.long, h.tooLong = nil, false
}

// lose notes that a connection is gone.
func (hs *handles) lose(c *conn) {
	for _, h := range hs.byID {
		if h.held == c {
			h.held = nil
		}
		if h.cursor == c {
			h.cursor = nil
		}
	}
}

// handleOf finds the statement whose id a command starts with, nil if there is none. MariaDB's clients may mean the
// last one.
func (s *session) handleOf(args []byte) *handle {
	if len(args) < 4 {
		return nil
	}
	id := binary.LittleEndian.Uint32(args)
	if id == wire.LastPrepared && s.server.facts.Flavor == statement.MariaDB {
		return s.handles.last
	}
	return s.handles.byID[id]
}

// unknownHandle answers a command about a statement that is not there, in the servers' words.
func (s *session) unknownHandle(args []byte, function string) error {
	var id uint32
	if len(args) >= 4 {
		id = binary.LittleEndian.Uint32(args)
	}
	return s.writeError(wire.Errorf(wire.CodeUnknownStatement, "Unknown prepared statement handler (%d) given to %s", id, function))
}

// execution is a statement with values for its parameters.
type execution struct {
	handle *handle
	wire.Execute
	long []wire.LongData
	once bool // see [session.once]
}

// bind takes the values of an execution. Its slices are the client's packet, and the handle's.
func (h *handle) bind(args []byte) (execution, *wire.Error) {
	m, err := wire.DecodeExecute(args, h.params)
	if h.tooLong {
		return execution{}, wire.Errorf(wire.CodeUnknown, "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes")
	}
	if h.wrongLong {
		return execution{}, wire.Errorf(wire.CodeWrongArguments, "Incorrect arguments to mysqld_stmt_send_long_data")
	}
	if err != nil {
		return execution{}, wire.Errorf(wire.CodeWrongArguments, "Incorrect arguments to mysqld_stmt_execute")
	}
	switch {
	case m.Types != nil:
		h.types = append(h.types[:0], m.Types...)
	case h.params > 0 && len(h.types) == 0:
		return execution{}, wire.Errorf(wire.CodeWrongArguments, "Incorrect arguments to mysqld_stmt_execute")
	}
	m.Types = h.types
	return execution{handle: h, Execute: m, long: h.long}, nil
}

// key appends what identifies the values. What was sent ahead comes first, since its lengths are told.
func (x *execution) key(dst []byte) []byte {
	dst = append(append(dst, x.Nulls...), x.Types...)
	dst = binary.AppendUvarint(dst, uint64(len(x.long)))
	for _, l := range x.long {
		dst = binary.AppendUvarint(dst, uint64(l.Param))
		dst = append(binary.AppendUvarint(dst, uint64(len(l.Data))), l.Data...)
	}
	return append(dst, x.Values...)
}

// keySize is about the length of the key.
func (x *execution) keySize() int {
	n := len(x.handle.text) + len(x.Nulls) + len(x.Types) + len(x.Values)
	for _, l := range x.long {
		n += len(l.Data)
	}
	return n
}

// clone makes x independent of the packet that it was bound from.
func (x *execution) clone() execution {
	c := *x
	b := append(append(append(make([]byte, 0, len(x.Nulls)+len(x.Types)+len(x.Values)), x.Nulls...), x.Types...), x.Values...)
	n, t := len(x.Nulls), len(x.Nulls)+len(x.Types)
	c.Nulls, c.Types, c.Values = b[:n:n], b[n:t:t], b[t:]
	return c
}
